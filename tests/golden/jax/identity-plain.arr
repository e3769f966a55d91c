# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p)
# jax: args = (p,)
# jax: out = f(*args)
# JAX: no donation; ledger [1, 1048576] -> [2, 2097152]
# arr differs on purpose: a returned argument is the argument's own buffer: one buffer is counted once.
jit f(p) = p
p = ones([512, 512])
out = f(p)
assert live() == (1, 1048576)
