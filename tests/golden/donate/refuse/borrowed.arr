jit u(donate p) = p * 0.99
fn f(p) = u(p)
x = ones([4])
f(x)
#> [E0305] Error: `p` is only borrowed here and cannot be given to `u`
#>    ,-[ tests/golden/donate/refuse/borrowed.arr:2:13 ]
#>    |
#>  2 | fn f(p) = u(p)
#>    |      |      |
#>    |      |      `-- given away here
#>    |      |
#>    |      `--------- a borrowed parameter
#>    |
#>  4 | f(x)
#>    | ^^|^
#>    |   `--- in this call of `f`
#>    |
#>    | Help: write `fn f(donate p)`, or give `copy(p)`
#> ---'
