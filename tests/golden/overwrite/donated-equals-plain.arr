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
