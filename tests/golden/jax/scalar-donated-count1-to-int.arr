# jax: c = jnp.float32(3.5)
# jax: f = jax.jit(lambda c: c.astype(jnp.int32), donate_argnums=0)
# jax: args = (c,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 4] -> [1, 4]
jit f(donate c) = i32(c)
c = f32(3.5)
out = f(c)
assert live() == (1, 4)
