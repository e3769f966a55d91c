# check: ledger budget=1GiB
# The ledger is a polynomial in what is read; an assert bounds it.
n = int(full([], 100.0))
x = ones([n, n])
y = x @ x
assert n <= 4096
z = x + y
