jit u(donate p) = p * 0.5
s = {m: ones([2]), v: zeros([2])}
s.m = u(s.m)
print(s.m, s.v, live())
#> [0.5 0.5] [0. 0.] (2, 16)
