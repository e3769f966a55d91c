# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: y = jax.jit(lambda v: v)(p)
# jax: out = f(*args)
# jax: print(y is p, y.is_deleted()); print(float(y[0, 0]))
# JAX: accepted; ledger [2, 2097152] -> [2, 2097152]
# arr differs on purpose: a returned argument is the argument's own buffer, so that `y` is gone with `p`.
jit same(v) = v
jit f(donate p) = p * 0.99
p = ones([512, 512])
y = same(p)
out = f(p)
print(y[0, 0])
#> [E0301] Error: `y` is used after it was given away
#>     ,-[ tests/golden/jax/alias-identity-jit-then-use.arr:14:7 ]
#>     |
#>  14 | print(y[0, 0])
#>     |       ^^^|^^^
#>     |          `----- used here
#>     |
#>     |-[ tests/golden/jax/alias-identity-jit-then-use.arr:14:7 ]
#>     |
#>  13 | out = f(p)
#>     |       ^^|^
#>     |         `--- `p` is given away here, and `y` may be the same array
#>     |
#>     |-[ tests/golden/jax/alias-identity-jit-then-use.arr:14:7 ]
#>     |
#>  12 | y = same(p)
#>     | ^^^^^|^^^^^
#>     |      `------- `y` is bound here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(y)`
#> ----'
