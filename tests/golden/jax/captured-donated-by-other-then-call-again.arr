# jax: p = jnp.ones((512, 512))
# jax: c = jnp.full((512, 512), 7.0)
# jax: h = jax.jit(lambda v: v + c)
# jax: h(p)
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: args = (c,)
# jax: out = f(*args)
# jax: print('c deleted', c.is_deleted()); print('captured call still runs:', float(h(p)[0, 0]))
# JAX: accepted; ledger [3, 3145728] -> [2, 2097152]
# arr differs on purpose: what a program means does not depend on what is cached: `h` reads `c`, which was given away.
p = ones([512, 512])
c = full([512, 512], 7.0)
jit h(v) = v + c
h(p)
jit f(donate p) = p * 0.99
out = f(c)
print(h(p)[0, 0])
#> [E0306] Error: `h` captures `c`, which was given away
#>     ,-[ tests/golden/jax/captured-donated-by-other-then-call-again.arr:17:7 ]
#>     |
#>  17 | print(h(p)[0, 0])
#>     |       ^^|^
#>     |         `--- called here
#>     |
#>     |-[ tests/golden/jax/captured-donated-by-other-then-call-again.arr:17:7 ]
#>     |
#>  16 | out = f(c)
#>     |       ^^|^
#>     |         `--- `c` is given away here
#>     |
#>     |-[ tests/golden/jax/captured-donated-by-other-then-call-again.arr:17:7 ]
#>     |
#>  13 | jit h(v) = v + c
#>     |     |
#>     |     `-- `h` reads `c`
#>     |
#>     | Help: bind `c` anew before the call, or give `copy(c)`
#> ----'
