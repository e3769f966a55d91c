# jax: p = jnp.full((4,), 2147483647, jnp.int32)
# jax: f = jax.jit(lambda p: p + 1, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: print(out)
# JAX: accepted; ledger [1, 16] -> [1, 16]
jit f(donate p) = p + 1
p = full([4], 2147483647, i32)
out = f(p)
print(out)
#> [-2147483648 -2147483648 -2147483648 -2147483648]
assert live() == (1, 16)
