# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda k, p: lax.cond(k, lambda v: v * 2.0, lambda v: v, p), donate_argnums=1)
# jax: args = (jnp.bool_(True), p)
# jax: out = f(*args)
# JAX: accepted; ledger [2, 1048577] -> [2, 1048577]
jit f(k, donate p) = if k { p * 2.0 } else { p }
p = ones([512, 512])
k = ones([], bool)
out = f(k, p)
assert live() == (2, 1048577)
