# jax: p = jnp.ones((256, 1024)); q = jnp.ones((1024, 256))
# jax: f = jax.jit(lambda p, q: (p.reshape(-1) + q.reshape(-1)), donate_argnums=(0, 1,))
# jax: args = (p, q,)
# jax: out = f(*args)
# JAX: accepted; refused(shape); ledger [2, 2097152] -> [2, 2097152]
jit f(donate p, donate q) = reshape(p, [262144]) + reshape(q, [262144])
p = ones([256, 1024])
q = ones([1024, 256])
out = f(p, q)
#> [E0313] Error: `f` cannot take over `q`: no output left: `p` and `q` contend for f32[262144]
#>    ,-[ tests/golden/jax/donor-two-candidates-by-count.arr:6:17 ]
#>    |
#>  6 | jit f(donate p, donate q) = reshape(p, [262144]) + reshape(q, [262144])
#>    |                 ^^^^|^^^
#>    |                     `----- donated here
#>    |
#>  9 | out = f(p, q)
#>    |       ^^^|^^^
#>    |          `----- in this call
#>    |
#>    |-[ tests/golden/jax/donor-two-candidates-by-count.arr:6:17 ]
#>    |
#>  6 | jit f(donate p, donate q) = reshape(p, [262144]) + reshape(q, [262144])
#>    |       ^^^^|^^^
#>    |           `----- `p` has as many bytes
#>    |
#>    | Help: write `jit f(donate p, q)`, or return another array of its size
#>    |
#>    | Note: 2 donated arrays of 1 MiB, and 1 output of that size
#> ---'
