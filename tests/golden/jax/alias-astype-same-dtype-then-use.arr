# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: y = p.astype(jnp.float32)
# jax: out = f(*args)
# jax: print(y is p, y.is_deleted()); print(float(y[0, 0]))
# JAX: accepted; use-after-donate error; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
y = f32(p)
out = f(p)
print(y[0, 0])
#> [E0301] Error: `y` is used after it was given away
#>     ,-[ tests/golden/jax/alias-astype-same-dtype-then-use.arr:12:7 ]
#>     |
#>  12 | print(y[0, 0])
#>     |       ^^^|^^^
#>     |          `----- used here
#>     |
#>     |-[ tests/golden/jax/alias-astype-same-dtype-then-use.arr:12:7 ]
#>     |
#>  11 | out = f(p)
#>     |       ^^|^
#>     |         `--- `p` is given away here, and `y` may be the same array
#>     |
#>     |-[ tests/golden/jax/alias-astype-same-dtype-then-use.arr:12:7 ]
#>     |
#>  10 | y = f32(p)
#>     | ^^^^^|^^^^
#>     |      `------ `y` is bound here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(y)`
#> ----'
