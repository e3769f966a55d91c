jit f(donate p, donate q) = p + q
f(ones([2]), ones([2]))
#> [E0313] Error: `f` cannot take over `q`: no output left: `p` and `q` contend for f32[2]
#>    ,-[ tests/golden/donate/refuse/no-output-left.arr:1:17 ]
#>    |
#>  1 | jit f(donate p, donate q) = p + q
#>    |                 ^^^^|^^^
#>    |                     `----- donated here
#>  2 | f(ones([2]), ones([2]))
#>    | ^^^^^^^^^^^|^^^^^^^^^^^
#>    |            `------------- in this call
#>    |
#>    |-[ tests/golden/donate/refuse/no-output-left.arr:1:17 ]
#>    |
#>  1 | jit f(donate p, donate q) = p + q
#>    |       ^^^^|^^^
#>    |           `----- `p` has as many bytes
#>    |
#>    | Help: write `jit f(donate p, q)`, or return another array of its size
#>    |
#>    | Note: 2 donated arrays of 8 B, and 1 output of that size
#> ---'
