# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p.T.astype(jnp.int32), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = i32(p.T)
p = ones([512, 512])
out = f(p)
assert live() == (1, 1048576)
#> [W0302] Warning: `f` hands `p` over: 1 MiB more are needed during the call
#>    ,-[ tests/golden/jax/transpose-cast.arr:6:7 ]
#>    |
#>  6 | jit f(donate p) = i32(p.T)
#>    |       ^^^^|^^^
#>    |           `----- donated here, but not overwritten in place
#>    |
#>  8 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: element 261631 is read for index 262142 after index 261631 has overwritten it
#> ---'
