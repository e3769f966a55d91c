# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: jnp.pad(p, 1), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: refused(shape); ledger [1, 1048576] -> [2, 2105360]
jit f(donate p) = pad(p, 1)
p = ones([512, 512])
out = f(p)
#> [E0311] Error: `f` cannot take over `p`: shape: f32[512, 512] against f32[514, 514]
#>    ,-[ tests/golden/jax/shape-pad.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = pad(p, 1)
#>    |       ^^^^|^^^
#>    |           `----- donated here
#>    |
#>  8 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: write `jit f(p)`, or return an array of its size
#>    |
#>    | Note: 1 MiB is not 1.0 MiB
#> ---'
