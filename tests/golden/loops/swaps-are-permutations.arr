# Trap 9: swapping carried values moves handles, not bytes.
jit swap(a, b, n) {
    for i in 0..n { a, b = b, a }
    (a, b)
}
a, b = swap(zeros([2]), ones([2]), 3)
print(a, b)
#> [1. 1.] [0. 0.]
a, b = swap(a, b, 2)
print(a, b)
#> [1. 1.] [0. 0.]
jit choose(c, a, b) {
    x, y = if c { (a, b) } else { (b, a) }
    x - y * 2.0
}
print(choose(true, ones([2]), zeros([2])), choose(false, ones([2]), zeros([2])))
#> [1. 1.] [-2. -2.]
jit fib(a, b, n) {
    for i in 0..n { a, b = b, a + b }
    a
}
print(fib(zeros([2]), ones([2]), 10))
#> [55. 55.]
