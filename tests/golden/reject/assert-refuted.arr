assert 1 + 1 == 3, "arithmetic"
#> [E0330] Error: this assertion cannot hold
#>    ,-[ tests/golden/reject/assert-refuted.arr:1:8 ]
#>    |
#>  1 | assert 1 + 1 == 3, "arithmetic"
#>    |        ^^^^^|^^^^
#>    |             `------ false in every run
#>    |
#>    | Help: correct it, or remove it
#> ---'
