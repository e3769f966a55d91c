# The donated update writes into the buffer that it was given; the plain one, the control, needs another.
jit update(donate p) = p * 0.99
jit plain(p) = p * 0.99
given = memory(update, ones([2048, 2048]))
#> memory of update(f32[2048, 2048])
#>   argument   16 MiB
#>   output     16 MiB
#>   aliased    16 MiB
#>   temporary  0 B
#>   constant   0 B
#>   code       *
lent = memory(plain, ones([2048, 2048]))
#> memory of plain(f32[2048, 2048])
#>   argument   16 MiB
#>   output     16 MiB
#>   aliased    0 B
#>   temporary  0 B
#>   constant   0 B
#>   code       *
assert given.output - given.aliased + given.temporary == 0, "nothing is allocated"
assert lent.output - lent.aliased + lent.temporary == 16 * 1024 ** 2, "the control allocates"
