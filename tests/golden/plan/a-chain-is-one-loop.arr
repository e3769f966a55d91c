# emit: plan kernels
# Ten elementwise operations are one kernel over one axis, in place, without a temporary.
jit ten(donate p) = (((((((((p * 0.99) + 0.01) * 1.01) - 0.02) * 0.98) + 0.03) * 1.02) - 0.01) * 0.97) + 0.02
p = ones([32, 32])
p = ten(p)
