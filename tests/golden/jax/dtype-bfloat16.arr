# jax: p = jnp.ones((1024, 1024), jnp.bfloat16)
# jax: f = jax.jit(lambda p: p + p, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 2097152] -> [1, 2097152]
jit f(donate p) = p + p
p = ones([1024, 1024], bf16)
out = f(p)
assert live() == (1, 2097152)
