# check: suggest
# Giving saves one array at the peak: by a parameter, and by a jit for a statement. 3 MiB become 2 MiB.
jit step(p, g) = p - 0.1 * g
p = ones([512, 512])
g = ones([512, 512])
p = step(p, g)
p = p * 0.99 + g
