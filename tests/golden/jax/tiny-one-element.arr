# jax: p = jnp.ones((1,))
# jax: f = jax.jit(lambda p: p * 2.0, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 4] -> [1, 4]
jit f(donate p) = p * 2.0
p = ones([1])
out = f(p)
assert live() == (1, 4)
