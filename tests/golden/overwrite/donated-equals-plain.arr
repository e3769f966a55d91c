# Hazards of trap 2: the bits with donation are those without, at every size.
jit plain(p) = (p + flip(p), p - roll(p, 1), p / sqrt(sum(p * p)), p * 2.0)
jit flipped(donate p) = p + flip(p)
jit rolled(donate p) = p - roll(p, 1)
jit scaled(donate p) = p / sqrt(sum(p * p))
jit doubled(donate p) = p * 2.0
fn same(n) {
    x = arange(n, f32) * 0.37 + 0.5
    a, b, c, d = plain(x)
    assert all(flipped(copy(x)) == a)
    assert all(rolled(copy(x)) == b)
    assert all(scaled(copy(x)) == c)
    assert all(doubled(copy(x)) == d)
}
for n in 0..10 { same(n) }
same(31); same(32); same(33); same(127); same(130); same(1023); same(1025); same(4097)
print(live())
#> (0, 0)
#> [W0302] Warning: `flipped` hands `p` over: 4 * n B more are needed during the call
#>     ,-[ tests/golden/overwrite/donated-equals-plain.arr:3:13 ]
#>     |
#>   3 | jit flipped(donate p) = p + flip(p)
#>     |             ^^^^|^^^
#>     |                 `----- donated here, but not overwritten in place
#>     |
#>  10 |     assert all(flipped(copy(x)) == a)
#>     |                ^^^^^^^^|^^^^^^^
#>     |                        `--------- in this call
#>     |
#>  15 | for n in 0..10 { same(n) }
#>     |                  ^^^|^^^
#>     |                     `----- in this call of `same`
#>     |
#>     | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>     |
#>     | Note: for a generic size: element 0 is read for index 36 after index 0 has overwritten it
#> ----'
#> [W0302] Warning: `rolled` hands `p` over: 4 * n B more are needed during the call
#>     ,-[ tests/golden/overwrite/donated-equals-plain.arr:4:12 ]
#>     |
#>   4 | jit rolled(donate p) = p - roll(p, 1)
#>     |            ^^^^|^^^
#>     |                `----- donated here, but not overwritten in place
#>     |
#>  11 |     assert all(rolled(copy(x)) == b)
#>     |                ^^^^^^^|^^^^^^^
#>     |                       `--------- in this call
#>     |
#>  15 | for n in 0..10 { same(n) }
#>     |                  ^^^|^^^
#>     |                     `----- in this call of `same`
#>     |
#>     | Help: the peak is as high as without the donation; it is lower if every element is computed from its own place alone
#>     |
#>     | Note: for a generic size: the argument is still read after the result has begun to be written
#> ----'
