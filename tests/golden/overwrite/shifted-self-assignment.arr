# Trap 1; the values are NumPy's.
x = arange(4)
x[1:] = x[:-1]
print(x)
#> [0 0 1 2]
x = arange(6)
x[:] = x[::-1]
print(x)
#> [5 4 3 2 1 0]
x = arange(6)
x[::2] = x[1::2]
print(x)
#> [1 1 3 3 5 5]
