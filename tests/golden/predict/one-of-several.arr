# check: ledger
# A condition that is known only while running: both ledgers are listed, and the peak is that of the larger way.
x = ones([1024])
if item(sum(x)) > 10.0 { y = x * 2.0 } else { y = x }
z = zeros([256])
x = z
y = z
