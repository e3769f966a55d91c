# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: (p, p * 2.0), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [2, 2097152]
jit f(donate p) = (p, p * 2.0)
p = ones([512, 512])
out = f(p)
assert live() == (2, 2097152)
