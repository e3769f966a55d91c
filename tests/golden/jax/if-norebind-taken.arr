# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: flag = True
# jax: if flag:
# jax:     q = f(p)
# jax: out = p * 2.0
# JAX: use-after-donate error (in call phase); ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
flag = true
if flag { q = f(p) }
out = p * 2.0
#> [E0303] Error: `p` may have been given away
#>     ,-[ tests/golden/jax/if-norebind-taken.arr:12:7 ]
#>     |
#>  12 | out = p * 2.0
#>     |       ^^^|^^^
#>     |          `----- used here, whichever path was taken
#>     |
#>     |-[ tests/golden/jax/if-norebind-taken.arr:12:7 ]
#>     |
#>  11 | if flag { q = f(p) }
#>     | ^^^|^^^       ^^|^
#>     |    |            `--- `p` is given away here
#>     |    |
#>     |    `---------------- on one path through this
#>     |
#>     | Help: bind `p` anew on that path, or give `copy(p)` there
#> ----'
