jit u(donate p) = p * 0.99
p = ones([4])
for i in 0..3 { p = u(p) }
print(p, live())
#> [0.97029907 0.97029907 0.97029907 0.97029907] (1, 16)
