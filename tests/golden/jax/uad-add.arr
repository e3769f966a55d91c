# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: p + 1.0
# JAX: accepted; use-after-donate error; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
out = f(p)
p + 1.0
#> [E0301] Error: `p` is used after it was given away
#>     ,-[ tests/golden/jax/uad-add.arr:10:1 ]
#>     |
#>  10 | p + 1.0
#>     | ^^^|^^^
#>     |    `----- used here
#>     |
#>     |-[ tests/golden/jax/uad-add.arr:10:1 ]
#>     |
#>   9 | out = f(p)
#>     |       ^^|^
#>     |         `--- `p` is given away here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(p)`
#> ----'
