# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: f = jax.jit(lambda p, q: jnp.exp(p @ q) + p, donate_argnums=(0,))
# jax: args = (p, q,)
# jax: out = f(*args)
# JAX: accepted; ledger [2, 2097152] -> [2, 2097152]
jit f(donate p, q) = exp(p @ q) + p
p = ones([512, 512])
q = full([512, 512], 2.0)
out = f(p, q)
assert live() == (2, 2097152)
