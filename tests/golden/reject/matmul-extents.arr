a = ones([2, 3])
b = ones([4, 2])
a @ b
#> [E0211] Error: `@`: f32[2, 3] and f32[4, 2] do not fit: 3 against 4
#>    ,-[ tests/golden/reject/matmul-extents.arr:3:1 ]
#>    |
#>  3 | a @ b
#>    | |^|^|
#>    | | `---- the last axis of the left meets the last but one of the right
#>    | |   |
#>    | `------ this is f32[2, 3]
#>    |     |
#>    |     `-- this is f32[4, 2]
#>    |
#>    | Help: the inner extents must be equal; `x.T` swaps the axes of a matrix
#> ---'
