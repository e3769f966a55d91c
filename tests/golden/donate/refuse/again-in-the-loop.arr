jit u(donate p) = p * 0.99
p = ones([4])
for i in 0..3 { u(p) }
#> [E0302] Error: the next round would give `p` away again
#>    ,-[ tests/golden/donate/refuse/again-in-the-loop.arr:3:19 ]
#>    |
#>  3 | for i in 0..3 { u(p) }
#>    | ^^^^^^|^^^^^^     |
#>    |       |           `-- given away here, in every round
#>    |       |
#>    |       `-------------- in this loop
#>    |
#>    | Help: bind the result to the name: `p = ...`, or give a copy: `copy(p)`
#> ---'
