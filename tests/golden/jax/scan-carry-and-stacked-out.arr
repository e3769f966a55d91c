# jax: p = jnp.ones((512, 512))
# jax: def step(p):
# jax:     return lax.scan(lambda c, _: (c * 0.99, c.sum()), p, None, length=10)
# jax: f = jax.jit(step, donate_argnums=0)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [2, 1048616]
jit f(donate p) {
    s = zeros([10])
    for i in 0..10 {
        s[i] = sum(p)
        p = p * 0.99
    }
    (p, s)
}
p = ones([512, 512])
out = f(p)
assert live() == (2, 1048616)
