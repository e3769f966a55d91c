# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: (p + 1.0).reshape(8, 64, 8, 64), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = reshape(p + 1.0, [8, 64, 8, 64])
p = ones([512, 512])
out = f(p)
assert live() == (1, 1048576)
