# jax: c = jnp.full((512, 512), 7.0)
# jax: f = jax.jit(lambda p: p + c, donate_argnums=0)
# jax: args = (c,)
# jax: out = f(*args)
# jax: print('c deleted', c.is_deleted())
# jax: d = jnp.ones((512, 512))
# jax: print('second call (compiled already):', float(f(d)[0, 0]))
# JAX: use-after-donate error; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p + c
c = full([512, 512], 7.0)
out = f(c)
#> [E0304] Error: `f` is given `p`, which it captures as well
#>     ,-[ tests/golden/jax/captured-then-donate-the-captured.arr:11:9 ]
#>     |
#>  11 | out = f(c)
#>     |         |
#>     |         `-- given away here
#>     |
#>     | Help: pass a copy, or make the captured array a parameter
#> ----'
