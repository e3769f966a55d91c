jit u(donate p) = p
u(1.5)
#> [E0307] Error: `p` cannot be donated: a host value has no buffer
#>    ,-[ tests/golden/donate/refuse/host-value.arr:2:1 ]
#>    |
#>  2 | u(1.5)
#>    | ^^^|^^
#>    |    `---- the argument
#>    |
#>    |-[ tests/golden/donate/refuse/host-value.arr:2:1 ]
#>    |
#>  1 | jit u(donate p) = p
#>    |       ^^^^|^^^
#>    |           `----- declared `donate` here
#>    |
#>    | Help: drop `donate` from `p`, or pass an array
#> ---'
