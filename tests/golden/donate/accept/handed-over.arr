jit f(donate p) = p @ p
p = f(eye(2) * 2.0)
print(p, live())
#> [[4. 0.]
#>  [0. 4.]] (1, 16)
