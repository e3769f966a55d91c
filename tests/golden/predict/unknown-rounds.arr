# check: ledger
# Any number of rounds: each leaves what the one before left.
jit update(donate p) = p * 0.5
p = ones([1024])
err = 1.0
while err > 1e-3 { p = update(p); err = item(max(p)) }
for i in 0..int(sum(p)) { p = update(p) }
