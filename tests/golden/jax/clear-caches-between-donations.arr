# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: jax.clear_caches(); out2 = f(out); print(out.is_deleted(), float(out2[0, 0]))
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
out = f(p)
clear_caches()
out = f(out)
assert live() == (1, 1048576)
