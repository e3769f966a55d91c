# Trap 15: the largest element's exponent is exactly 0.
x = stack([3e38, 1e38, -3e38])
print(softmax(x / 0.1), softmax(x / 100.0))
#> [nan nan nan] [1. 0. 0.]
