ones([1 << 40, 1 << 40])
#> [E0212] Error: f32[1099511627776, 1099511627776] is too large for any memory
#>    ,-[ tests/golden/reject/size-overflow.arr:1:1 ]
#>    |
#>  1 | ones([1 << 40, 1 << 40])
#>    | ^^^^^^^^^^^^|^^^^^^^^^^^
#>    |             `------------- this many bytes cannot be addressed
#>    |
#>    | Help: check the sizes: an array holds at most 2 ** 62 bytes
#> ---'
