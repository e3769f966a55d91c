n = 0
print(1 // n)
#> [R0001] Error: integer division by zero
#>    ,-[ tests/golden/fault/host-division-by-zero.arr:2:7 ]
#>    |
#>  2 | print(1 // n)
#>    |       ^^^|^^
#>    |          `---- stopped here
#>    |
#>    | Help: test the divisor first
#> ---'
