jit f(donate p) = (p - 0.1 * p, sum(p * p))
assert memory(f, ones([1024])).temporary < 4096
#> memory of f(f32[1024])
#>   argument   4 KiB
#>   output     4.0 KiB
#>   aliased    4 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
a, b = f(ones([4]))
print(a, b)
#> [0.9 0.9 0.9 0.9] 4.0
