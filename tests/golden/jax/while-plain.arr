# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: lax.while_loop(lambda c: c[0, 0] > 0.5, lambda c: c * 0.9, p))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: no donation; ledger [1, 1048576] -> [2, 2097152]
jit f(p) {
    while p[0, 0] > 0.5 { p = p * 0.9 }
    p
}
p = ones([512, 512])
out = f(p)
assert live() == (2, 2097152)
