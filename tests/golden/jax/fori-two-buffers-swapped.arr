# jax: p = jnp.ones((512, 512)); q = jnp.full((512, 512), 2.0)
# jax: f = jax.jit(lambda p, q: lax.fori_loop(0, 10, lambda i, c: (c[1], c[0]), (p, q)), donate_argnums=(0, 1))
# jax: args = (p, q)
# jax: out = f(*args)
# JAX: accepted; accepted; ledger [2, 2097152] -> [2, 2097152]
jit f(donate p, donate q) {
    for i in 0..10 { p, q = q, p }
    (p, q)
}
p = ones([512, 512])
q = full([512, 512], 2.0)
out = f(p, q)
assert live() == (2, 2097152)
