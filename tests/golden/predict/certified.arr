# check: certify
# Each compiled program's plan, derived again from the plan alone.
jit update(donate p, g) = p - 0.1 * g
jit product(donate p) = p @ p
x = ones([64, 64])
x = product(update(x, x * 2.0))
jit rounds(donate p, donate q, n) { for i in 0..n { p, q = q, p * 0.5 + q }; (p, q) }
x, y = rounds(x, zeros([64, 64]), 10)
#> [W0302] Warning: `product` hands `p` over: 16 KiB more are needed during the call
#>    ,-[ tests/golden/predict/certified.arr:4:13 ]
#>    |
#>  4 | jit product(donate p) = p @ p
#>    |             ^^^^|^^^
#>    |                 `----- donated here, but not overwritten in place
#>    |
#>  6 | x = product(update(x, x * 2.0))
#>    |     ^^^^^^^^^^^^^|^^^^^^^^^^^^^
#>    |                  `--------------- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: the matrix product reads whole rows and columns: element 0 is read for index 1 after index 0 has overwritten it
#> ---'
