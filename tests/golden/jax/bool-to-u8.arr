# jax: p = jnp.ones((512, 512), bool)
# jax: f = jax.jit(lambda p: p.astype(jnp.uint8), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 262144] -> [1, 262144]
jit f(donate p) = u8(p)
p = ones([512, 512], bool)
out = f(p)
assert live() == (1, 262144)
