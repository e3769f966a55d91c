# jax: p = jnp.ones((512, 512)); m = jnp.zeros_like(p); v = jnp.zeros_like(p); t = jnp.int32(0); g = jnp.full((512, 512), 0.1)
# jax: def adam(p, m, v, t, g):
# jax:     t = t + 1
# jax:     m = 0.9 * m + 0.1 * g
# jax:     v = 0.999 * v + 0.001 * g * g
# jax:     mh = m / (1 - 0.9 ** t.astype(jnp.float32)); vh = v / (1 - 0.999 ** t.astype(jnp.float32))
# jax:     return p - 1e-3 * mh / (jnp.sqrt(vh) + 1e-8), m, v, t
# jax: f = jax.jit(adam)
# jax: args = (p, m, v, t, g)
# jax: out = f(*args)
# JAX: no donation; ledger [5, 4194308] -> [9, 7340040]
jit f(p, m, v, t, g) {
    t = t + 1
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    mh = m / (1.0 - 0.9 ** f32(t))
    vh = v / (1.0 - 0.999 ** f32(t))
    (p - 1e-3 * mh / (sqrt(vh) + 1e-8), m, v, t)
}
p = ones([512, 512])
m = zeros_like(p)
v = zeros_like(p)
t = i32(0)
g = full([512, 512], 0.1)
out = f(p, m, v, t, g)
assert live() == (9, 7340040)
