# jax: params = {'w': jnp.ones((512, 512)), 'b': jnp.ones((512,))}
# jax: grads = {'w': jnp.full((512, 512), 0.1), 'b': jnp.full((512,), 0.1)}
# jax: f = jax.jit(lambda p: {'w': p['w'] * p['b']}, donate_argnums=0)
# jax: args = (params,)
# jax: out = f(*args)
# JAX: refused(shape); accepted; ledger [4, 2101248] -> [4, 2101248]
jit f(donate p) = {w: p.w * p.b}
params = {w: ones([512, 512]), b: ones([512])}
grads = {w: full([512, 512], 0.1), b: full([512], 0.1)}
out = f(params)
#> [E0311] Error: `f` cannot take over `p.b`: shape: f32[512] against f32[512, 512]
#>     ,-[ tests/golden/jax/donate-container-partly-used.arr:7:7 ]
#>     |
#>   7 | jit f(donate p) = {w: p.w * p.b}
#>     |       ^^^^|^^^
#>     |           `----- donated here
#>     |
#>  10 | out = f(params)
#>     |       ^^^^|^^^^
#>     |           `------ in this call
#>     |
#>     | Help: write `jit f(p)`, or return an array of its size
#>     |
#>     | Note: 2 KiB is not 1 MiB
#> ----'
