# An element far outside of the array: nothing may read it before the check has failed.
jit g(p, i) = p[i] + 1.0
print(g(ones([4]), 3))
#> 2.0
print(g(ones([4]), 1099511627776))
#> [R0002] Error: index 1099511627776 is out of range for axis 0 of extent 4
#>    ,-[ tests/golden/fault/an-index-is-checked-before-it-is-used.arr:2:17 ]
#>    |
#>  2 | jit g(p, i) = p[i] + 1.0
#>    |                 |
#>    |                 `-- stopped here
#>    |
#>    | Help: indexes run from -extent to extent - 1
#> ---'
