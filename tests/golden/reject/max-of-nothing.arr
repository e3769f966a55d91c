max(zeros([0, 2]), axis=0)
#> [E0254] Error: `max` over no elements: f32[0, 2] has an extent of 0 there
#>    ,-[ tests/golden/reject/max-of-nothing.arr:1:1 ]
#>    |
#>  1 | max(zeros([0, 2]), axis=0)
#>    | ^^^^^^^^^^^^^|^^^^^^^^^^^^
#>    |              `-------------- nothing to choose from
#>    |
#>    | Help: test the extent first: `if x.shape[0] > 0`
#> ---'
