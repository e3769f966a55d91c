# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=(0,))
# jax: args = (p,)
# jax: _ = str(p)
# jax: out = f(*args)
# JAX: accepted; ledger [2, 2097152] -> [1, 1048576]
jit f(donate p) = p * 0.99
p = ones([512, 512])
print(p[0, 0])
#> 1.0
out = f(p)
assert live() == (1, 1048576)
