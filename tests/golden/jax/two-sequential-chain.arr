# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: g = jax.jit(lambda p: p + 1.0, donate_argnums=0)
# jax: out = g(f(p))
# jax: print(p.is_deleted())
# JAX: accepted (seen at run time); ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
jit g(donate p) = p + 1.0
p = ones([512, 512])
out = g(f(p))
assert live() == (1, 1048576)
