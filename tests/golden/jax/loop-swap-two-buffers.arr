# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: f = jax.jit(lambda p, q: (q * 0.5, p * 2.0), donate_argnums=(0, 1))
# jax: for _ in range(3):
# jax:     p, q = f(p, q)
# jax: out = (p, q)
# JAX: accepted (seen at run time); ledger [2, 2097152] -> [2, 2097152]
jit f(donate p, donate q) = (q * 0.5, p * 2.0)
p = ones([512, 512])
q = full([512, 512], 2.0)
for i in 0..3 { p, q = f(p, q) }
out = (p, q)
assert live() == (2, 2097152)
