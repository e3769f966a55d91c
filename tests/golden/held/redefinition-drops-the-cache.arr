# Trap 21: a function defined again drops what the old one captured.
c = ones([4])
jit f(x) = x + c
f(ones([4]))
print(live())
#> (2, 32)
jit f(x) = x - 1.0
print(live())
#> (1, 16)
