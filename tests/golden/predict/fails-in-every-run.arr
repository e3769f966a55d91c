# check: ledger
# Nothing is wrong for every index; going through the rounds finds the one that divides by zero.
for i in 0..3 {
    k = 6 // (i - 1)
    x = zeros([k + 7])
}
#> [R0001] Error: integer division by zero
#>    ,-[ tests/golden/predict/fails-in-every-run.arr:4:9 ]
#>    |
#>  4 |     k = 6 // (i - 1)
#>    |         ^^^^^^|^^^^^
#>    |               `------- stopped here
#>    |
#>    | Help: test the divisor first
#> ---'
