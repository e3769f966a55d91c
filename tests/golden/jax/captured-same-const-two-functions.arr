# jax: p = jnp.ones((512, 512))
# jax: c = jnp.full((512, 512), 7.0)
# jax: g = jax.jit(lambda p: p * c)
# jax: g(p)
# jax: f = jax.jit(lambda p: p + c)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: no donation; ledger [3, 3145728] -> [4, 4194304]
p = ones([512, 512])
c = full([512, 512], 7.0)
jit g(p) = p * c
g(p)
jit f(p) = p + c
out = f(p)
assert live() == (4, 4194304)
