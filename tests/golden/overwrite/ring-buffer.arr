# Trap 5: a ring buffer that is given away and taken over.
jit push(donate buf: f32[n], v: f32[1]) = concat([buf[1:], v])
b = arange(5, f32)
for i in 0..3 { b = push(b, full([1], 10.0 + i)) }
print(b, live())
#> [ 3.  4. 10. 11. 12.] (1, 20)
