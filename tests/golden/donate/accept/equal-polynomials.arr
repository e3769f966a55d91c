jit f(donate p: f32[n, m]) = reshape(p, [m * n])
print(f(ones([3, 1])))
#> [1. 1. 1.]
jit g(donate p: f32[n], q: f32[n + 1]) = concat([q[:1], q[1:]])[1:]
print(g(ones([3]), zeros([4])))
#> [0. 0. 0.]
