jit u(donate p) = p * 0.5
p = ones([2])
q = p * 2.0 + u(copy(p))
print(q)
#> [2.5 2.5]
