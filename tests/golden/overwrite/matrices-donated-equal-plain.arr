# Transposes, products and softmax of a donated matrix.
jit plain(p) = (p.T + p, p @ p, softmax(p))
jit turned(donate p) = p.T + p
jit squared(donate p) = p @ p
jit rows(donate p) = softmax(p)
fn same(n) {
    x = reshape(arange(n * n, f32) * 0.01, [n, n])
    a, b, c = plain(x)
    assert all(turned(copy(x)) == a)
    assert all(squared(copy(x)) == b)
    assert all(rows(copy(x)) == c)
}
same(1); same(2); same(3); same(7); same(8); same(33); same(67)
#> [W0302] Warning: `squared` hands `p` over: 4 B more are needed during the call
#>     ,-[ tests/golden/overwrite/matrices-donated-equal-plain.arr:4:13 ]
#>     |
#>   4 | jit squared(donate p) = p @ p
#>     |             ^^^^|^^^
#>     |                 `----- donated here, but not overwritten in place
#>     |
#>  10 |     assert all(squared(copy(x)) == b)
#>     |                ^^^^^^^^|^^^^^^^
#>     |                        `--------- in this call
#>     |
#>  13 | same(1); same(2); same(3); same(7); same(8); same(33); same(67)
#>     | ^^^|^^^
#>     |    `----- in this call of `same`
#>     |
#>     | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>     |
#>     | Note: the matrix product reads whole rows and columns: element 0 is read for index 1 after index 0 has overwritten it
#> ----'
#> [W0302] Warning: `turned` hands `p` over: 16 B more are needed during the call
#>     ,-[ tests/golden/overwrite/matrices-donated-equal-plain.arr:3:12 ]
#>     |
#>   3 | jit turned(donate p) = p.T + p
#>     |            ^^^^|^^^
#>     |                `----- donated here, but not overwritten in place
#>     |
#>   9 |     assert all(turned(copy(x)) == a)
#>     |                ^^^^^^^|^^^^^^^
#>     |                       `--------- in this call
#>     |
#>  13 | same(1); same(2); same(3); same(7); same(8); same(33); same(67)
#>     |          ^^^|^^^
#>     |             `----- in this call of `same`
#>     |
#>     | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>     |
#>     | Note: element 1 is read for index 2 after index 1 has overwritten it
#> ----'
