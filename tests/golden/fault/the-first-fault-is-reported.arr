# Of two indices out of range the first is reported, on every device.
jit f(m, i, j) = m[i * 2, j]
print(f(ones([3, 4]), stack([5, 6]), stack([7, 8])))
#> [R0002] Error: index 12 is out of range for axis 0 of extent 3
#>    ,-[ tests/golden/fault/the-first-fault-is-reported.arr:2:20 ]
#>    |
#>  2 | jit f(m, i, j) = m[i * 2, j]
#>    |                    ^^|^^
#>    |                      `---- stopped here
#>    |
#>    | Help: indexes run from -extent to extent - 1
#> ---'
