jit u(donate p) = p * 0.99
p = ones([4])
c = 1
if c > 0 { q = u(p) }
print(p)
#> [E0303] Error: `p` may have been given away
#>    ,-[ tests/golden/donate/refuse/maybe.arr:5:7 ]
#>    |
#>  5 | print(p)
#>    |       |
#>    |       `-- used here, whichever path was taken
#>    |
#>    |-[ tests/golden/donate/refuse/maybe.arr:5:7 ]
#>    |
#>  4 | if c > 0 { q = u(p) }
#>    | ^^^^|^^^       ^^|^
#>    |     |            `--- `p` is given away here
#>    |     |
#>    |     `---------------- on one path through this
#>    |
#>    | Help: bind `p` anew on that path, or give `copy(p)` there
#> ---'
