# NaN wins in max and min, argmax takes the first NaN, -0.0 is below +0.0.
n = stack([0.0, 1.0]) / stack([0.0, 1.0])
x = concat([stack([3.0, -1.0]), n, stack([3.0])])
print(x, max(x), min(x), argmax(x), argmin(x))
#> [ 3. -1. nan  1.  3.] nan nan 2 2
print(maximum(stack([-0.0, 0.0]), stack([0.0, -0.0])), minimum(stack([-0.0, 0.0]), stack([0.0, -0.0])))
#> [0. 0.] [-0. -0.]
print(argmax(stack([1, 3, 3])), argmin(stack([2, 1, 1])), argmax(stack([5.0, 2.0])), sort(x), argsort(x))
#> 1 1 0 [-1.  1.  3.  3. nan] [1 3 0 4 2]
