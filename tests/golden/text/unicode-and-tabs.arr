# Trap 38: spans stay right.
s = "héllo — ∑"	# a tab before this comment
print(s, "a\tb", "q\"q")
#> héllo — ∑ a	b q"q
