# jax: p = jnp.zeros((0, 4))
# jax: f = jax.jit(lambda p: p * 2.0, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 0] -> [1, 0]
jit f(donate p) = p * 2.0
p = zeros([0, 4])
out = f(p)
assert live() == (1, 0)
