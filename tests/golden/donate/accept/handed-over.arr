jit f(donate p) = p @ p
p = f(eye(2) * 2.0)
print(p, live())
#> [[4. 0.]
#>  [0. 4.]] (1, 16)
#> [W0302] Warning: `f` hands `p` over: 16 B more are needed during the call
#>    ,-[ tests/golden/donate/accept/handed-over.arr:1:7 ]
#>    |
#>  1 | jit f(donate p) = p @ p
#>    |       ^^^^|^^^
#>    |           `----- donated here, but not overwritten in place
#>  2 | p = f(eye(2) * 2.0)
#>    |     ^^^^^^^|^^^^^^^
#>    |            `--------- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: the matrix product reads whole rows and columns: element 0 is read for index 1 after index 0 has overwritten it
#> ---'
