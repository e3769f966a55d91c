jit u(donate s) = {m: s.m * 2.0, v: s.v + 1.0}
z = zeros([2])
s = {m: z, v: z}
s = u(s)
#> [E0304] Error: this call of `u` gives `s.m` away, and `s.v` may be the same array
#>    ,-[ tests/golden/donate/refuse/one-record-two-paths.arr:4:7 ]
#>    |
#>  4 | s = u(s)
#>    |     ^^|^
#>    |       `--- given as `s.m`
#>    |       |
#>    |       `--- in this call
#>    |
#>    |-[ tests/golden/donate/refuse/one-record-two-paths.arr:4:7 ]
#>    |
#>  3 | s = {m: z, v: z}
#>    | ^^^^^^^^|^^^^^^^
#>    |         `--------- `s.v` is bound here
#>    |
#>    | Help: pass a copy: `copy(s.v)`
#> ---'
