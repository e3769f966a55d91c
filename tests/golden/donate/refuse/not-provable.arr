jit f(donate p: f32[n], q: f32[m]) = q * 2.0
#> [E0314] Error: `f` cannot take over `p`: not provable: f32[n] against f32[m] for every size: `n` is not known to be `m`
#>    ,-[ tests/golden/donate/refuse/not-provable.arr:1:7 ]
#>    |
#>  1 | jit f(donate p: f32[n], q: f32[m]) = q * 2.0
#>    |       ^^^^^^^^|^^^^^^^
#>    |               `--------- donated here
#>    |
#>    | Help: write `n` for `m` in the signature of `f`
#>    |
#>    | Note: m = 2, n = 3: 12 B is not 8 B
#> ---'
