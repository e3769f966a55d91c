# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: print(jnp.zeros_like(p).shape)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
out = f(p)
print(zeros_like(p).shape, p.shape)
#> (512, 512) (512, 512)
assert live() == (1, 1048576)
