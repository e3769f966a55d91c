# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p, q: p * 2.0, donate_argnums=0)
# jax: args = (p, p)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
# arr differs on purpose: an argument is passed, whether the function reads it or not: one call is given a buffer once.
jit f(donate p, q) = p * 2.0
p = ones([512, 512])
out = f(p, p)
#> [E0304] Error: this call of `f` gives `p` away and gets it a second time
#>    ,-[ tests/golden/jax/same-twice-other-unused.arr:9:9 ]
#>    |
#>  9 | out = f(p, p)
#>    |       ^^||^|^
#>    |         `------ given as `p`
#>    |          | |
#>    |          | `--- the same array as `q`
#>    |          |
#>    |          `----- in this call
#>    |
#>    | Help: pass a copy: `copy(p)`
#> ---'
