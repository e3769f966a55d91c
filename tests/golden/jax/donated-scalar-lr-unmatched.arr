# jax: p = jnp.ones((512, 512))
# jax: lr = jnp.float32(0.1)
# jax: f = jax.jit(lambda p, lr: p - lr * p, donate_argnums=(0, 1))
# jax: args = (p, lr)
# jax: out = f(*args)
# JAX: accepted; refused(shape); ledger [2, 1048580] -> [2, 1048580]
jit f(donate p, donate lr) = p - lr * p
p = ones([512, 512])
lr = f32(0.1)
out = f(p, lr)
#> [E0311] Error: `f` cannot take over `lr`: shape: f32[] against f32[512, 512]
#>     ,-[ tests/golden/jax/donated-scalar-lr-unmatched.arr:7:17 ]
#>     |
#>   7 | jit f(donate p, donate lr) = p - lr * p
#>     |                 ^^^^|^^^^
#>     |                     `------ donated here
#>     |
#>  10 | out = f(p, lr)
#>     |       ^^^^|^^^
#>     |           `----- in this call
#>     |
#>     | Help: write `jit f(donate p, lr)`, or return an array of its size
#>     |
#>     | Note: 4 B is not 1 MiB
#> ----'
