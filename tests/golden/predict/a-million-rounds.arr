# check: ledger
# Rounds that change nothing in the ledger are gone through a few times only.
jit update(donate p, lr) = p - lr * p
p = ones([64])
lr = 0.1
for i in 0..100 { p = update(p, lr); lr = lr * 0.9 }
for i in 0..100 step 3 { if i == 99 { q = p + p } }
