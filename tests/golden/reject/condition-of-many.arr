x = ones([2])
if x > 0.0 { print(1) }
#> [E0213] Error: a condition is one truth value, found bool[2]
#>    ,-[ tests/golden/reject/condition-of-many.arr:2:4 ]
#>    |
#>  2 | if x > 0.0 { print(1) }
#>    |    ^^^|^^^
#>    |       `----- the condition
#>    |
#>    | Help: reduce it with `any(...)` or `all(...)`
#> ---'
