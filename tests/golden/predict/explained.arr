# check: explain
# Donations and assignments, with what becomes of each; `k` occurs once.
jit update(donate p, g) = p - 0.1 * g
jit product(donate p: f32[n, n]) -> f32[n, n] = p @ p
jit swap(donate p, donate q) = (q, p)
jit odd(p: f32[n, k]) = sum(p)
x = ones([4, 4])
x = product(update(x, x * 2.0))
y = zeros([4, 4])
x, y = swap(x, y)
x[0] = 1.0
z = x
x[1] = 2.0
jit each(donate p) { for i in 0..4 { p[i] = p[i] * 2.0 }; p }
x = each(x)
jit never(donate p: f32[n, m], q: f32[n, m]) -> f32[n * m] = reshape(p + q, [n * m])
jit turned(donate p: f32[n, m]) = p.T * 2.0
#> [W0302] Warning: `product` hands `p` over: 64 B more are needed during the call
#>    ,-[ tests/golden/predict/explained.arr:4:13 ]
#>    |
#>  4 | jit product(donate p: f32[n, n]) -> f32[n, n] = p @ p
#>    |             ^^^^^^^^^|^^^^^^^^^
#>    |                      `----------- donated here, but not overwritten in place
#>    |
#>  8 | x = product(update(x, x * 2.0))
#>    |     ^^^^^^^^^^^^^|^^^^^^^^^^^^^
#>    |                  `--------------- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: the matrix product reads whole rows and columns: element 0 is read for index 1 after index 0 has overwritten it
#> ---'
#> [W0302] Warning: `turned` hands `p` over: 4 * m * n B more are needed during the call
#>     ,-[ tests/golden/predict/explained.arr:17:12 ]
#>     |
#>  17 | jit turned(donate p: f32[n, m]) = p.T * 2.0
#>     |            ^^^^^^^^^|^^^^^^^^^
#>     |                     `----------- donated here, but not overwritten in place
#>     |
#>     | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>     |
#>     | Note: for a generic size: element 1923 is read for index 1959 after index 1923 has overwritten it
#> ----'
