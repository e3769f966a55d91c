# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: no donation; ledger [1, 1048576] -> [2, 2097152]
jit f(p) = p * 0.99
p = ones([512, 512])
out = f(p)
assert live() == (2, 2097152)
