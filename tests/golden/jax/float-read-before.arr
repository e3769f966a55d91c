# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: s = float(p[0, 0])
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
s = item(p[0, 0])
out = f(p)
assert live() == (1, 1048576)
