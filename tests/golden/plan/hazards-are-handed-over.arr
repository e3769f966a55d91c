# emit: plan
# What reads elsewhere than it writes gets its own buffer during the call; the verdict carries a witness.
jit flipped(donate p) = p + flip(p)
jit turned(donate p) = p.T + p
jit squared(donate p) = p @ p
jit shifted(donate p) { p[1:] = p[:-1]; p }
jit centered(donate p) = p - mean(p)
a = flipped(ones([8]))
b = turned(ones([4, 4]))
c = squared(ones([4, 4]))
d = shifted(arange(8, f32))
e = centered(ones([8]))
#> [W0302] Warning: `flipped` hands `p` over: 32 B more are needed during the call
#>    ,-[ tests/golden/plan/hazards-are-handed-over.arr:3:13 ]
#>    |
#>  3 | jit flipped(donate p) = p + flip(p)
#>    |             ^^^^|^^^
#>    |                 `----- donated here, but not overwritten in place
#>    |
#>  8 | a = flipped(ones([8]))
#>    |     ^^^^^^^^^|^^^^^^^^
#>    |              `---------- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: element 0 is read for index 7 after index 0 has overwritten it
#> ---'
#> [W0302] Warning: `turned` hands `p` over: 64 B more are needed during the call
#>    ,-[ tests/golden/plan/hazards-are-handed-over.arr:4:12 ]
#>    |
#>  4 | jit turned(donate p) = p.T + p
#>    |            ^^^^|^^^
#>    |                `----- donated here, but not overwritten in place
#>    |
#>  9 | b = turned(ones([4, 4]))
#>    |     ^^^^^^^^^^|^^^^^^^^^
#>    |               `----------- in this call
#>    |
#>    | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>    |
#>    | Note: element 11 is read for index 14 after index 11 has overwritten it
#> ---'
#> [W0302] Warning: `squared` hands `p` over: 64 B more are needed during the call
#>     ,-[ tests/golden/plan/hazards-are-handed-over.arr:5:13 ]
#>     |
#>   5 | jit squared(donate p) = p @ p
#>     |             ^^^^|^^^
#>     |                 `----- donated here, but not overwritten in place
#>     |
#>  10 | c = squared(ones([4, 4]))
#>     |     ^^^^^^^^^^|^^^^^^^^^^
#>     |               `------------ in this call
#>     |
#>     | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>     |
#>     | Note: the matrix product reads whole rows and columns: element 0 is read for index 1 after index 0 has overwritten it
#> ----'
