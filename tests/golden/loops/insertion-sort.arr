# Trap 11: nested loops and x[j] = x[j - 1] in a jit.
jit sorted(x) {
    n = x.shape[0]
    for i in 1..n {
        j = i
        while j > 0 and x[j - 1] > x[j] {
            t = x[j]
            x[j] = x[j - 1]
            x[j - 1] = t
            j = j - 1
        }
    }
    x
}
print(sorted(stack([5.0, 2.0, 9.0, 1.0, 3.0])))
#> [1. 2. 3. 5. 9.]
