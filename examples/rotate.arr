# A parameter that is updated in a loop stays in one buffer.

jit update(donate p) = p * 0.99

p = ones([4])
for i in 0..3 { p = update(p) }
print(p)
#> [0.97029907 0.97029907 0.97029907 0.97029907]
assert live() == (1, 16), "one array of four floats"
