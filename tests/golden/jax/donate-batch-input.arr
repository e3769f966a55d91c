# jax: x = jnp.ones((256, 784)); w = jnp.ones((784, 512))
# jax: f = jax.jit(lambda x, w: x @ w, donate_argnums=0)
# jax: args = (x, w)
# jax: out = f(*args)
# JAX: refused(shape); ledger [2, 2408448] -> [3, 2932736]
jit f(donate x, w) = x @ w
x = ones([256, 784])
w = ones([784, 512])
out = f(x, w)
#> [E0311] Error: `f` cannot take over `x`: shape: f32[256, 784] against f32[256, 512]
#>    ,-[ tests/golden/jax/donate-batch-input.arr:6:7 ]
#>    |
#>  6 | jit f(donate x, w) = x @ w
#>    |       ^^^^|^^^
#>    |           `----- donated here
#>    |
#>  9 | out = f(x, w)
#>    |       ^^^|^^^
#>    |          `----- in this call
#>    |
#>    | Help: write `jit f(x, w)`, or return an array of its size
#>    |
#>    | Note: 784 KiB is not 512 KiB
#> ---'
