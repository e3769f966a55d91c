# jax: p = jnp.ones((512, 512)); m = jnp.zeros_like(p); v = jnp.zeros_like(p); t = jnp.int32(0); g = jnp.full((512, 512), 0.1)
# jax: def adam(p, m, v, t, g):
# jax:     t = t + 1
# jax:     m = 0.9 * m + 0.1 * g
# jax:     v = 0.999 * v + 0.001 * g * g
# jax:     mh = m / (1 - 0.9 ** t.astype(jnp.float32)); vh = v / (1 - 0.999 ** t.astype(jnp.float32))
# jax:     return p - 1e-3 * mh / (jnp.sqrt(vh) + 1e-8), m, v, t
# jax: z = jnp.zeros_like(p)
# jax: f = jax.jit(adam, donate_argnums=(0, 1, 2, 3))
# jax: args = (p, z, z, t, g)
# jax: out = f(*args)
# JAX: error at call; ledger [6, 5242884] -> [6, 5242884]
jit f(donate p, donate m, donate v, donate t, g) {
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
z = zeros_like(p)
out = f(p, z, z, t, g)
#> [E0304] Error: this call of `f` gives `z` away and gets it a second time
#>     ,-[ tests/golden/jax/adam-state-shares-zeros.arr:27:12 ]
#>     |
#>  27 | out = f(p, z, z, t, g)
#>     |       ^^^^^|^^|^^^^^^^
#>     |            `------------ given as `m`
#>     |               |
#>     |               `--------- the same array as `v`
#>     |               |
#>     |               `--------- in this call
#>     |
#>     | Help: pass a copy: `copy(z)`
#> ----'
