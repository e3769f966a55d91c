# jax: p = jnp.ones((512, 512))
# jax: inner = jax.jit(lambda v: v * 0.99)
# jax: f = jax.jit(lambda p: inner(p) + 1.0, donate_argnums=0)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
p = ones([512, 512])
jit inner(v) = v * 0.99
jit f(donate p) = inner(p) + 1.0
out = f(p)
assert live() == (1, 1048576)
