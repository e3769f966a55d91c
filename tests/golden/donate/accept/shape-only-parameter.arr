jit f(donate p) = zeros_like(p)
p = f(ones([2]))
print(p, live())
#> [0. 0.] (1, 8)
