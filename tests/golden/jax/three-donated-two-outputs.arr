# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: r = p * 3.0
# jax: f = jax.jit(lambda p, q, r: (p + r, q + r), donate_argnums=(0, 1, 2,))
# jax: args = (p, q, r,)
# jax: out = f(*args)
# JAX: accepted; accepted; refused(no output left); ledger [3, 3145728] -> [3, 3145728]
jit f(donate p, donate q, donate r) = (p + r, q + r)
p = ones([512, 512])
q = full([512, 512], 2.0)
r = p * 3.0
out = f(p, q, r)
#> [E0313] Error: `f` cannot take over `r`: no output left: `p` and `q` and `r` contend for f32[512, 512] and f32[512, 512]
#>     ,-[ tests/golden/jax/three-donated-two-outputs.arr:7:27 ]
#>     |
#>   7 | jit f(donate p, donate q, donate r) = (p + r, q + r)
#>     |                           ^^^^|^^^
#>     |                               `----- donated here
#>     |
#>  11 | out = f(p, q, r)
#>     |       ^^^^^|^^^^
#>     |            `------ in this call
#>     |
#>     |-[ tests/golden/jax/three-donated-two-outputs.arr:7:27 ]
#>     |
#>   7 | jit f(donate p, donate q, donate r) = (p + r, q + r)
#>     |       ^^^^|^^^  ^^^^|^^^
#>     |           `--------------- `p` has as many bytes
#>     |                     |
#>     |                     `----- `q` has as many bytes
#>     |
#>     | Help: write `jit f(donate p, donate q, r)`, or return another array of its size
#>     |
#>     | Note: 3 donated arrays of 1 MiB, and 2 outputs of that size
#> ----'
