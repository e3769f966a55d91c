jit f(donate p) = sum(p, axis=0)
f(ones([2, 3]))
#> [E0311] Error: `f` cannot take over `p`: shape: f32[2, 3] against f32[3]
#>    ,-[ tests/golden/donate/refuse/shape.arr:1:7 ]
#>    |
#>  1 | jit f(donate p) = sum(p, axis=0)
#>    |       ^^^^|^^^
#>    |           `----- donated here
#>  2 | f(ones([2, 3]))
#>    | ^^^^^^^|^^^^^^^
#>    |        `--------- in this call
#>    |
#>    | Help: write `jit f(p)`, or return an array of its size
#>    |
#>    | Note: 24 B is not 12 B
#> ---'
