# Conditions and bounds that are known only while running. Values by hand.
jit grow(x) {
    n = 0
    while sum(x) < 1000.0 { x = x * 2.0; n = n + 1 }
    (x, n)
}
print(grow(ones([3])))
#> (array([512. 512. 512.]), 9)
jit update(donate x, n) {
    for i in 0..n { x[i] = x[i] * 2.0 + f32(i) }
    x
}
print(update(ones([5]), 5))
#> [2. 3. 4. 5. 6.]
jit down(x) { s = 0; for i in 5..0 step -2 { s = s + i }
    x + s }
print(down(zeros([2])))
#> [9. 9.]
jit none(x, n) { for i in 0..n { x = x + 1.0 }
    x }
print(none(zeros([2]), 0), none(zeros([2]), -3), none(zeros([2]), 2))
#> [0. 0.] [0. 0.] [2. 2.]
jit twice(a) { if sum(a) > 1.0 { b = a * 2.0 } else { b = a * 3.0 }
    b }
print(twice(ones([2])), twice(full([2], 0.25)))
#> [2. 2.] [0.75 0.75]
