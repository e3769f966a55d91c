# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: jax.jit(lambda v: v + p)(out)
# JAX: accepted; use-after-donate error; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
out = f(p)
jit g(v) = v + p
g(out)
#> [E0306] Error: `g` captures `p`, which was given away
#>     ,-[ tests/golden/jax/uad-capture.arr:11:1 ]
#>     |
#>  11 | g(out)
#>     | ^^^|^^
#>     |    `---- called here
#>     |
#>     |-[ tests/golden/jax/uad-capture.arr:11:1 ]
#>     |
#>   9 | out = f(p)
#>     |       ^^|^
#>     |         `--- `p` is given away here
#>  10 | jit g(v) = v + p
#>     |     |
#>     |     `-- `g` reads `p`
#>     |
#>     | Help: bind `p` anew before the call, or give `copy(p)`
#> ----'
