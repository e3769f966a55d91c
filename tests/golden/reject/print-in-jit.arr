jit f(x) { print(x); x }
f(ones([2]))
#> [E0216] Error: `print` has no meaning inside a `jit`
#>    ,-[ tests/golden/reject/print-in-jit.arr:1:12 ]
#>    |
#>  1 | jit f(x) { print(x); x }
#>    |            ^^^^|^^^
#>    |                `----- a program computes arrays only
#>  2 | f(ones([2]))
#>    | ^^^^^^|^^^^^
#>    |       `------- in this call of `f`
#>    |
#>    | Help: move it to the top level or into a `fn` that the top level calls
#> ---'
