# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: f = jax.jit(lambda k, p, q: lax.cond(k, lambda a, b: a, lambda a, b: b, p, q), donate_argnums=1)
# jax: args = (jnp.bool_(True), p, q)
# jax: out = f(*args)
# JAX: accepted; ledger [3, 2097153] -> [3, 2097153]
jit f(k, donate p, q) = if k { p } else { q }
p = ones([512, 512])
q = full([512, 512], 2.0)
k = ones([], bool)
out = f(k, p, q)
assert live() == (3, 2097153)
