# jax: p = jnp.ones((512, 512))
# jax: def step(xs):
# jax:     return lax.scan(lambda c, x: (c + x.sum(), x * 2.0), 0.0, xs)
# jax: f = jax.jit(step, donate_argnums=0)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [2, 1048580]
jit f(donate p) {
    c = f32(0.0)
    for i in 0..512 {
        c = c + sum(p[i])
        p[i] = p[i] * 2.0
    }
    (c, p)
}
p = ones([512, 512])
out = f(p)
assert live() == (2, 1048580)
