# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: y = p; print('ok')
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
# arr differs on purpose: a new name for what was given away is a use: nothing sensible can follow.
jit f(donate p) = p * 0.99
p = ones([512, 512])
out = f(p)
y = p
#> [E0301] Error: `p` is used after it was given away
#>     ,-[ tests/golden/jax/uad-assign-alias.arr:11:1 ]
#>     |
#>  11 | y = p
#>     | ^^|^^
#>     |   `---- used here
#>     |
#>     |-[ tests/golden/jax/uad-assign-alias.arr:11:1 ]
#>     |
#>  10 | out = f(p)
#>     |       ^^|^
#>     |         `--- `p` is given away here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(p)`
#> ----'
