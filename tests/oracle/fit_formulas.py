"""Fits the polynomials of src/ops/formula/single.rs, wide.rs and special.rs and prints their coefficients.

Minimax fits by Remez's exchange in 40 digits. Coefficients of f32 formulas are rounded one by one from the
constant term on, each time fitting the rest anew, so that the rounding of one is made good by the others.
Run: python3 tests/oracle/fit_formulas.py
"""

import numpy as np
from mpmath import atanh, chebyfit, cos, erf, erfc, exp, expm1, floor, log, lu_solve, matrix, mp, mpf, pi, sin, sqrt, tanh

mp.dps = 40


def remez(f, weight, low, high, powers):
    """Coefficients of `sum c_k x**k` over `powers` with the least weighted error, and that error."""
    grid = [low + (high - low) * (1 - cos(pi * i / 600)) / 2 for i in range(601)]
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    size = len(powers)
    chosen = [round(600 * (i + 0.5) / (size + 1)) for i in range(size + 1)]
    for _ in range(30):
        system = matrix(size + 1, size + 1)
        right = matrix(size + 1, 1)
        for row, at in enumerate(chosen):
            for column, power in enumerate(powers):
                system[row, column] = grid[at] ** power
            system[row, size] = (-1) ** row / weights[at]
            right[row] = values[at]
        solution = lu_solve(system, right)
        errors = [
            (values[i] - sum(solution[c] * grid[i] ** p for c, p in enumerate(powers))) * weights[i]
            for i in range(601)
        ]
        # One extremum per stretch of one sign, then the alternating run that has the largest.
        extrema = []
        for i, error in enumerate(errors):
            if extrema and (errors[extrema[-1]] > 0) == (error > 0):
                if abs(error) > abs(errors[extrema[-1]]):
                    extrema[-1] = i
            else:
                extrema.append(i)
        while len(extrema) > size + 1:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        if len(extrema) < size + 1 or extrema == chosen:
            break
        chosen = extrema
    return list(solution)[:size], max(abs(error) for error in errors)


def fit(name, f, weight, low, high, count, single):
    fixed = []
    while len(fixed) < count:
        known = list(fixed)
        rest, error = remez(
            lambda x: f(x) - sum(c * x**k for k, c in enumerate(known)), weight, low, high, range(len(fixed), count)
        )
        if not fixed:
            print(f"// {name}: error 2^{float(log(error) / log(2)):.1f}")
        fixed.append(mpf(float(np.float32(float(rest[0])))) if single else mpf(float(rest[0])))
        if not single:
            fixed += [mpf(float(c)) for c in rest[1:]]
    text = [repr(np.float32(float(c)))[11:-1] if single else repr(float(c)) for c in fixed]
    print(f"const {name}: [f64; {count}] = [{', '.join(text)}];")


def series(f, x, limit):
    """`f` away from 0, where it is a quotient that ends in 0/0, its limit there."""
    return limit if abs(x) < mpf(10) ** -12 else f(x)


half_ln2 = log(2) / 2 * (1 + mpf(2) ** -20)
# exp(r) = 1 + r + r^2 Q(r); the weight makes it relative to expm1(r), which is the stricter.
q = lambda r: series(lambda r: (exp(r) - 1 - r) / r**2, r, mpf(1) / 2)
q_weight = lambda r: series(lambda r: r**2 / abs(expm1(r)), r, mpf(10) ** -12)
fit("EXP", q, q_weight, -half_ln2, half_ln2, 5, True)
fit("EXP_WIDE", q, q_weight, -half_ln2, half_ln2, 6, False)
# 2 artanh(s) = 2 s + s z P(z), z = s^2, relative.
z_most = ((sqrt(2) - 1) / (sqrt(2) + 1)) ** 2 * (1 + mpf(2) ** -20)
p = lambda z: series(lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z, z, mpf(2) / 3)
fit("ARTANH", p, lambda z: z + mpf(10) ** -12, mpf(0), z_most, 3, True)
fit("ARTANH_WIDE", p, lambda z: z + mpf(10) ** -12, mpf(0), z_most, 4, False)
# sin r = r + r^3 S(z), cos r = 1 - z/2 + z^2 C(z), z = r^2, |r| <= pi/4.
z_most = (pi / 4) ** 2 * (1 + mpf(2) ** -20)
s = lambda z: series(lambda z: (sin(sqrt(z)) - sqrt(z)) / sqrt(z) ** 3, z, -mpf(1) / 6)
c = lambda z: series(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, z, mpf(1) / 24)
fit("SINE", s, lambda z: z + mpf(10) ** -12, mpf(0), z_most, 4, False)
fit("COSINE", c, lambda z: z**2 + mpf(10) ** -12, mpf(0), z_most, 4, False)
# erf x = x + x E(z), z = x^2, |x| <= 1; erfc a = exp(L(a)) from 1 on.
e = lambda z: series(lambda z: erf(sqrt(z)) / sqrt(z) - 1, z, 2 / sqrt(pi) - 1)
fit("ERF", e, lambda z: mpf(1), mpf(0), mpf(1), 7, True)
fit("LOG_ERFC", lambda a: log(erfc(a)), lambda a: erfc(a) / erf(a), mpf(1), mpf(4), 7, True)
# tanh x = x + x z T(z), z = x^2, |x| <= 0.55, relative.
t = lambda z: series(lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z, z, -mpf(1) / 3)
fit("TANH", t, lambda z: z + mpf(10) ** -12, mpf(0), mpf("0.3026"), 5, True)


def erfc_factor(t):
    """`g` in `erfc(x) = exp(-x^2) g(t) / (1 + 2 x)`, `t = (x - 3.75) / (x + 3.75)`."""
    if 1 - t < mpf(10) ** -6:
        return 2 / sqrt(pi)
    x = mpf("3.75") * (1 + t) / (1 - t)
    if x > 1000:
        y = 1 / (2 * x * x)
        return (1 + 2 * x) / (x * sqrt(pi)) * (1 - y + 3 * y**2 - 15 * y**3)
    return erfc(x) * exp(x * x) * (1 + 2 * x)


mp.dps = 60
coefficients, error = chebyfit(erfc_factor, [-1, 1], 24, error=True)
print(f"// ERFC: error {float(error):.1e}")
print(f"const ERFC: [f64; 24] = {[float(c) for c in reversed(coefficients)]};")
mp.dps = 100
# 2/pi in pieces of 29 bits from bit 29 j on, and the 53 bits that follow two of them.
for j in range(4):
    rest, pieces = 2 / pi * mpf(2) ** (29 * j), []
    rest -= floor(rest)
    scale = mpf(2) ** (-29 * j)
    for bits in (29, 29, 53):
        piece = floor(rest * mpf(2) ** bits) if bits < 53 else mpf(float(rest * mpf(2) ** bits))
        rest = rest * mpf(2) ** bits - piece
        scale /= mpf(2) ** bits
        pieces.append(repr(float(piece * scale)))
    print(f"[{', '.join(pieces)}],")
