x = u8(ones([2]))
x + 300
#> [E0202] Error: 300 does not fit u8
#>    ,-[ tests/golden/reject/literal-does-not-fit.arr:2:5 ]
#>    |
#>  2 | x + 300
#>    |     ^|^
#>    |      `--- converted to u8 here
#>    |
#>    | Help: use a number that fits, or convert the array to a wider dtype first, as in `i64(x)` or `f64(x)`
#> ---'
