# jax: p = jnp.ones((256, 1024))
# jax: f = jax.jit(lambda p: p.T * 2.0, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p.T * 2.0
p = ones([256, 1024])
out = f(p)
assert live() == (1, 1048576)
#> [W0302] Warning: `f` hands `p` over: 1 MiB more are needed during the call
#>    ,-[ tests/golden/jax/transpose-nonsquare-scaled.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = p.T * 2.0
#>    |       ^^^^|^^^
#>    |           `----- donated here, but not overwritten in place
#>    |
#>  8 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: element 261119 is read for index 262142 after index 261119 has overwritten it
#> ---'
