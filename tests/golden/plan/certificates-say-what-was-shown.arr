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
#> [W0302] Warning: `squared` hands `p` over: 64 B more are needed during the call
#>     ,-[ tests/golden/plan/certificates-say-what-was-shown.arr:4:13 ]
#>     |
#>   4 | jit squared(donate p) = p @ p
#>     |             ^^^^|^^^
#>     |                 `----- donated here, but not overwritten in place
#>     |
#>  14 | q = squared(eye(4))
#>     |     ^^^^^^^|^^^^^^^
#>     |            `--------- in this call
#>     |
#>     | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>     |
#>     | Note: the matrix product reads whole rows and columns: element 0 is read for index 1 after index 0 has overwritten it
#> ----'
