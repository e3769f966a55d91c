# jax: p = {'b': jnp.ones((512, 512)), 'a': jnp.full((512, 512), 2.0)}
# jax: f = jax.jit(lambda p: {k: v * 2.0 for k, v in p.items()}, donate_argnums=0)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; accepted; ledger [2, 2097152] -> [2, 2097152]
jit f(donate p) = {b: p.b * 2.0, a: p.a * 2.0}
p = {b: ones([512, 512]), a: full([512, 512], 2.0)}
out = f(p)
assert live() == (2, 2097152)
