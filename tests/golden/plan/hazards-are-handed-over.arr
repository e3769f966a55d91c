# emit: plan
# What reads elsewhere than it writes gets its own buffer during the call; the verdict carries a witness.
jit flipped(donate p) = p + flip(p)
jit turned(donate p) = p.T + p
jit squared(donate p) = p @ p
jit shifted(donate p) { p[1:] = p[:-1]; p }
jit centered(donate p) = p - mean(p)
a = flipped(ones([8]))
b = turned(ones([4, 4]))
c = squared(ones([4, 4]))
d = shifted(arange(8, f32))
e = centered(ones([8]))
