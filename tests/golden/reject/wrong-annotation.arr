x: f32[3] = ones([2])
#> [E0240] Error: `the value` is f32[2], not f32[3]
#>    ,-[ tests/golden/reject/wrong-annotation.arr:1:1 ]
#>    |
#>  1 | x: f32[3] = ones([2])
#>    | ^^^^^^||^^|^^^^^^^^^^
#>    |       ||  `------------ this is f32[2]
#>    |       ||
#>    |       `---------------- the type written here
#>    |        |
#>    |        `--------------- 3 here, 2 there
#>    |
#>    | Help: change the written type, or convert the value
#> ---'
