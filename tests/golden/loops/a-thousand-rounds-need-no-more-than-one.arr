# Carried buffers rotate in place: the arena does not grow with the number of rounds.
jit train(donate p, donate m, n) {
    for i in 0..n { m = m * 0.9 + p * 0.1; p = p - m * 0.01 }
    (p, m)
}
one = memory(train, ones([1024]), ones([1024]), 1)
#> memory of train(f32[1024], f32[1024], int)
#>   argument   8 KiB
#>   output     8 KiB
#>   aliased    8 KiB
#>   temporary  136 B
#>   constant   0 B
#>   code       *
many = memory(train, ones([1024]), ones([1024]), 1000)
#> memory of train(f32[1024], f32[1024], int)
#>   argument   8 KiB
#>   output     8 KiB
#>   aliased    8 KiB
#>   temporary  136 B
#>   constant   0 B
#>   code       *
assert one.temporary == many.temporary
p, m = train(ones([1024]), zeros([1024]), 1000)
print(live())
#> (2, 8192)
