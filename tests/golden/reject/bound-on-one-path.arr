c = 1
if c > 0 { x = ones([2]) }
print(x)
#> [E0321] Error: `x` cannot be used here: it is bound on one path only
#>    ,-[ tests/golden/reject/bound-on-one-path.arr:3:7 ]
#>    |
#>  3 | print(x)
#>    |       |
#>    |       `-- used here
#>    |
#>    |-[ tests/golden/reject/bound-on-one-path.arr:3:7 ]
#>    |
#>  2 | if c > 0 { x = ones([2]) }
#>    |            ^^^^^^|^^^^^^
#>    |                  `-------- bound here
#>    |
#>    | Help: bind `x` before the branch or loop
#> ---'
