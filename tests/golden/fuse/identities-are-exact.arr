# Trap 16: nothing is simplified that would change a bit. inf - inf and 0 * inf are NaN, -0.0 keeps its sign.
n = 0.0
x = stack([1.0, 0.0, -0.0, 2.0]) / stack([0.0, 0.0, 1.0, 1.0])
print(x, x * 0.0, x - x, 0.0 - x, -(-x))
#> [inf nan -0.  2.] [nan nan -0.  0.] [nan nan  0.  0.] [-inf  nan   0.  -2.] [inf nan -0.  2.]
y = stack([1.5, -2.0])
print((y + 1e8) - 1e8, sqrt(y ** 2), log(exp(y * 100.0)))
#> [0. 0.] [1.5 2. ] [ inf -inf]
