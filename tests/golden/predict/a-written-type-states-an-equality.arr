# check: ledger
# `k` is known only while running; the written type is checked there, and from then on it is 8 everywhere.
k = int(full([], 8.0))
x = zeros([k])
y: f32[8] = x
z = y + ones([8])
jit update(donate p, q: f32[8]) = q * 2.0
w = update(ones([8]), x)
n = int(full([], 3.0))
u: f32[m] = zeros([n])
print(w, m, live())
#> [0. 0. 0. 0. 0. 0. 0. 0.] 3 (4, 108)
