print("must not be seen")
ones([2]) + ones([3])
#> [E0210] Error: `+`: shapes [2] and [3] do not broadcast
#>    ,-[ tests/golden/reject/nothing-runs.arr:2:1 ]
#>    |
#>  2 | ones([2]) + ones([3])
#>    | ^^^^|^^^^^|^^^^^|^^^^
#>    |     |     `------------ 2 against 3
#>    |     |           |
#>    |     `------------------ this is f32[2]
#>    |                 |
#>    |                 `------ this is f32[3]
#>    |
#>    | Help: axes are aligned from the last; extents must be equal or 1
#> ---'
