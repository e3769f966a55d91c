# Meaning never depends on the state of the cache.
c = ones([2])
jit f(x) = x + c
print(f(zeros([2])), live())
#> [1. 1.] (2, 16)
c = full([2], 5.0)
print(f(zeros([2])), live())
#> [5. 5.] (4, 32)
ledger()
#> ledger: 4 arrays, 32 B
#>   #1  f32[2]  8 B  cache of f
#>   #3  f32[2]  8 B  constant in cache of f
#>   #5  f32[2]  8 B  c, cache of f
#>   #7  f32[2]  8 B  constant in cache of f
clear_caches()
print(live())
#> (1, 8)
