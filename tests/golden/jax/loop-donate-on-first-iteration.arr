# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: for i in range(3):
# jax:     if i == 0:
# jax:         out = f(p)
# jax:     else:
# jax:         out = p * 2.0
# JAX: use-after-donate error (in call phase); ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
for i in 0..3 { if i == 0 { out = f(p) } else { out = p * 2.0 } }
#> [E0302] Error: the next round would give `p` away again
#>     ,-[ tests/golden/jax/loop-donate-on-first-iteration.arr:11:37 ]
#>     |
#>  11 | for i in 0..3 { if i == 0 { out = f(p) } else { out = p * 2.0 } }
#>     |                 ^^^^|^^^^           |
#>     |                     |               `-- given away here, in every round
#>     |                     |
#>     |                     `------------------ in this loop
#>     |
#>     | Help: bind the result to the name: `p = ...`, or give a copy: `copy(p)`
#> ----'
#> [E0303] Error: `p` may have been given away
#>     ,-[ tests/golden/jax/loop-donate-on-first-iteration.arr:11:55 ]
#>     |
#>  11 | for i in 0..3 { if i == 0 { out = f(p) } else { out = p * 2.0 } }
#>     |                 ^^^^|^^^^         ^^|^                ^^^|^^^
#>     |                     |               |                    `----- used here, whichever path was taken
#>     |                     |               |
#>     |                     |               `-------------------------- `p` is given away here
#>     |                     |
#>     |                     `------------------------------------------ on one path through this
#>     |
#>     | Help: bind `p` anew on that path, or give `copy(p)` there
#> ----'
