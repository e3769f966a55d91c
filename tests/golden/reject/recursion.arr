fn f(x) = g(x)
fn g(x) = f(x)
f(1)
#> [E0208] Error: `f` calls itself
#>    ,-[ tests/golden/reject/recursion.arr:2:11 ]
#>    |
#>  2 | fn g(x) = f(x)
#>    |           ^^|^
#>    |             `--- recursive call
#>    |
#>    |-[ tests/golden/reject/recursion.arr:2:11 ]
#>    |
#>  1 | fn f(x) = g(x)
#>    |    |      ^^|^
#>    |    `------------ defined here
#>    |             |
#>    |             `--- in this call of `g`
#>    |
#>  3 | f(1)
#>    | ^^|^
#>    |   `--- in this call of `f`
#>    |
#>    | Help: write it with a `for` or `while` loop
#> ---'
