# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: s = p.sum()
# jax: out = f(p)
# jax: r = float(s)
# JAX: accepted (seen at run time); ledger [1, 1048576] -> [3, 1048584]
# arr differs on purpose: `item` makes a number of the host, where JAX's ledger keeps what `float` read.
jit f(donate p) = p * 0.99
p = ones([512, 512])
s = sum(p)
out = f(p)
r = item(s)
assert live() == (2, 1048580)
