# check: ledger budget=1GiB
# The assert stands before the first array of that size.
n = int(full([], 100.0))
assert n < 4097
x = ones([n, n])
y = x @ x
del x
