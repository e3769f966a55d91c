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
