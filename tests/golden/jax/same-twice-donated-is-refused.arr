# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p, q: (p + q).sum(), donate_argnums=0)
# jax: args = (p, p)
# jax: out = f(*args)
# JAX: refused(shape); ledger [1, 1048576] -> [2, 1048580]
jit f(donate p, q) = sum(p + q)
p = ones([512, 512])
out = f(p, p)
#> [E0304] Error: this call of `f` gives `p` away and gets it a second time
#>    ,-[ tests/golden/jax/same-twice-donated-is-refused.arr:8:9 ]
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
