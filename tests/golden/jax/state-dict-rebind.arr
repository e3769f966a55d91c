# jax: state = {'p': jnp.ones((512, 512))}
# jax: f = jax.jit(lambda p: p * 0.99, donate_argnums=0)
# jax: state['p'] = f(state['p'])
# jax: out = state['p']
# JAX: runs clean; ledger [1, 1048576] -> [1, 1048576]
jit f(donate p) = p * 0.99
state = {p: ones([512, 512])}
state.p = f(state.p)
out = state.p
assert live() == (1, 1048576)
