# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: f = jax.jit(lambda p, q: q * 2.0, donate_argnums=(0,))
# jax: args = (p, q,)
# jax: out = f(*args)
# jax: print('p deleted', p.is_deleted()); print(float(p[0, 0]))
# JAX: ignored(unused param dropped); ledger [2, 2097152] -> [3, 3145728]
jit f(donate p, q) = q * 2.0
p = ones([512, 512])
q = full([512, 512], 2.0)
out = f(p, q)
print(p[0, 0])
#> [E0301] Error: `p` is used after it was given away
#>     ,-[ tests/golden/jax/dropped-then-reuse.arr:11:7 ]
#>     |
#>  11 | print(p[0, 0])
#>     |       ^^^|^^^
#>     |          `----- used here
#>     |
#>     |-[ tests/golden/jax/dropped-then-reuse.arr:11:7 ]
#>     |
#>  10 | out = f(p, q)
#>     |       ^^^|^^^
#>     |          `----- `p` is given away here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(p)`
#> ----'
