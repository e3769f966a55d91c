jit u(donate p) = p * 0.5
a = ones([2])
b = zeros([2])
a, b = b, a
a = u(a)
print(a, b)
#> [0. 0.] [1. 1.]
