jit f(x, n) {
    for i in 0..n { x = concat([x, x]) }
    x
}
f(ones([2]), 3)
#> [E0214] Error: `x` changes its type in this loop: f32[2] against f32[4]
#>    ,-[ tests/golden/reject/carried-shape-changes.arr:2:21 ]
#>    |
#>  2 |     for i in 0..n { x = concat([x, x]) }
#>    |     ^^^^^^^^^^^^^^^^|^|^^^^^^^^^^^^^^^^^
#>    |                     `--------------------- the types must agree
#>    |                     | |
#>    |                     | `------------------- f32[2] here
#>    |                     |
#>    |                     `--------------------- f32[4] here
#>    |
#>  5 | f(ones([2]), 3)
#>    | ^^^^^^^|^^^^^^^
#>    |        `--------- in this call of `f`
#>    |
#>    | Help: what a loop carries from round to round keeps its shape and dtype
#> ---'
