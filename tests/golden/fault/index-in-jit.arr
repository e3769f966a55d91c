jit f(donate x, i) { x[i] = 0.0; x }
x = ones([4])
x = f(x, 9)
#> [R0002] Error: index 9 is out of range for axis 0 of extent 4
#>    ,-[ tests/golden/fault/index-in-jit.arr:1:24 ]
#>    |
#>  1 | jit f(donate x, i) { x[i] = 0.0; x }
#>    |                        |
#>    |                        `-- stopped here
#>    |
#>    | Help: indexes run from -extent to extent - 1
#> ---'
