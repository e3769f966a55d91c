# A jit that reads a global array captures it: the cache holds the original and one constant copy.

fn mib() { count, bytes = live(); (count, bytes // 1024 ** 2) }

x = ones([2048, 2048])
c = full([2048, 2048], 7.0)
jit captured(p) = p + c

captured(x)
print("captured, after one call", mib())
#> captured, after one call (3, 48)

del c
print("captured, after del c   ", mib())
#> captured, after del c    (3, 48)

clear_caches()
print("captured, after clear   ", mib())
#> captured, after clear    (1, 16)
#> [W0301] Warning: `captured` captures `c`, f32[2048, 2048]: the cache holds 16 MiB twice
#>    ,-[ examples/captures.arr:9:1 ]
#>    |
#>  9 | captured(x)
#>    | ^^^^^|^^^^^
#>    |      `------- compiled with the capture here
#>    |
#>    |-[ examples/captures.arr:9:1 ]
#>    |
#>  7 | jit captured(p) = p + c
#>    |     ^^^^|^^^
#>    |         `----- `c` is read inside
#>    |
#>    | Help: pass it as an argument: `captured(..., c)`
#> ---'
