# Named arguments, defaults, records, trees, host scalars that never compile again.
jit step(donate p: f32[n, m], g: f32[n, m], lr = 0.1) -> f32[n, m] = p - lr * g
p = ones([2, 2])
p = step(p, g=ones([2, 2]))
p = step(g=ones([2, 2]), p=p, lr=0.5)
print(p)
#> [[0.39999998 0.39999998]
#>  [0.39999998 0.39999998]]
params = {w: ones([2]), b: (zeros([1]), 2.0)}
fn half(x) = x * 0.5
print(map(half, params))
#> {w: array([0.5 0.5]), b: (0.0, 1.0)}
jit loss(t) = sum(t.w) + sum(t.b[0]) * t.b[1]
print(loss(params))
#> 2.0
fn dims(x: f32[n, m]) = (n, m, n * m)
print(dims(zeros([3, 4])))
#> (3, 4, 12)
x: f32[k, 2] = ones([5, 2])
print(k)
#> 5
