# jax: p = jnp.ones((1,))
# jax: f = jax.jit(lambda p: p.sum(), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 4] -> [1, 4]
jit f(donate p) = sum(p)
p = ones([1])
out = f(p)
assert live() == (1, 4)
#> [W0302] Warning: `f` hands `p` over: 4 B more are needed during the call
#>    ,-[ tests/golden/jax/tiny-1-to-scalar-sum.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = sum(p)
#>    |       ^^^^|^^^
#>    |           `----- donated here, but not overwritten in place
#>    |
#>  8 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: the argument is still read after the result has begun to be written
#> ---'
