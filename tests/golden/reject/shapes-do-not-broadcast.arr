a = ones([2, 3])
b = ones([4])
a + b
#> [E0210] Error: `+`: shapes [2, 3] and [4] do not broadcast
#>    ,-[ tests/golden/reject/shapes-do-not-broadcast.arr:3:1 ]
#>    |
#>  3 | a + b
#>    | |^|^|
#>    | | `---- 3 against 4
#>    | |   |
#>    | `------ this is f32[2, 3]
#>    |     |
#>    |     `-- this is f32[4]
#>    |
#>    | Help: axes are aligned from the last; extents must be equal or 1
#> ---'
