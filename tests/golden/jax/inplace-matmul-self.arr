# jax: p = jnp.arange(262144, dtype=jnp.float32).reshape(512, 512) / 1e5
# jax: f = jax.jit(lambda p: p @ p, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p @ p
p = reshape(arange(262144, f32), [512, 512]) / 1e5
out = f(p)
assert live() == (1, 1048576)
#> [W0302] Warning: `f` hands `p` over: 1 MiB more are needed during the call
#>    ,-[ tests/golden/jax/inplace-matmul-self.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = p @ p
#>    |       ^^^^|^^^
#>    |           `----- donated here, but not overwritten in place
#>    |
#>  8 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: the matrix product reads whole rows and columns: element 0 is read for index 1 after index 0 has overwritten it
#> ---'
