# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: f = jax.jit(lambda p, q: p + q, donate_argnums=(1, 0))
# jax: args = (q, p)
# jax: out = f(*args)
# JAX: accepted; refused(no output left); ledger [2, 2097152] -> [2, 2097152]
jit f(donate p, donate q) = p + q
p = ones([512, 512])
q = full([512, 512], 2.0)
out = f(q, p)
#> [E0313] Error: `f` cannot take over `q`: no output left: `p` and `q` contend for f32[512, 512]
#>    ,-[ tests/golden/jax/two-donated-one-output-args-swapped.arr:6:17 ]
#>    |
#>  6 | jit f(donate p, donate q) = p + q
#>    |                 ^^^^|^^^
#>    |                     `----- donated here
#>    |
#>  9 | out = f(q, p)
#>    |       ^^^|^^^
#>    |          `----- in this call
#>    |
#>    |-[ tests/golden/jax/two-donated-one-output-args-swapped.arr:6:17 ]
#>    |
#>  6 | jit f(donate p, donate q) = p + q
#>    |       ^^^^|^^^
#>    |           `----- `p` has as many bytes
#>    |
#>    | Help: write `jit f(donate p, q)`, or return another array of its size
#>    |
#>    | Note: 2 donated arrays of 1 MiB, and 1 output of that size
#> ---'
