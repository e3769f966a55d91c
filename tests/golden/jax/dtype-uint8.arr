# jax: p = jnp.ones((1024, 1024), jnp.uint8)
# jax: f = jax.jit(lambda p: p + p, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p + p
p = ones([1024, 1024], u8)
out = f(p)
assert live() == (1, 1048576)
