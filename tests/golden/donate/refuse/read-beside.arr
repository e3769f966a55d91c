jit u(donate p) = p * 0.99
p = ones([4])
q = p + u(p)
#> [E0301] Error: `p` is used after it was given away
#>    ,-[ tests/golden/donate/refuse/read-beside.arr:3:5 ]
#>    |
#>  3 | q = p + u(p)
#>    |     ^^^^|^|^
#>    |         `----- used here
#>    |           |
#>    |           `--- `p` is given away here
#>    |
#>    | Help: use the result of the call instead, or give a copy: `copy(p)`
#> ---'
