jit u(donate p) = p * 0.99
c = ones([4])
jit f(x) = x + c
f(ones([4]))
d = u(c)
f(ones([4]))
#> [E0306] Error: `f` captures `c`, which was given away
#>    ,-[ tests/golden/donate/refuse/captured-then-given.arr:6:1 ]
#>    |
#>  6 | f(ones([4]))
#>    | ^^^^^^|^^^^^
#>    |       `------- called here
#>    |
#>    |-[ tests/golden/donate/refuse/captured-then-given.arr:6:1 ]
#>    |
#>  5 | d = u(c)
#>    |     ^^|^
#>    |       `--- `c` is given away here
#>    |
#>    |-[ tests/golden/donate/refuse/captured-then-given.arr:6:1 ]
#>    |
#>  3 | jit f(x) = x + c
#>    |     |
#>    |     `-- `f` reads `c`
#>    |
#>    | Help: bind `c` anew before the call, or give `copy(c)`
#> ---'
