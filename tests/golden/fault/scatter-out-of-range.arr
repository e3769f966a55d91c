x = zeros([3])
x[stack([0, 5])] = 1.0
#> [R0002] Error: index 5 is out of range for axis 0 of extent 3
#>    ,-[ tests/golden/fault/scatter-out-of-range.arr:2:3 ]
#>    |
#>  2 | x[stack([0, 5])] = 1.0
#>    |   ^^^^^^|^^^^^^
#>    |         `-------- stopped here
#>    |
#>    | Help: indexes run from -extent to extent - 1
#> ---'
