jit u(donate p) = p * 0.99
p = ones([4])
q = p
p = u(p)
print(q)
#> [E0301] Error: `q` is used after it was given away
#>    ,-[ tests/golden/donate/refuse/alias-by-binding.arr:5:7 ]
#>    |
#>  5 | print(q)
#>    |       |
#>    |       `-- used here
#>    |
#>    |-[ tests/golden/donate/refuse/alias-by-binding.arr:5:7 ]
#>    |
#>  4 | p = u(p)
#>    |     ^^|^
#>    |       `--- `p` is given away here, and `q` may be the same array
#>    |
#>    |-[ tests/golden/donate/refuse/alias-by-binding.arr:5:7 ]
#>    |
#>  3 | q = p
#>    | ^^|^^
#>    |   `---- `q` is bound here
#>    |
#>    | Help: use the result of the call instead, or give a copy: `copy(q)`
#> ---'
