jit f(donate a, donate b) = (b * 2.0, a + 1.0)
a, b = f(ones([2]), zeros([2]))
print(a, b, live())
#> [0. 0.] [2. 2.] (2, 16)
