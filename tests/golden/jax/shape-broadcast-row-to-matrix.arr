# jax: p = jnp.ones((512,))
# jax: f = jax.jit(lambda p: jnp.broadcast_to(p, (512, 512)) * 2.0, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: refused(shape); ledger [1, 2048] -> [2, 1050624]
jit f(donate p) = broadcast_to(p, [512, 512]) * 2.0
p = ones([512])
out = f(p)
#> [E0311] Error: `f` cannot take over `p`: shape: f32[512] against f32[512, 512]
#>    ,-[ tests/golden/jax/shape-broadcast-row-to-matrix.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = broadcast_to(p, [512, 512]) * 2.0
#>    |       ^^^^|^^^
#>    |           `----- donated here
#>    |
#>  8 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: write `jit f(p)`, or return an array of its size
#>    |
#>    | Note: 2 KiB is not 1 MiB
#> ---'
