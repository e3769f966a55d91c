c = ones([2])
jit f(x) = x + c
f(ones([2]))
del c
f(ones([2]))
#> [E0204] Error: `c` was deleted
#>    ,-[ tests/golden/reject/captured-name-deleted.arr:2:16 ]
#>    |
#>  2 | jit f(x) = x + c
#>    |                |
#>    |                `-- `c` is needed here
#>    |
#>  4 | del c
#>    | ^^|^^
#>    |   `---- deleted here
#>  5 | f(ones([2]))
#>    | ^^^^^^|^^^^^
#>    |       `------- in this call of `f`
#>    |
#>    | Help: bind `c` anew before this
#> ---'
