# Trap 5: a ring buffer that is given away and taken over.
jit push(donate buf: f32[n], v: f32[1]) = concat([buf[1:], v])
b = arange(5, f32)
for i in 0..3 { b = push(b, full([1], 10.0 + i)) }
print(b, live())
#> [ 3.  4. 10. 11. 12.] (1, 20)
#> [W0302] Warning: `push` hands `buf` over: 20 B more are needed during the call
#>    ,-[ tests/golden/overwrite/ring-buffer.arr:2:10 ]
#>    |
#>  2 | jit push(donate buf: f32[n], v: f32[1]) = concat([buf[1:], v])
#>    |          ^^^^^^^^^|^^^^^^^^
#>    |                   `---------- donated here, but not overwritten in place
#>    |
#>  4 | for i in 0..3 { b = push(b, full([1], 10.0 + i)) }
#>    |                     ^^^^^^^^^^^^^^|^^^^^^^^^^^^^
#>    |                                   `--------------- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: element 1 is read for index 0 after index 1 has overwritten it
#> ---'
