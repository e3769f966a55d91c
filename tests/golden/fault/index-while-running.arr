x = arange(4)
i = 7
print("before")
#> before
print(x[i])
#> [R0002] Error: index 7 is out of range for axis 0 of extent 4
#>    ,-[ tests/golden/fault/index-while-running.arr:4:9 ]
#>    |
#>  4 | print(x[i])
#>    |         |
#>    |         `-- stopped here
#>    |
#>    | Help: indexes run from -extent to extent - 1
#> ---'
print("after")
