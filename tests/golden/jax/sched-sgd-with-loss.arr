# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: x = jnp.ones((8, 512))
# jax: def step(w, g, x):
# jax:     return w - 0.1 * g, (x @ w).sum()
# jax: f = jax.jit(step, donate_argnums=0)
# jax: args = (p, q, x)
# jax: out = f(*args)
# JAX: accepted; ledger [3, 2113536] -> [4, 2113540]
jit f(donate w, g, x) = (w - 0.1 * g, sum(x @ w))
p = ones([512, 512])
q = full([512, 512], 2.0)
x = ones([8, 512])
out = f(p, q, x)
assert live() == (4, 2113540)
