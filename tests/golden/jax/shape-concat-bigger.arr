# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: jnp.concatenate([p, p]), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: refused(shape); ledger [1, 1048576] -> [2, 3145728]
jit f(donate p) = concat([p, p])
p = ones([512, 512])
out = f(p)
#> [E0311] Error: `f` cannot take over `p`: shape: f32[512, 512] against f32[1024, 512]
#>    ,-[ tests/golden/jax/shape-concat-bigger.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = concat([p, p])
#>    |       ^^^^|^^^
#>    |           `----- donated here
#>    |
#>  8 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: write `jit f(p)`, or return an array of its size
#>    |
#>    | Note: 1 MiB is not 2 MiB
#> ---'
