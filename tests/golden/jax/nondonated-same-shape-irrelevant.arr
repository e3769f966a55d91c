# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: f = jax.jit(lambda p, q: p + q, donate_argnums=(1,))
# jax: args = (p, q,)
# jax: out = f(*args)
# JAX: accepted; ledger [2, 2097152] -> [2, 2097152]
jit f(p, donate q) = p + q
p = ones([512, 512])
q = full([512, 512], 2.0)
out = f(p, q)
assert live() == (2, 2097152)
