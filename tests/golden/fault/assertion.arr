x = ones([2])
assert sum(x) == 3.0, "two ones"
#> [R0204] Error: assertion failed: two ones; found 2.0 == 3.0
#>    ,-[ tests/golden/fault/assertion.arr:2:8 ]
#>    |
#>  2 | assert sum(x) == 3.0, "two ones"
#>    |        ^^^^^^|^^^^^^
#>    |              `-------- stopped here
#> ---'
