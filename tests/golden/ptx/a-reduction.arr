# emit: ptx
x = arange(6, f32)
print(sum(x * x))
#> 55.0
