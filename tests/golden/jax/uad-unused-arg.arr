# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: print(float(jax.jit(lambda a, b: a * 2.0)(out, p)[0, 0]))
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
# arr differs on purpose: an argument is passed, whether the function reads it or not.
jit f(donate p) = p * 0.99
p = ones([512, 512])
out = f(p)
jit g(a, b) = a * 2.0
print(g(out, p)[0, 0])
#> [E0301] Error: `p` is used after it was given away
#>     ,-[ tests/golden/jax/uad-unused-arg.arr:12:14 ]
#>     |
#>  12 | print(g(out, p)[0, 0])
#>     |              |
#>     |              `-- used here
#>     |
#>     |-[ tests/golden/jax/uad-unused-arg.arr:12:14 ]
#>     |
#>  10 | out = f(p)
#>     |       ^^|^
#>     |         `--- `p` is given away here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(p)`
#> ----'
