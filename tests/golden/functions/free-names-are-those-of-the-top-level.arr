# As in Python: what a `jit` captures is looked up at the top level, whoever calls it (1.0, not 9.0).
c = full([2], 1.0)
jit g(p) = p + c
fn f(x, c) = g(x)
print(f(zeros([2]), full([2], 9.0)))
#> [1. 1.]
fn h(x) = x + c
fn k(x, c) = h(x)
print(k(zeros([2]), full([2], 9.0)))
#> [1. 1.]
jit outer(x, c) = g(x) + c
print(outer(zeros([2]), full([2], 9.0)))
#> [10. 10.]
fn lists(x, c) { m = memory(g, x); m.constant }
print(lists(zeros([2]), full([3], 9.0)))
#> memory of g(f32[2])
#>   argument   8 B
#>   output     8 B
#>   aliased    0 B
#>   temporary  0 B
#>   constant   8 B
#>   code       *
#> 8
