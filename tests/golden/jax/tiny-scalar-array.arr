# jax: p = jnp.float32(3.0)
# jax: f = jax.jit(lambda p: p * 2.0, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 4] -> [1, 4]
jit f(donate p) = p * 2.0
p = f32(3.0)
out = f(p)
assert live() == (1, 4)
