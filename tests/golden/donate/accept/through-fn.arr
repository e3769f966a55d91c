jit u(donate p) = p * 0.5
fn twice(donate p) { p = u(p); u(p) }
p = ones([2])
p = twice(p)
print(p, live())
#> [0.25 0.25] (1, 8)
