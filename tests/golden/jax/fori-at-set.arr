# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: lax.fori_loop(0, 512, lambda i, c: c.at[i, i].set(0.0), p), donate_argnums=0)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) {
    for i in 0..512 { p[i, i] = 0.0 }
    p
}
p = ones([512, 512])
out = f(p)
assert live() == (1, 1048576)
