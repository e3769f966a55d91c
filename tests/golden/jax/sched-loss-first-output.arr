# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: ((p * p).sum(), p - 0.1 * p), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [2, 1048580]
jit f(donate p) = (sum(p * p), p - 0.1 * p)
p = ones([512, 512])
out = f(p)
assert live() == (2, 1048580)
