# jax: params = {'w': jnp.ones((512, 512)), 'b': jnp.ones((512,))}
# jax: grads = {'w': jnp.full((512, 512), 0.1), 'b': jnp.full((512,), 0.1)}
# jax: mom = jax.tree.map(jnp.zeros_like, params)
# jax: def step(p, m, g):
# jax:     m = jax.tree.map(lambda a, b: 0.9 * a + b, m, g)
# jax:     return jax.tree.map(lambda a, b: a - 0.1 * b, p, m), m
# jax: f = jax.jit(step, donate_argnums=(0, 1))
# jax: args = (params, mom, grads)
# jax: out = f(*args)
# JAX: accepted; accepted; accepted; accepted; ledger [6, 3151872] -> [6, 3151872]
jit f(donate p, donate m, g) {
    m = {w: 0.9 * m.w + g.w, b: 0.9 * m.b + g.b}
    p = {w: p.w - 0.1 * m.w, b: p.b - 0.1 * m.b}
    (p, m)
}
params = {w: ones([512, 512]), b: ones([512])}
grads = {w: full([512, 512], 0.1), b: full([512], 0.1)}
mom = {w: zeros_like(params.w), b: zeros_like(params.b)}
out = f(params, mom, grads)
assert live() == (6, 3151872)
