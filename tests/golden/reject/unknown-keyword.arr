sum(ones([2]), axes=0)
#> [E0250] Error: `sum` has no parameter `axes`
#>    ,-[ tests/golden/reject/unknown-keyword.arr:1:16 ]
#>    |
#>  1 | sum(ones([2]), axes=0)
#>    |                ^^|^
#>    |                  `--- unknown keyword
#>    |
#>    | Help: the signature is sum(x, axis=, keepdims=)
#> ---'
