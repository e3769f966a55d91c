# jax: p = jnp.ones((512, 512))
# jax: c = jnp.full((512, 512), 7.0)
# jax: f = jax.jit(lambda p: p + c)
# jax: args = (p,)
# jax: out = (f(p), f(p[0]))
# JAX: no donation; ledger [2, 2097152] -> [5, 5242880]
p = ones([512, 512])
c = full([512, 512], 7.0)
jit f(p) = p + c
out = (f(p), f(p[0]))
assert live() == (5, 5242880)
