jit u(donate p) = p * 0.99
jit two(a) = (a, a)
x = ones([4])
a, b = two(x)
c = u(a)
print(b)
#> [E0301] Error: `b` is used after it was given away
#>    ,-[ tests/golden/donate/refuse/alias-by-function.arr:6:7 ]
#>    |
#>  6 | print(b)
#>    |       |
#>    |       `-- used here
#>    |
#>    |-[ tests/golden/donate/refuse/alias-by-function.arr:6:7 ]
#>    |
#>  5 | c = u(a)
#>    |     ^^|^
#>    |       `--- `a` is given away here, and `b` may be the same array
#>    |
#>    |-[ tests/golden/donate/refuse/alias-by-function.arr:6:7 ]
#>    |
#>  4 | a, b = two(x)
#>    | ^^^^^^|^^^^^^
#>    |       `-------- `b` is bound here
#>    |
#>    | Help: use the result of the call instead, or give a copy: `copy(b)`
#> ---'
