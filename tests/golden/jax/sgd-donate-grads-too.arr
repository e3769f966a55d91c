# jax: params = {'w': jnp.ones((512, 512)), 'b': jnp.ones((512,))}
# jax: grads = {'w': jnp.full((512, 512), 0.1), 'b': jnp.full((512,), 0.1)}
# jax: f = jax.jit(lambda p, g: jax.tree.map(lambda a, b: a - 0.1 * b, p, g), donate_argnums=(0, 1))
# jax: args = (params, grads)
# jax: out = f(*args)
# JAX: accepted; accepted; refused(no output left); refused(no output left); ledger [4, 2101248] -> [4, 2101248]
jit f(donate p, donate g) = {w: p.w - 0.1 * g.w, b: p.b - 0.1 * g.b}
params = {w: ones([512, 512]), b: ones([512])}
grads = {w: full([512, 512], 0.1), b: full([512], 0.1)}
out = f(params, grads)
#> [E0313] Error: `f` cannot take over `g.w`: no output left: `p.w` and `g.w` contend for f32[512, 512] and f32[512]
#>     ,-[ tests/golden/jax/sgd-donate-grads-too.arr:7:17 ]
#>     |
#>   7 | jit f(donate p, donate g) = {w: p.w - 0.1 * g.w, b: p.b - 0.1 * g.b}
#>     |                 ^^^^|^^^
#>     |                     `----- donated here
#>     |
#>  10 | out = f(params, grads)
#>     |       ^^^^^^^^|^^^^^^^
#>     |               `--------- in this call
#>     |
#>     |-[ tests/golden/jax/sgd-donate-grads-too.arr:7:17 ]
#>     |
#>   7 | jit f(donate p, donate g) = {w: p.w - 0.1 * g.w, b: p.b - 0.1 * g.b}
#>     |       ^^^^|^^^
#>     |           `----- `p.w` has as many bytes
#>     |
#>     | Help: write `jit f(donate p, g)`, or return another array of its size
#>     |
#>     | Note: 2 donated arrays of 1 MiB, and 1 output of that size
#> ----'
