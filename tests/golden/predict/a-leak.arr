# check: ledger
# Every round captures another array: 4 KiB original and 4 KiB constant stay in the cache.
x = ones([1024])
jit f(p) = p + c
for i in 0..10 {
    c = full([1024], 1.0 * i)
    y = f(x)
}
