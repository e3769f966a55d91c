# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: f = jax.jit(lambda p, q: p @ q, donate_argnums=(1,))
# jax: args = (p, q,)
# jax: out = f(*args)
# JAX: accepted; ledger [2, 2097152] -> [2, 2097152]
jit f(p, donate q) = p @ q
p = ones([512, 512])
q = full([512, 512], 2.0)
out = f(p, q)
assert live() == (2, 2097152)
#> [W0302] Warning: `f` hands `q` over: 1 MiB more are needed during the call
#>    ,-[ tests/golden/jax/inplace-matmul-pq-donate-q.arr:6:10 ]
#>    |
#>  6 | jit f(p, donate q) = p @ q
#>    |          ^^^^|^^^
#>    |              `----- donated here, but not overwritten in place
#>    |
#>  9 | out = f(p, q)
#>    |       ^^^|^^^
#>    |          `----- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: the matrix product reads whole rows and columns: element 0 is read for index 1 after index 0 has overwritten it
#> ---'
