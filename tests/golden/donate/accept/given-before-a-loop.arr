jit u(donate p) = p * 0.5
p = ones([2])
q = u(p)
x = zeros([2])
for i in 0..3 { x = x + 1.0 }
print(x, q)
#> [3. 3.] [0.5 0.5]
