# In place, with all indices checked before the first is used: the first one that is out of range is reported.
jit fill(donate p, n, k) {
    for i in 0..n { p[i * k] = p[i * k] + 1.0 }
    p
}
assert memory(fill, ones([1024]), 5, 2).aliased == 4096
#> memory of fill(f32[1024], int, int)
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  321 B
#>   constant   0 B
#>   code       *
print(fill(zeros([4]), 2, 3))
#> [1. 0. 0. 1.]
p = zeros([4])
print(fill(p, 4, 3))
#> [R0002] Error: index 6 is out of range for axis 0 of extent 4
#>    ,-[ tests/golden/fault/an-index-in-a-loop.arr:3:34 ]
#>    |
#>  3 |     for i in 0..n { p[i * k] = p[i * k] + 1.0 }
#>    |                                  ^^|^^
#>    |                                    `---- stopped here
#>    |
#>    | Help: indexes run from -extent to extent - 1
#> ---'
