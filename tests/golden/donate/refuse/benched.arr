jit u(donate p) = p * 0.99
p = ones([4])
bench "x" 3 { u(p) }
#> [E0302] Error: the next round would give `p` away again
#>    ,-[ tests/golden/donate/refuse/benched.arr:3:17 ]
#>    |
#>  3 | bench "x" 3 { u(p) }
#>    | ^^^^^|^^^^^     |
#>    |      |          `-- given away here, in every round
#>    |      |
#>    |      `------------- in this loop
#>    |
#>    | Help: bind the result to the name: `p = ...`, or give a copy: `copy(p)`
#> ---'
