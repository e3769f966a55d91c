# jax: p = jnp.ones((512, 512))
# jax: inner = jax.jit(lambda v: v * 0.99, donate_argnums=0)
# jax: f = jax.jit(lambda p: inner(p) + 1.0)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: no donation; ledger [1, 1048576] -> [2, 2097152]
# arr differs on purpose: a donation inside another `jit` counts: `f` gives on what it only borrows.
p = ones([512, 512])
jit inner(donate v) = v * 0.99
jit f(p) = inner(p) + 1.0
out = f(p)
#> [E0305] Error: `p` is only borrowed here and cannot be given to `inner`
#>     ,-[ tests/golden/jax/nested-inner-donates.arr:10:18 ]
#>     |
#>  10 | jit f(p) = inner(p) + 1.0
#>     |       |          |
#>     |       |          `-- given away here
#>     |       |
#>     |       `------------- a borrowed parameter
#>  11 | out = f(p)
#>     |       ^^|^
#>     |         `--- in this call of `f`
#>     |
#>     | Help: write `jit f(donate p)`, or give `copy(p)`
#> ----'
