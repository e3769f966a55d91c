x = stack([1, 0])
print(4 // x)
#> [R0001] Error: integer division by zero
#>    ,-[ tests/golden/fault/division-by-zero.arr:2:7 ]
#>    |
#>  2 | print(4 // x)
#>    |       ^^^|^^
#>    |          `---- stopped here
#>    |
#>    | Help: test the divisor first, as in `where(d == 0, 1, d)`
#> ---'
