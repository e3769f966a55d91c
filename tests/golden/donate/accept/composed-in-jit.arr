jit u(donate p) = p * 0.5
jit both(donate p) = u(u(p))
p = both(ones([2]))
print(p)
#> [0.25 0.25]
