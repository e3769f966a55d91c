# jax: p = jnp.ones((512, 512), jnp.int32)
# jax: f = jax.jit(lambda p: p - p, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p - p
p = ones([512, 512], i32)
out = f(p)
assert live() == (1, 1048576)
