# The check of a loop inside a function ends (it once looked for a fixpoint over unnamed values), and swaps stay apart.
fn plain(x, y, k) {
    for i in 0..k { x, y = y, x + y * 0.5 }
    (x, y)
}
print(plain(ones([2]), zeros([2]), 3))
#> (array([0.5 0.5]), array([1.25 1.25]))
