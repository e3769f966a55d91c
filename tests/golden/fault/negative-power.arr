n = -1
print(stack([2, 3]) ** n)
#> [R0004] Error: an integer has no negative power
#>    ,-[ tests/golden/fault/negative-power.arr:2:24 ]
#>    |
#>  2 | print(stack([2, 3]) ** n)
#>    |                        |
#>    |                        `-- stopped here
#>    |
#>    | Help: convert the base to a float first
#> ---'
