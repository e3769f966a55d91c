# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: jnp.zeros_like(p), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# JAX: ignored(unused param dropped); ledger [1, 1048576] -> [2, 2097152]
# arr differs on purpose: a parameter of which only the type is used, or nothing, still gives its buffer.
jit f(donate p) = zeros_like(p)
p = ones([512, 512])
out = f(p)
assert live() == (1, 1048576)
