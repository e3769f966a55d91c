# jax: p = jnp.full((4,), 7, jnp.int32)
# jax: f = jax.jit(lambda p: p // (p - 7), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: print(out)
# JAX: accepted; ledger [1, 16] -> [1, 16]
# arr differs on purpose: accepted before running alike, but an integer division by zero is a fault while running (R0001), where JAX gives -1.
jit f(donate p) = p // (p - 7)
p = full([4], 7, i32)
out = f(p)
#> [R0001] Error: integer division by zero
#>    ,-[ tests/golden/jax/int32-divide-by-zero.arr:8:19 ]
#>    |
#>  8 | jit f(donate p) = p // (p - 7)
#>    |                   ^^^^^^|^^^^^
#>    |                         `------- stopped here
#>    |
#>    | Help: test the divisor first, as in `where(d == 0, 1, d)`
#> ---'
