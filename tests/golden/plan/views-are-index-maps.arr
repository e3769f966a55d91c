# emit: plan kernels
# Slices, flips, pads, concatenations and reshapes fold into the kernel that reads them.
jit f(x) = concat([flip(x)[1:], pad(x, 1)]) * 2.0 + reshape(reshape(x, [2, 4]), [8])[newaxis][0, 0]
f(arange(8, f32))
