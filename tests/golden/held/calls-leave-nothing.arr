# Trap 22: shapes that change in a loop leave nothing behind.
jit f(x) = sum(x * 2.0)
for i in 1..40 { f(zeros([i])) }
print(live())
#> (0, 0)
fn g(x) { y = x + 1.0; z = y * 2.0; (count_of(), z) }
fn count_of() { count, bytes = live(); count }
n, z = g(ones([3]))
print(n, z, live())
#> 3 [4. 4. 4.] (1, 12)
