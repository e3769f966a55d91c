x = 1
if 0 < x < 2 { print(x) }
#> [E0110] Error: comparisons cannot be chained
#>    ,-[ tests/golden/reject/chained-comparison.arr:2:4 ]
#>    |
#>  2 | if 0 < x < 2 { print(x) }
#>    |    ^^^^|^^^^
#>    |        `------ more than one comparison
#>    |
#>    | Help: write `0 < x and x < 2`
#> ---'
