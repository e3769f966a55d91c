# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p + p[0, 0], donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p + p[0, 0]
p = ones([512, 512])
out = f(p)
assert live() == (1, 1048576)
#> [W0302] Warning: `f` hands `p` over: 1 MiB more are needed during the call
#>    ,-[ tests/golden/jax/inplace-p-plus-scalar-elem.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = p + p[0, 0]
#>    |       ^^^^|^^^
#>    |           `----- donated here, but not overwritten in place
#>    |
#>  8 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: element 0 is read for index 262143 after index 0 has overwritten it
#> ---'
