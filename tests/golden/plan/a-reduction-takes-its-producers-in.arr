# emit: plan kernels
# sum(x * x + y.T) over rows: no array between the product and the sum; the transpose is an index map.
jit f(x, y) = sum(x * x + y.T, axis=1)
f(ones([8, 16]), ones([16, 8]))
