x = arange(4)
x[4]
#> [E0230] Error: index 4 is out of range for axis 0 of extent 4
#>    ,-[ tests/golden/reject/index-out-of-range.arr:2:3 ]
#>    |
#>  2 | x[4]
#>    |   |
#>    |   `-- this index
#>    |
#>    | Help: indexes run from -4 to 4 - 1
#> ---'
