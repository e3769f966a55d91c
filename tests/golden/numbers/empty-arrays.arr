# Trap 19.
print(sum(zeros([0])), prod(zeros([0])), mean(zeros([0])), any(zeros([0])), all(zeros([0])))
#> 0.0 1.0 nan False True
print(max(zeros([0, 2]), axis=1), zeros([3, 0]) @ zeros([0, 2]))
#> [] [[0. 0.]
#>  [0. 0.]
#>  [0. 0.]]
print(concat([zeros([0]), ones([2])]), sort(zeros([0])), arange(0), live())
#> [1. 1.] [] [] (0, 0)
x = zeros([0])
print(live())
#> (1, 0)
