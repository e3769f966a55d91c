jit f(donate a, donate b) = (a + b, a - b)
p = ones([4])
f(p, p)
#> [E0304] Error: this call of `f` gives `p` away and gets it a second time
#>    ,-[ tests/golden/donate/refuse/given-twice.arr:3:3 ]
#>    |
#>  3 | f(p, p)
#>    | ^^||^|^
#>    |   `------ given as `a`
#>    |    | |
#>    |    | `--- the same array as `b`
#>    |    |
#>    |    `----- in this call
#>    |
#>    | Help: pass a copy: `copy(p)`
#> ---'
