# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda i, p: lax.switch(i, [lambda v: v * 2.0, lambda v: -v, lambda v: v], p), donate_argnums=1)
# jax: args = (jnp.int32(1), p)
# jax: out = f(*args)
# JAX: accepted; ledger [2, 1048580] -> [2, 1048580]
jit f(i, donate p) = if i == 0 { p * 2.0 } else { if i == 1 { -p } else { p } }
p = ones([512, 512])
i = i32(1)
out = f(i, p)
assert live() == (2, 1048580)
