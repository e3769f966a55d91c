# jax: p = jnp.ones((4,))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 16] -> [1, 16]
jit f(donate p) = p * 0.99
p = ones([4])
out = f(p)
assert live() == (1, 16)
