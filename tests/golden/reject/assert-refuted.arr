assert 1 + 1 == 3, "arithmetic"
#> [E0215] Error: this assertion is false
#>    ,-[ tests/golden/reject/assert-refuted.arr:1:8 ]
#>    |
#>  1 | assert 1 + 1 == 3, "arithmetic"
#>    |        ^^^^^|^^^^
#>    |             `------ false in every run
#>    |
#>    | Help: correct the assertion or what it speaks of
#> ---'
