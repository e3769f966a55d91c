# The ledger counts what the program holds: an array arrives with its name and goes with the last one.

fn mib() { count, bytes = live(); (count, bytes // 1024 ** 2) }

x = ones([2048, 2048])
print("x alive          ", mib())
#> x alive           (1, 16)

y = x * 2
print("y = x * 2 alive  ", mib())
#> y = x * 2 alive   (2, 32)

del y
print("after del y      ", mib())
#> after del y       (1, 16)
