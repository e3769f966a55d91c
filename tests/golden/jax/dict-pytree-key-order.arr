# jax: p = {'b': jnp.ones((512, 512)), 'a': jnp.full((512, 512), 2.0)}
# jax: f = jax.jit(lambda p: (p['b'] * 2.0, p['a'] * 3.0), donate_argnums=0)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; accepted; ledger [2, 2097152] -> [2, 2097152]
jit f(donate p) = (p.b * 2.0, p.a * 3.0)
p = {b: ones([512, 512]), a: full([512, 512], 2.0)}
out = f(p)
assert live() == (2, 2097152)
