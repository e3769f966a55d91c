# jax: p = jnp.ones((512, 512))
# jax: f = jax.jit(lambda p: p.astype(jnp.bfloat16), donate_argnums=(0,))
# jax: args = (p,)
# jax: out = f(*args)
# jax: print('p deleted', p.is_deleted()); print(float(p[0, 0]))
# JAX: refused(dtype) SILENT; ledger [1, 1048576] -> [2, 1572864]
jit f(donate p) = bf16(p)
p = ones([512, 512])
out = f(p)
print(p[0, 0])
#> [E0312] Error: `f` cannot take over `p`: dtype: f32[512, 512] against bf16[512, 512]: the elements have another width
#>    ,-[ tests/golden/jax/refused-silent-then-reuse.arr:7:7 ]
#>    |
#>  7 | jit f(donate p) = bf16(p)
#>    |       ^^^^|^^^
#>    |           `----- donated here
#>    |
#>  9 | out = f(p)
#>    |       ^^|^
#>    |         `--- in this call
#>    |
#>    | Help: write `jit f(p)`, or return elements of its width
#>    |
#>    | Note: 1 MiB is not 512 KiB
#> ---'
#> [E0301] Error: `p` is used after it was given away
#>     ,-[ tests/golden/jax/refused-silent-then-reuse.arr:10:7 ]
#>     |
#>  10 | print(p[0, 0])
#>     |       ^^^|^^^
#>     |          `----- used here
#>     |
#>     |-[ tests/golden/jax/refused-silent-then-reuse.arr:10:7 ]
#>     |
#>   9 | out = f(p)
#>     |       ^^|^
#>     |         `--- `p` is given away here
#>     |
#>     | Help: use the result of the call instead, or give a copy: `copy(p)`
#> ----'
