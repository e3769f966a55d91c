# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: i = 0
# jax: while i < 5:
# jax:     p = f(p); i += 1
# jax: out = p
# JAX: accepted (seen at run time); ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
i = 0
while i < 5 { p = f(p); i += 1 }
out = p
assert live() == (1, 1048576)
