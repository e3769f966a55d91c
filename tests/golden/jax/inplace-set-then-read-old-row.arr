# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: (p.at[0].set(7.0), p[0]), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: accepted; ledger [1, 1048576] -> [2, 1050624]
jit f(donate p) {
    old = p
    p[0] = 7.0
    (p, old[0])
}
p = ones([512, 512])
out = f(p)
assert live() == (2, 1050624)
