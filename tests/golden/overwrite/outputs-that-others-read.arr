# Traps 4, 7 and 8: outputs that another stage still reads, passed through, returned three times.
jit f(donate a: f32[n, n]) { b = a + 1.0; (b, b.T) }
u, v = f(reshape(arange(4, f32), [2, 2]))
print(u)
#> [[1. 2.]
#>  [3. 4.]]
print(v)
#> [[1. 3.]
#>  [2. 4.]]
jit g(donate a) { b = a + 1.0; c = b * 2.0; (b, c) }
u, v = g(arange(3, f32))
print(u, v)
#> [1. 2. 3.] [2. 4. 6.]
jit h(donate s: f32[n], v: f32[n]) { y = v - v; (y, y * 1.0, s) }
a, b, c = h(ones([3]), arange(3, f32))
print(a, b, c)
#> [0. 0. 0.] [0. 0. 0.] [1. 1. 1.]
jit three(x) { y = x * 2.0; (y, y, y) }
del a, b, c, u, v
a, b, c = three(ones([2]))
print(a, b, c, live())
#> [2. 2.] [2. 2.] [2. 2.] (1, 8)
