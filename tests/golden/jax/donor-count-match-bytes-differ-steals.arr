# jax: p = jnp.ones((512, 512)); q = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p, q: (p.astype(jnp.bfloat16), q.reshape(-1)), donate_argnums=(0, 1,))
# jax: args = (p, q,)
# jax: out = f(*args)
# JAX: accepted; refused(dtype) SILENT; ledger [2, 2097152] -> [3, 2621440]
jit f(donate p, donate q) = (bf16(p), reshape(q, [262144]))
p = ones([512, 512])
q = ones([512, 512])
out = f(p, q)
#> [E0313] Error: `f` cannot take over `q`: no output left: `p` and `q` contend for bf16[512, 512] and f32[262144]
#>    ,-[ tests/golden/jax/donor-count-match-bytes-differ-steals.arr:6:17 ]
#>    |
#>  6 | jit f(donate p, donate q) = (bf16(p), reshape(q, [262144]))
#>    |                 ^^^^|^^^
#>    |                     `----- donated here
#>    |
#>  9 | out = f(p, q)
#>    |       ^^^|^^^
#>    |          `----- in this call
#>    |
#>    |-[ tests/golden/jax/donor-count-match-bytes-differ-steals.arr:6:17 ]
#>    |
#>  6 | jit f(donate p, donate q) = (bf16(p), reshape(q, [262144]))
#>    |       ^^^^|^^^
#>    |           `----- `p` has as many bytes
#>    |
#>    | Help: write `jit f(donate p, q)`, or return another array of its size
#>    |
#>    | Note: 2 donated arrays of 1 MiB, and 1 output of that size
#> ---'
