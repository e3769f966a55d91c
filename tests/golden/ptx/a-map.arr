# emit: ptx
jit f(donate p) = p * 0.99
x = f(ones([1000]))
print(x[:3])
#> [0.99 0.99 0.99]
