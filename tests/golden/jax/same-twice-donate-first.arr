# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p, q: p + q, donate_argnums=0)
# jax: args = (p, p)
# jax: out = f(*args)
# JAX: error at call; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p, q) = p + q
p = ones([512, 512])
out = f(p, p)
#> [E0304] Error: this call of `f` gives `p` away and gets it a second time
#>    ,-[ tests/golden/jax/same-twice-donate-first.arr:8:9 ]
#>    |
#>  8 | out = f(p, p)
#>    |       ^^||^|^
#>    |         `------ given as `p`
#>    |          | |
#>    |          | `--- the same array as `q`
#>    |          |
#>    |          `----- in this call
#>    |
#>    | Help: pass a copy: `copy(p)`
#> ---'
