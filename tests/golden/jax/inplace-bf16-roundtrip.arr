# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p.astype(jnp.bfloat16).astype(jnp.float32), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = f32(bf16(p))
p = ones([512, 512])
out = f(p)
assert live() == (1, 1048576)
