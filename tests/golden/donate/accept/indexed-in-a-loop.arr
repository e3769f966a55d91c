# Assignments to parts, round by round, are in place: no copy of the whole.
jit set(donate p, n) {
    for i in 0..n { p[i] = 2.0 }
    p
}
assert memory(set, ones([1024]), 5).aliased == 4096
#> memory of set(f32[1024], int)
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  257 B
#>   constant   0 B
#>   code       *
assert memory(set, ones([1024]), 5).temporary < 4096
#> memory of set(f32[1024], int)
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  257 B
#>   constant   0 B
#>   code       *
jit bump(donate p, n) {
    for i in 0..n { p[i] = p[i] + 1.0 }
    p
}
assert memory(bump, ones([1024]), 5).aliased == 4096
#> memory of bump(f32[1024], int)
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  260 B
#>   constant   0 B
#>   code       *
assert memory(bump, ones([1024]), 5).temporary < 4096
#> memory of bump(f32[1024], int)
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  260 B
#>   constant   0 B
#>   code       *
jit rows(donate p, v, n) {
    for i in 0..n { p[i] = p[i - 1] * 0.5 + v * f32(i) }
    p
}
assert memory(rows, ones([32, 16]), ones([16]), 5).aliased == 2048
#> memory of rows(f32[32, 16], f32[16], int)
#>   argument   2.1 KiB
#>   output     2 KiB
#>   aliased    2 KiB
#>   temporary  449 B
#>   constant   0 B
#>   code       *
assert memory(rows, ones([32, 16]), ones([16]), 5).temporary < 2048
#> memory of rows(f32[32, 16], f32[16], int)
#>   argument   2.1 KiB
#>   output     2 KiB
#>   aliased    2 KiB
#>   temporary  449 B
#>   constant   0 B
#>   code       *
jit scattered(donate p, at, n) {
    for i in 0..n { p[at] = p[at] + f32(i) }
    p
}
assert memory(scattered, ones([1024]), arange(3), 5).aliased == 4096
#> memory of scattered(f32[1024], i32[3], int)
#>   argument   4.0 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  385 B
#>   constant   0 B
#>   code       *
print(set(zeros([4]), 3), bump(zeros([4]), 3), bump(arange(4, f32), 0))
#> [2. 2. 2. 0.] [1. 1. 1. 0.] [0. 1. 2. 3.]
print(rows(ones([3, 2]), ones([2]), 3))
#> [[0.5   0.5  ]
#>  [1.25  1.25 ]
#>  [2.625 2.625]]
print(scattered(zeros([4]), stack([3, 1]), 3), live())
#> [0. 3. 0. 3.] (0, 0)
