# jax: p = jnp.arange(262144, dtype=jnp.float32).reshape(512, 512) / 1e5
# jax: f = jax.jit(lambda p: p.at[0].set(7.0), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) {
    p[0] = 7.0
    p
}
p = reshape(arange(262144, f32), [512, 512]) / 1e5
out = f(p)
assert live() == (1, 1048576)
