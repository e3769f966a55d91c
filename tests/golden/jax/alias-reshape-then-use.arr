# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: y = p.reshape(262144)
# jax: out = f(*args)
# jax: print(float(y[0]), y.is_deleted())
# JAX: accepted; ledger [2, 2097152] -> [2, 2097152]
# arr differs on purpose: a reshape costs nothing: it shares the buffer, and a reader of the old one is found; `copy(p)` makes one of its own.
jit f(donate p) = p * 0.99
p = ones([512, 512])
y = reshape(p, [262144])
out = f(p)
print(y[0])
#> [E0301] Error: `y` is used after it was given away
#>     ,-[ tests/golden/jax/alias-reshape-then-use.arr:13:7 ]
#>     |
#>  13 | print(y[0])
#>     |       ^^|^
#>     |         `--- used here
#>     |
#>     |-[ tests/golden/jax/alias-reshape-then-use.arr:13:7 ]
#>     |
#>  12 | out = f(p)
#>     |       ^^|^
#>     |         `--- `p` is given away here, and `y` may be the same array
#>     |
#>     |-[ tests/golden/jax/alias-reshape-then-use.arr:13:7 ]
#>     |
#>  11 | y = reshape(p, [262144])
#>     | ^^^^^^^^^^^^|^^^^^^^^^^^
#>     |             `------------- `y` is bound here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(y)`
#> ----'
