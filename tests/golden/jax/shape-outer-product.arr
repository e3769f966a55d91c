# jax: p = jnp.ones((512,))
# jax: f = jax.jit(lambda p: p[:, None] * p[None, :], donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: refused(shape); ledger [1, 2048] -> [2, 1050624]
jit f(donate p) = p[:, newaxis] * p[newaxis, :]
p = ones([512])
out = f(p)
#> [E0311] Error: `f` cannot take over `p`: shape: f32[512] against f32[512, 512]
#>    ,-[ tests/golden/jax/shape-outer-product.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = p[:, newaxis] * p[newaxis, :]
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
