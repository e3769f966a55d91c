# jax: p = jnp.ones((512, 512))
# jax: state = (p, 0)
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: p = f(p)
# jax: out = p
# jax: print(float(state[0][0, 0]))
# JAX: use-after-donate error; ledger [1, 1048576] -> [1, 1048576]
p = ones([512, 512])
state = (p, 0)
jit f(donate p) = p * 0.99
p = f(p)
out = p
print(state[0][0, 0])
#> [E0301] Error: `state[0]` is used after it was given away
#>     ,-[ tests/golden/jax/state-tuple-stale.arr:13:7 ]
#>     |
#>  13 | print(state[0][0, 0])
#>     |       ^^^^^^^|^^^^^^
#>     |              `-------- used here
#>     |
#>     |-[ tests/golden/jax/state-tuple-stale.arr:13:7 ]
#>     |
#>  11 | p = f(p)
#>     |     ^^|^
#>     |       `--- `p` is given away here, and `state[0]` may be the same array
#>     |
#>     |-[ tests/golden/jax/state-tuple-stale.arr:13:7 ]
#>     |
#>   9 | state = (p, 0)
#>     | ^^^^^^^|^^^^^^
#>     |        `-------- `state[0]` is bound here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(state[0])`
#> ----'
