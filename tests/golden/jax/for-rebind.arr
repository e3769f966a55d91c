# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: for _ in range(5):
# jax:     p = f(p)
# jax: out = p
# JAX: accepted (seen at run time); ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
for i in 0..5 { p = f(p) }
out = p
assert live() == (1, 1048576)
