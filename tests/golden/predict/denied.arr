# check: deny=handed-over
jit product(donate p) = p @ p
x = product(ones([4, 4]))
#> [W0302] Warning: `product` hands `p` over: 64 B more are needed during the call
#>    ,-[ tests/golden/predict/denied.arr:2:13 ]
#>    |
#>  2 | jit product(donate p) = p @ p
#>    |             ^^^^|^^^
#>    |                 `----- donated here, but not overwritten in place
#>  3 | x = product(ones([4, 4]))
#>    |     ^^^^^^^^^^|^^^^^^^^^^
#>    |               `------------ in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: the matrix product reads whole rows and columns: element 0 is read for index 1 after index 0 has overwritten it
#> ---'
