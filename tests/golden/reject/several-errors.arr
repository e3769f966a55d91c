y = 2 +* 3
z = ones([2])
w = )
if z { q = @ }
x = (1 +
print(1)
#> [E0106] Error: expected an expression, found `*`
#>    ,-[ tests/golden/reject/several-errors.arr:1:8 ]
#>    |
#>  1 | y = 2 +* 3
#>    |        |
#>    |        `-- expected an expression
#> ---'
#> [E0109] Error: `)` closes nothing
#>    ,-[ tests/golden/reject/several-errors.arr:3:5 ]
#>    |
#>  3 | w = )
#>    |     |
#>    |     `-- no bracket is open here
#>    |
#>    | Help: remove it, or add the missing `(`
#> ---'
#> [E0106] Error: expected an expression, found `@`
#>    ,-[ tests/golden/reject/several-errors.arr:4:12 ]
#>    |
#>  4 | if z { q = @ }
#>    |            |
#>    |            `-- expected an expression
#> ---'
#> [E0107] Error: `(` is never closed
#>    ,-[ tests/golden/reject/several-errors.arr:5:5 ]
#>    |
#>  5 | x = (1 +
#>    |     |
#>    |     `-- opened here
#>  6 | print(1)
#>    |        |
#>    |        `-- `)` is missing after this
#>    |
#>    | Help: add the missing `)`
#> ---'
