jit u(donate p) = p * 0.5
p = ones([2])
q = u(p)
print(p.shape, p.dtype, p.size, zeros_like(p))
#> (2,) f32 2 [0. 0.]
del p
print(live())
#> (1, 8)
