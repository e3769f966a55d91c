jit u(donate p) = p * 0.99
p = ones([4])
t = (p, 1)
p = u(p)
print(t[0])
#> [E0301] Error: `t[0]` is used after it was given away
#>    ,-[ tests/golden/donate/refuse/alias-by-tuple.arr:5:7 ]
#>    |
#>  5 | print(t[0])
#>    |       ^^|^
#>    |         `--- used here
#>    |
#>    |-[ tests/golden/donate/refuse/alias-by-tuple.arr:5:7 ]
#>    |
#>  4 | p = u(p)
#>    |     ^^|^
#>    |       `--- `p` is given away here, and `t[0]` may be the same array
#>    |
#>    |-[ tests/golden/donate/refuse/alias-by-tuple.arr:5:7 ]
#>    |
#>  3 | t = (p, 1)
#>    | ^^^^^|^^^^
#>    |      `------ `t[0]` is bound here
#>    |
#>    | Help: use the result of the call instead, or give a copy: `copy(t[0])`
#> ---'
