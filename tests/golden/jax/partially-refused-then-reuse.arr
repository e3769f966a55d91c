# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: f = jax.jit(lambda p, q: p + q, donate_argnums=(0, 1,))
# jax: args = (p, q,)
# jax: out = f(*args)
# jax: print('p', p.is_deleted(), 'q', q.is_deleted()); print(float(q[0, 0])); print(float(p[0, 0]))
# JAX: accepted; refused(no output left); use-after-donate error; ledger [2, 2097152] -> [2, 2097152]
jit f(donate p, donate q) = p + q
p = ones([512, 512])
q = full([512, 512], 2.0)
out = f(p, q)
print(q[0, 0], p[0, 0])
#> [E0313] Error: `f` cannot take over `q`: no output left: `p` and `q` contend for f32[512, 512]
#>     ,-[ tests/golden/jax/partially-refused-then-reuse.arr:7:17 ]
#>     |
#>   7 | jit f(donate p, donate q) = p + q
#>     |                 ^^^^|^^^
#>     |                     `----- donated here
#>     |
#>  10 | out = f(p, q)
#>     |       ^^^|^^^
#>     |          `----- in this call
#>     |
#>     |-[ tests/golden/jax/partially-refused-then-reuse.arr:7:17 ]
#>     |
#>   7 | jit f(donate p, donate q) = p + q
#>     |       ^^^^|^^^
#>     |           `----- `p` has as many bytes
#>     |
#>     | Help: write `jit f(donate p, q)`, or return another array of its size
#>     |
#>     | Note: 2 donated arrays of 1 MiB, and 1 output of that size
#> ----'
#> [E0301] Error: `q` is used after it was given away
#>     ,-[ tests/golden/jax/partially-refused-then-reuse.arr:11:7 ]
#>     |
#>  11 | print(q[0, 0], p[0, 0])
#>     |       ^^^|^^^
#>     |          `----- used here
#>     |
#>     |-[ tests/golden/jax/partially-refused-then-reuse.arr:11:7 ]
#>     |
#>  10 | out = f(p, q)
#>     |       ^^^|^^^
#>     |          `----- `q` is given away here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(q)`
#> ----'
#> [E0301] Error: `p` is used after it was given away
#>     ,-[ tests/golden/jax/partially-refused-then-reuse.arr:11:16 ]
#>     |
#>  11 | print(q[0, 0], p[0, 0])
#>     |                ^^^|^^^
#>     |                   `----- used here
#>     |
#>     |-[ tests/golden/jax/partially-refused-then-reuse.arr:11:16 ]
#>     |
#>  10 | out = f(p, q)
#>     |       ^^^|^^^
#>     |          `----- `p` is given away here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(p)`
#> ----'
