# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p > 0.5, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: refused(dtype) SILENT; ledger [1, 1048576] -> [2, 1310720]
jit f(donate p) = p > 0.5
p = ones([512, 512])
out = f(p)
#> [E0312] Error: `f` cannot take over `p`: dtype: f32[512, 512] against bool[512, 512]: the elements have another width
#>    ,-[ tests/golden/jax/compare-f32-bool.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = p > 0.5
#>    |       ^^^^|^^^
#>    |           `----- donated here
#>    |
#>  8 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: write `jit f(p)`, or return elements of its width
#>    |
#>    | Note: 1 MiB is not 256 KiB
#> ---'
