# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: print(p)
# JAX: accepted; use-after-donate error; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
out = f(p)
print(p)
#> [E0301] Error: `p` is used after it was given away
#>     ,-[ tests/golden/jax/uad-print.arr:10:7 ]
#>     |
#>  10 | print(p)
#>     |       |
#>     |       `-- used here
#>     |
#>     |-[ tests/golden/jax/uad-print.arr:10:7 ]
#>     |
#>   9 | out = f(p)
#>     |       ^^|^
#>     |         `--- `p` is given away here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(p)`
#> ----'
