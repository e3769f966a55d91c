# emit: certificate
# One paragraph for each compiled program: what was derived from its plan alone.
jit step(donate p, g) = p - 0.1 * g
jit squared(donate p) = p @ p
jit rounds(donate x, donate y, k) {
    for i in 0..k { x, y = y, x + y }
    (x, y)
}
jit fill(donate p, k) {
    for i in 0..k { p[i] = 1.0 }
    p
}
p = step(ones([16]), ones([16]))
q = squared(eye(4))
x, y = rounds(zeros([16]), ones([16]), 5)
r = fill(zeros([16]), 3)
print(x, y)
#> [5. 5. 5. 5. 5. 5. 5. 5. 5. 5. 5. 5. 5. 5. 5. 5.] [8. 8. 8. 8. 8. 8. 8. 8. 8. 8. 8. 8. 8. 8. 8. 8.]
print(r)
#> [1. 1. 1. 0. 0. 0. 0. 0. 0. 0. 0. 0. 0. 0. 0. 0.]
