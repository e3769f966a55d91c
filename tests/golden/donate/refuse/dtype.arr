jit f(donate p: f32[n]) = bf16(p)
#> [E0312] Error: `f` cannot take over `p`: dtype: f32[n] against bf16[n]: the elements have another width
#>    ,-[ tests/golden/donate/refuse/dtype.arr:1:7 ]
#>    |
#>  1 | jit f(donate p: f32[n]) = bf16(p)
#>    |       ^^^^^^^^|^^^^^^^
#>    |               `--------- donated here
#>    |
#>    | Help: write `jit f(p)`, or return elements of its width
#>    |
#>    | Note: n = 2: 8 B is not 4 B
#> ---'
