# None of these needs a temporary of the size of what is given.
jit rows(donate p) = softmax(p)
assert memory(rows, ones([64, 128])).temporary <= 2 * 64 * 4
#> memory of rows(f32[64, 128])
#>   argument   32 KiB
#>   output     32 KiB
#>   aliased    32 KiB
#>   temporary  256 B
#>   constant   0 B
#>   code       *
jit normed(donate p) {
    m = mean(p, axis=-1, keepdims=true)
    v = var(p, axis=-1, keepdims=true)
    (p - m) / sqrt(v + 1e-5)
}
assert memory(normed, ones([64, 128])).temporary <= 2 * 64 * 4
#> memory of normed(f32[64, 128])
#>   argument   32 KiB
#>   output     32 KiB
#>   aliased    32 KiB
#>   temporary  512 B
#>   constant   0 B
#>   code       *
jit stepped(donate p) = (p - 0.1 * p, sum(p * p))
assert memory(stepped, ones([1024])).temporary == 0
#> memory of stepped(f32[1024])
#>   argument   4 KiB
#>   output     4.0 KiB
#>   aliased    4 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
jit swapped(donate p, donate q) = (q, p)
assert memory(swapped, ones([1024]), ones([1024])).temporary == 0
#> memory of swapped(f32[1024], f32[1024])
#>   argument   8 KiB
#>   output     8 KiB
#>   aliased    8 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
jit crossed(donate p, donate q) = (q * 2.0, p + 1.0)
assert memory(crossed, ones([1024]), ones([1024])).temporary == 0
#> memory of crossed(f32[1024], f32[1024])
#>   argument   8 KiB
#>   output     8 KiB
#>   aliased    8 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
jit recast(donate p) = i32(p * 2.0)
assert memory(recast, ones([1024])).temporary == 0
#> memory of recast(f32[1024])
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
jit reshaped(donate p) = reshape(p * 2.0, [32, 32])
assert memory(reshaped, ones([1024])).temporary == 0
#> memory of reshaped(f32[1024])
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
jit rounds(donate p, n) {
    for i in 0..n { p = p * 0.5 + 1.0 }
    p
}
assert memory(rounds, ones([1024]), 5).temporary < 4096
#> memory of rounds(f32[1024], int)
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  136 B
#>   constant   0 B
#>   code       *
jit halved(donate p) {
    while sum(p) > 10.0 { p = p * 0.5 }
    p
}
assert memory(halved, ones([1024])).temporary < 4096
#> memory of halved(f32[1024])
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  65 B
#>   constant   0 B
#>   code       *
jit adam(donate p, donate m, donate v, g, n) {
    for i in 0..n {
        m = m * 0.9 + g * 0.1
        v = v * 0.999 + g * g * 0.001
        p = p - 0.1 * m / (sqrt(v) + 1e-8)
    }
    (p, m, v)
}
assert memory(adam, ones([1024]), ones([1024]), ones([1024]), ones([1024]), 5).temporary < 4096
#> memory of adam(f32[1024], f32[1024], f32[1024], f32[1024], int)
#>   argument   16 KiB
#>   output     12 KiB
#>   aliased    12 KiB
#>   temporary  136 B
#>   constant   0 B
#>   code       *
# Nor is any of them handed over: each takes over all that is given and allocates nothing of its size.
assert memory(rows, ones([64, 128])).aliased == 64 * 128 * 4
#> memory of rows(f32[64, 128])
#>   argument   32 KiB
#>   output     32 KiB
#>   aliased    32 KiB
#>   temporary  256 B
#>   constant   0 B
#>   code       *
assert memory(normed, ones([64, 128])).aliased == 64 * 128 * 4
#> memory of normed(f32[64, 128])
#>   argument   32 KiB
#>   output     32 KiB
#>   aliased    32 KiB
#>   temporary  512 B
#>   constant   0 B
#>   code       *
assert memory(stepped, ones([1024])).aliased == 4096
#> memory of stepped(f32[1024])
#>   argument   4 KiB
#>   output     4.0 KiB
#>   aliased    4 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
assert memory(swapped, ones([1024]), ones([1024])).aliased == 8192
#> memory of swapped(f32[1024], f32[1024])
#>   argument   8 KiB
#>   output     8 KiB
#>   aliased    8 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
assert memory(crossed, ones([1024]), ones([1024])).aliased == 8192
#> memory of crossed(f32[1024], f32[1024])
#>   argument   8 KiB
#>   output     8 KiB
#>   aliased    8 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
assert memory(recast, ones([1024])).aliased == 4096
#> memory of recast(f32[1024])
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
assert memory(reshaped, ones([1024])).aliased == 4096
#> memory of reshaped(f32[1024])
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
assert memory(rounds, ones([1024]), 5).aliased == 4096
#> memory of rounds(f32[1024], int)
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  136 B
#>   constant   0 B
#>   code       *
assert memory(halved, ones([1024])).aliased == 4096
#> memory of halved(f32[1024])
#>   argument   4 KiB
#>   output     4 KiB
#>   aliased    4 KiB
#>   temporary  65 B
#>   constant   0 B
#>   code       *
assert memory(adam, ones([1024]), ones([1024]), ones([1024]), ones([1024]), 5).aliased == 3 * 4096
#> memory of adam(f32[1024], f32[1024], f32[1024], f32[1024], int)
#>   argument   16 KiB
#>   output     12 KiB
#>   aliased    12 KiB
#>   temporary  136 B
#>   constant   0 B
#>   code       *
# And they compute what they do without being given anything.
a, b = swapped(zeros([2]), ones([2]))
c, d = crossed(zeros([2]), ones([2]))
print(a, b, c, d)
#> [1. 1.] [0. 0.] [2. 2.] [1. 1.]
print(recast(ones([2])), reshaped(arange(1024, f32)).shape, rounds(zeros([2]), 3), halved(ones([16])))
#> [2 2] (32, 32) [1.75 1.75] [0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5]
p, m, v = adam(ones([2]), zeros([2]), zeros([2]), ones([2]), 2)
print(m, v, live())
#> [0.19 0.19] [0.001999 0.001999] (7, 56)
