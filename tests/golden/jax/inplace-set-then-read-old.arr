# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: (p.at[0].set(7.0), p.sum()), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [2, 1048580]
jit f(donate p) {
    old = p
    p[0] = 7.0
    (p, sum(old))
}
p = ones([512, 512])
out = f(p)
assert live() == (2, 1048580)
