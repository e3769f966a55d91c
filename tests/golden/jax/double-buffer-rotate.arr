# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: f = jax.jit(lambda dst, src: src * 0.5, donate_argnums=0, keep_unused=True)
# jax: for _ in range(3):
# jax:     p, q = q, f(p, q)
# jax: out = (p, q)
# JAX: accepted (seen at run time); ledger [2, 2097152] -> [2, 2097152]
jit f(donate dst, src) = src * 0.5
p = ones([512, 512])
q = full([512, 512], 2.0)
for i in 0..3 {
    r = f(p, q)
    p = q
    q = r
    del r
}
out = (p, q)
assert live() == (2, 2097152)
