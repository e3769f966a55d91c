# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p.sum(), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: refused(shape); ledger [1, 1048576] -> [2, 1048580]
jit f(donate p) = sum(p)
p = ones([512, 512])
out = f(p)
#> [E0311] Error: `f` cannot take over `p`: shape: f32[512, 512] against f32[]
#>    ,-[ tests/golden/jax/scalar-sum.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = sum(p)
#>    |       ^^^^|^^^
#>    |           `----- donated here
#>    |
#>  8 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: write `jit f(p)`, or return an array of its size
#>    |
#>    | Note: 1 MiB is not 4 B
#> ---'
