# jax: p = jnp.ones((512, 512))
# jax: inner = jax.jit(lambda v: v * 0.99, donate_argnums=0)
# jax: out = lax.cond(True, inner, lambda v: v, p)
# jax: print('p deleted', p.is_deleted())
# JAX: no donation takes place; ledger [1, 1048576] -> [2, 2097152]
# arr differs on purpose: a donation in a branch counts.
jit inner(donate v) = v * 0.99
p = ones([512, 512])
out = if true { inner(p) } else { p }
assert live() == (1, 1048576)
