# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: p.astype(jnp.int32)
# JAX: accepted; use-after-donate error; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
out = f(p)
i32(p)
#> [E0301] Error: `p` is used after it was given away
#>     ,-[ tests/golden/jax/uad-astype.arr:10:1 ]
#>     |
#>  10 | i32(p)
#>     | ^^^|^^
#>     |    `---- used here
#>     |
#>     |-[ tests/golden/jax/uad-astype.arr:10:1 ]
#>     |
#>   9 | out = f(p)
#>     |       ^^|^
#>     |         `--- `p` is given away here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(p)`
#> ----'
