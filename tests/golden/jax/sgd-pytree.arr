# jax: params = {'w': jnp.ones((512, 512)), 'b': jnp.ones((512,))}
# jax: grads = {'w': jnp.full((512, 512), 0.1), 'b': jnp.full((512,), 0.1)}
# jax: f = jax.jit(lambda p, g: jax.tree.map(lambda a, b: a - 0.1 * b, p, g), donate_argnums=0)
# jax: args = (params, grads)
# jax: out = f(*args)
# JAX: accepted; accepted; ledger [4, 2101248] -> [4, 2101248]
jit f(donate p, g) = {w: p.w - 0.1 * g.w, b: p.b - 0.1 * g.b}
params = {w: ones([512, 512]), b: ones([512])}
grads = {w: full([512, 512], 0.1), b: full([512], 0.1)}
out = f(params, grads)
assert live() == (4, 2101248)
