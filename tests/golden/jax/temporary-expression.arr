# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: out = f(jnp.ones((512, 512)) + 1.0)
# JAX: runs clean; ledger [0, 0] -> [1, 1048576]
jit f(donate p) = p * 0.99
out = f(ones([512, 512]) + 1.0)
assert live() == (1, 1048576)
