jit u(donate p) = p * 0.5
p = ones([2])
q = p
p = u(p)
print(p, live())
#> [0.5 0.5] (1, 8)
