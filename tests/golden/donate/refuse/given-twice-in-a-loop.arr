# An error in a loop is reported although what it binds has no known type in the rounds that follow.
jit upd(donate p) = p * 0.5 + 1.0
fn swapped(donate p, donate q) {
    p, q = q, p
    q = upd(q)
    (p, q)
}
d = full([4], 3.5)
h = full([4], 3.5)
w = 0
while w < 2 {
    d, h = swapped(d, d)
    w = w + 1
}
#> [E0304] Error: this call of `swapped` gives `d` away and gets it a second time
#>     ,-[ tests/golden/donate/refuse/given-twice-in-a-loop.arr:12:20 ]
#>     |
#>  12 |     d, h = swapped(d, d)
#>     |            ^^^^^^|^|^^|^
#>     |                  | `------ given as `p`
#>     |                  |    |
#>     |                  |    `--- the same array as `q`
#>     |                  |
#>     |                  `-------- in this call
#>     |
#>     | Help: pass a copy: `copy(d)`
#> ----'
