# The same sum with the array passed as an argument: nothing is held but what has a name.

fn mib() { count, bytes = live(); (count, bytes // 1024 ** 2) }

x = ones([2048, 2048])
k = full([2048, 2048], 7.0)
jit passed(p, q) = p + q

passed(x, k)
print("argument, after one call", mib())
#> argument, after one call (2, 32)

del k
print("argument, after del k   ", mib())
#> argument, after del k    (1, 16)
