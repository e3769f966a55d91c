value = 1
print(valeu)
#> [E0203] Error: there is no `valeu`
#>    ,-[ tests/golden/reject/unknown-name.arr:2:7 ]
#>    |
#>  2 | print(valeu)
#>    |       ^^|^^
#>    |         `---- nothing of this name is bound here
#>    |
#>    | Help: did you mean `value`?
#> ---'
