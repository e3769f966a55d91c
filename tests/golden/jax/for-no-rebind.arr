# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: for _ in range(2):
# jax:     out = f(p)
# JAX: use-after-donate error (in call phase); ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
for i in 0..2 { out = f(p) }
#> [E0302] Error: the next round would give `p` away again
#>    ,-[ tests/golden/jax/for-no-rebind.arr:8:25 ]
#>    |
#>  8 | for i in 0..2 { out = f(p) }
#>    | ^^^^^^|^^^^^^           |
#>    |       |                 `-- given away here, in every round
#>    |       |
#>    |       `-------------------- in this loop
#>    |
#>    | Help: bind the result to the name: `p = ...`, or give a copy: `copy(p)`
#> ---'
