# jax: p = jnp.ones((512, 512)); v = jnp.ones((3, 512))
# jax: f = jax.jit(lambda p: p[:3] * 1.0, donate_argnums=0)
# jax: args = (v,)
# jax: out = f(*args)
# jax: f(p); print('v', v.is_deleted(), 'p', p.is_deleted())
# JAX: accepted; ledger [2, 1054720] -> [2, 1054720]
# arr differs on purpose: JAX's verdict is that of the first call; the second one, of another shape, is refused in silence there and as an error here.
jit f(donate p) = p[:3] * 1.0
v = ones([3, 512])
out = f(v)
p = ones([512, 512])
f(p)
#> [E0311] Error: `f` cannot take over `p`: shape: f32[512, 512] against f32[3, 512]
#>     ,-[ tests/golden/jax/one-function-two-shapes.arr:8:7 ]
#>     |
#>   8 | jit f(donate p) = p[:3] * 1.0
#>     |       ^^^^|^^^
#>     |           `----- donated here
#>     |
#>  12 | f(p)
#>     | ^^|^
#>     |   `--- in this call
#>     |
#>     | Help: write `jit f(p)`, or return an array of its size
#>     |
#>     | Note: 1 MiB is not 6 KiB
#> ----'
