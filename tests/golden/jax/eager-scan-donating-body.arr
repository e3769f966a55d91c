# jax: p = jnp.ones((512, 512))
# jax: inner = jax.jit(lambda v: v * 0.99, donate_argnums=0)
# jax: out = lax.scan(lambda c, _: (inner(c), None), p, None, length=3)[0]
# jax: print('p deleted', p.is_deleted())
# JAX: no donation takes place; ledger [1, 1048576] -> [2, 2097152]
# arr differs on purpose: a donation in a loop counts.
jit inner(donate v) = v * 0.99
p = ones([512, 512])
c = p
for i in 0..3 { c = inner(c) }
out = c
del c
assert live() == (1, 1048576)
