# jax: p = jnp.ones((512, 512))
# jax: def step(p):
# jax:     q = lax.scan(lambda c, _: (c * 0.99, None), p, None, length=10)[0]
# jax:     return q + p
# jax: f = jax.jit(step, donate_argnums=0)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) {
    q = p
    for i in 0..10 { q = q * 0.99 }
    q + p
}
p = ones([512, 512])
out = f(p)
assert live() == (1, 1048576)
