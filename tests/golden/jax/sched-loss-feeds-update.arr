# jax: p = jnp.ones((512, 512))
# jax: def step(p):
# jax:     l = (p * p).sum()
# jax:     return p - 0.1 * l * p, l
# jax: f = jax.jit(step, donate_argnums=0)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [2, 1048580]
jit f(donate p) {
    l = sum(p * p)
    (p - 0.1 * l * p, l)
}
p = ones([512, 512])
out = f(p)
assert live() == (2, 1048580)
