jit u(donate p) = p * 0.99
p = ones([4])
q = u(p)
print(p)
#> [E0301] Error: `p` is used after it was given away
#>    ,-[ tests/golden/donate/refuse/used-after.arr:4:7 ]
#>    |
#>  4 | print(p)
#>    |       |
#>    |       `-- used here
#>    |
#>    |-[ tests/golden/donate/refuse/used-after.arr:4:7 ]
#>    |
#>  3 | q = u(p)
#>    |     ^^|^
#>    |       `--- `p` is given away here
#>    |
#>    | Help: use the result of the call instead, or give a copy: `copy(p)`
#> ---'
