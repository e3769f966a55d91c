jit u(donate p) = p * 0.99
a = ones([2])
b = a
for i in 0..2 { c = u(a); a = b }
#> [E0301] Error: `b` is used after it was given away
#>    ,-[ tests/golden/donate/refuse/shifted-loop.arr:4:27 ]
#>    |
#>  4 | for i in 0..2 { c = u(a); a = b }
#>    |                     ^^|^  ^^|^^
#>    |                       |     `---- used here
#>    |                       |
#>    |                       `---------- `a` is given away here, and `b` may be the same array
#>    |
#>    |-[ tests/golden/donate/refuse/shifted-loop.arr:4:27 ]
#>    |
#>  3 | b = a
#>    | ^^|^^
#>    |   `---- `b` is bound here
#>    |
#>    | Help: use the result of the call instead, or give a copy: `copy(b)`
#> ---'
