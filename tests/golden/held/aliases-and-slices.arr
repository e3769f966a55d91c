# Trap 24: names share, slices own their bytes.
x = ones([1000])
y = x
print(live())
#> (1, 4000)
del x
print(live())
#> (1, 4000)
s = y[0:1]
t = (y, y)
r = reshape(y, [10, 100])
ledger()
#> ledger: 2 arrays, 3.9 KiB
#>   #1  f32[1000]  3.9 KiB  y, t[0], t[1], r
#>   #2  f32[1]     4 B      s
del y, t
print(live())
#> (2, 4004)
