# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: def step(v):
# jax:     return f(v)
# jax: out = step(p)
# jax: step(p)
# JAX: use-after-donate error; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
fn step(v) = f(v)
out = step(p)
step(p)
#> [E0305] Error: `v` is only borrowed here and cannot be given to `f`
#>     ,-[ tests/golden/jax/wrapper-function-hides-donation.arr:10:16 ]
#>     |
#>  10 | fn step(v) = f(v)
#>     |         |      |
#>     |         |      `-- given away here
#>     |         |
#>     |         `--------- a borrowed parameter
#>  11 | out = step(p)
#>     |       ^^^|^^^
#>     |          `----- in this call of `step`
#>     |
#>     | Help: write `fn step(donate v)`, or give `copy(v)`
#> ----'
