# Traps 12 and 13 at sizes that are no multiple of a vector: sums of 2x + 1/4 over n ones are 2.25 n.
fn check(n) {
    x = ones([n])
    assert sum(x * 2.0 + 0.25) == 2.25 * n
    assert max(-1.0 - x) == -2.0
    assert min(x + 1.0) == 2.0
    assert var(x) == 0.0
    y = ones([n, 3])
    assert all(sum(y * 2.0 + 0.25, axis=0) == 2.25 * n)
    assert all(max(-1.0 - y, axis=0) == -2.0)
    assert sum(arange(n)) == n * (n - 1) // 2
}
check(1); check(2); check(3); check(7); check(8); check(31); check(32); check(33); check(127); check(1023); check(1025); check(4097)
print(max(full([5], -3.5)), min(full([5], 7)), max(u8(full([5], 3))), max(full([3], -2147483648)))
#> -3.5 7 3 -2147483648
