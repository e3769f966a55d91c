fn inner(x) = x + ones([3])
fn outer(x) = inner(x) * 2.0
outer(ones([2]))
#> [E0210] Error: `+`: shapes [2] and [3] do not broadcast
#>    ,-[ tests/golden/reject/call-chain.arr:1:15 ]
#>    |
#>  1 | fn inner(x) = x + ones([3])
#>    |               |^^^^^|^|^^^^
#>    |               |     `-------- 2 against 3
#>    |               |       |
#>    |               `-------------- this is f32[2]
#>    |                       |
#>    |                       `------ this is f32[3]
#>  2 | fn outer(x) = inner(x) * 2.0
#>    |               ^^^^|^^^
#>    |                   `----- in this call of `inner`
#>  3 | outer(ones([2]))
#>    | ^^^^^^^^|^^^^^^^
#>    |         `--------- in this call of `outer`
#>    |
#>    | Help: axes are aligned from the last; extents must be equal or 1
#> ---'
