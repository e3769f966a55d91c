# jax: p = jnp.ones((512, 512))
# jax: def step(p):
# jax:     return lax.scan(lambda c, _: (c * 0.99, None), p, None, length=10)[0]
# jax: f = jax.jit(step, donate_argnums=0)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) {
    for i in 0..10 { p = p * 0.99 }
    p
}
p = ones([512, 512])
out = f(p)
assert live() == (1, 1048576)
