# One update, plain and donating: a donated buffer is taken over by the result.

fn mib() { count, bytes = live(); (count, bytes // 1024 ** 2) }

jit plain(p) = p * 0.99
jit update(donate p) = p * 0.99

p = ones([2048, 2048])
before = mib()
new = plain(p)
print("donate=False before", before, " after", mib())
#> donate=False before (1, 16)  after (2, 32)

del new
before = mib()
new = update(p)
print("donate=True  before", before, " after", mib())
#> donate=True  before (1, 16)  after (1, 16)
