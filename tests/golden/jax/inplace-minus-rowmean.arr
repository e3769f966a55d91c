# jax: p = jnp.arange(262144, dtype=jnp.float32).reshape(512, 512) / 1e5
# jax: f = jax.jit(lambda p: p - p.mean(axis=1, keepdims=True), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p - mean(p, axis=1, keepdims=true)
p = reshape(arange(262144, f32), [512, 512]) / 1e5
out = f(p)
assert live() == (1, 1048576)
