# jax: params = {'w': jnp.ones((512, 512)), 'b': jnp.ones((512,))}
# jax: grads = {'w': jnp.full((512, 512), 0.1), 'b': jnp.full((512,), 0.1)}
# jax: mom = jax.tree.map(jnp.zeros_like, params)
# jax: def step(p, m, g):
# jax:     m = jax.tree.map(lambda a, b: 0.9 * a + b, m, g)
# jax:     return jax.tree.map(lambda a, b: a - 0.1 * b, p, m)
# jax: f = jax.jit(step, donate_argnums=(0, 1))
# jax: args = (params, mom, grads)
# jax: out = f(*args)
# JAX: accepted; accepted; refused(no output left); refused(no output left); ledger [6, 3151872] -> [6, 3151872]
jit f(donate p, donate m, g) {
    m = {w: 0.9 * m.w + g.w, b: 0.9 * m.b + g.b}
    p = {w: p.w - 0.1 * m.w, b: p.b - 0.1 * m.b}
    p
}
params = {w: ones([512, 512]), b: ones([512])}
grads = {w: full([512, 512], 0.1), b: full([512], 0.1)}
mom = {w: zeros_like(params.w), b: zeros_like(params.b)}
out = f(params, mom, grads)
#> [E0313] Error: `f` cannot take over `m.w`: no output left: `p.w` and `m.w` contend for f32[512, 512] and f32[512]
#>     ,-[ tests/golden/jax/momentum-forgot-to-return-m.arr:11:17 ]
#>     |
#>  11 | jit f(donate p, donate m, g) {
#>     |                 ^^^^|^^^
#>     |                     `----- donated here
#>     |
#>  19 | out = f(params, mom, grads)
#>     |       ^^^^^^^^^^|^^^^^^^^^^
#>     |                 `------------ in this call
#>     |
#>     |-[ tests/golden/jax/momentum-forgot-to-return-m.arr:11:17 ]
#>     |
#>  11 | jit f(donate p, donate m, g) {
#>     |       ^^^^|^^^
#>     |           `----- `p.w` has as many bytes
#>     |
#>     | Help: write `jit f(donate p, m, g)`, or return another array of its size
#>     |
#>     | Note: 2 donated arrays of 1 MiB, and 1 output of that size
#> ----'
