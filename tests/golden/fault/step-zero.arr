n = 0
for i in 0..3 step n { print(i) }
#> [R0202] Error: the step of a `for` is 0
#>    ,-[ tests/golden/fault/step-zero.arr:2:20 ]
#>    |
#>  2 | for i in 0..3 step n { print(i) }
#>    |                    |
#>    |                    `-- stopped here
#>    |
#>    | Help: use 1, or a negative step to go backwards
#> ---'
