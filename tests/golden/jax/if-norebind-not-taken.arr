# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: flag = False
# jax: if flag:
# jax:     q = f(p)
# jax: out = p * 2.0
# JAX: runs clean; ledger [1, 1048576] -> [2, 2097152]
# arr differs on purpose: every path is judged: a program does not pass or fail by the data of the day.
jit f(donate p) = p * 0.99
p = ones([512, 512])
flag = false
if flag { q = f(p) }
out = p * 2.0
#> [E0303] Error: `p` may have been given away
#>     ,-[ tests/golden/jax/if-norebind-not-taken.arr:13:7 ]
#>     |
#>  13 | out = p * 2.0
#>     |       ^^^|^^^
#>     |          `----- used here, whichever path was taken
#>     |
#>     |-[ tests/golden/jax/if-norebind-not-taken.arr:13:7 ]
#>     |
#>  12 | if flag { q = f(p) }
#>     | ^^^|^^^       ^^|^
#>     |    |            `--- `p` is given away here
#>     |    |
#>     |    `---------------- on one path through this
#>     |
#>     | Help: bind `p` anew on that path, or give `copy(p)` there
#> ----'
