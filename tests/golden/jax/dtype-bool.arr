# jax: p = jnp.ones((1024, 1024), jnp.bool_)
# jax: f = jax.jit(lambda p: ~p, donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = ~p
p = ones([1024, 1024], bool)
out = f(p)
assert live() == (1, 1048576)
