# jax: p = jnp.arange(262144, dtype=jnp.float32).reshape(512, 512) / 1e5
# jax: f = jax.jit(lambda p: jnp.where(p > 0.5, 1.0, 0.0), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = where(p > 0.5, f32(1.0), f32(0.0))
p = reshape(arange(262144, f32), [512, 512]) / 1e5
out = f(p)
assert live() == (1, 1048576)
