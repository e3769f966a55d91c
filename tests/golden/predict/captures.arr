# check: ledger
# The table of captures in the language guide, section 4: 3 arrays, 48 MiB; 3, 48; 1, 16; 2, 32; 1, 16.
x = ones([2048, 2048])
c = full([2048, 2048], 7.0)
jit captured(p) = p + c
captured(x)
assert live() == (3, 3 * 4 * 2048 ** 2)
del c
assert live() == (3, 3 * 4 * 2048 ** 2)
clear_caches()
assert live() == (1, 4 * 2048 ** 2)
k = full([2048, 2048], 7.0)
jit passed(p, q) = p + q
passed(x, k)
assert live() == (2, 2 * 4 * 2048 ** 2)
del k
assert live() == (1, 4 * 2048 ** 2)
#> [W0301] Warning: `captured` captures `c`, f32[2048, 2048]: the cache holds 16 MiB twice
#>    ,-[ tests/golden/predict/captures.arr:6:1 ]
#>    |
#>  6 | captured(x)
#>    | ^^^^^|^^^^^
#>    |      `------- compiled with the capture here
#>    |
#>    |-[ tests/golden/predict/captures.arr:6:1 ]
#>    |
#>  5 | jit captured(p) = p + c
#>    |     ^^^^|^^^
#>    |         `----- `c` is read inside
#>    |
#>    | Help: pass it as an argument: `captured(..., c)`
#> ---'
