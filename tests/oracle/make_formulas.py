"""Writes formulas.json: true values of the functions at hard points, from mpmath at 400 digits and C's pow limits.

Per function and dtype a list of rows `[x, (y,) high, low]`: bits of the operands in the dtype, then the true value
as the bits of two f64 whose sum it is. Run: python3 tests/oracle/make_formulas.py
"""

import json
import math
import pathlib
import random
import struct

from mpmath import erf, exp, expm1, floor, inf, isnan, log, log1p, mp, mpf, nan, pi, sin, cos, sqrt, tan, tanh

mp.dps = 400
random.seed(20)
FORMATS = {"f32": ("<f", "<I", 24, -149, 127), "f64": ("<d", "<Q", 53, -1074, 1023)}


def bits(dtype, value):
    return struct.unpack(FORMATS[dtype][1], struct.pack(FORMATS[dtype][0], value))[0]


def of_bits(dtype, pattern):
    return struct.unpack(FORMATS[dtype][0], struct.pack(FORMATS[dtype][1], pattern))[0]


def rounded(dtype, value):
    """A Python float near `value` that is in the dtype."""
    return of_bits(dtype, bits(dtype, float(value)))


def halves(value):
    """Bits of the f64 pair that sums up to `value`."""
    if isnan(value):
        return [bits("f64", math.nan), 0]
    high = float(value)
    if math.isinf(high) or high == 0.0:
        # Beyond f64: its limit is the rounded result. Zeros carry their sign in `value` as a float.
        return [bits("f64", high), 0]
    return [bits("f64", high), bits("f64", float(value - mpf(high)))]


def sigmoid(x):
    return 1 / (1 + exp(-x))


def rsqrt(x):
    return 1 / sqrt(x) if x > 0 else (nan if x < 0 else inf)


def natural_log(x):
    return log(x) if x > 0 else (nan if x < 0 else -inf)


def log_of_1_and(x):
    return log1p(x) if x > -1 else (nan if x < -1 else -inf)


def odd(function):
    return lambda x: function(x) if x != 0 else x


FUNCTIONS = {
    "exp": exp, "expm1": odd(expm1), "log": natural_log, "log1p": odd(log_of_1_and), "sin": odd(sin), "cos": cos,
    "tan": odd(tan), "tanh": odd(tanh), "sigmoid": sigmoid, "erf": odd(erf), "rsqrt": rsqrt,
}  # fmt: skip
LIMITS = {
    "exp": (math.inf, 0.0), "expm1": (math.inf, -1.0), "log": (math.inf, math.nan), "log1p": (math.inf, math.nan),
    "sin": (math.nan, math.nan), "cos": (math.nan, math.nan), "tan": (math.nan, math.nan), "tanh": (1.0, -1.0),
    "sigmoid": (1.0, 0.0), "erf": (1.0, -1.0), "rsqrt": (0.0, math.nan),
}  # fmt: skip


def neighbours(dtype, value, count):
    """The floats around a positive `value`."""
    middle = bits(dtype, float(value))
    return [of_bits(dtype, middle + step) for step in range(-count, count + 1)]


def near_quarter_turns(dtype):
    """Floats that are all but multiples of pi/2: numerators of continued fractions, one exponent after another."""
    _, _, digits, _, most = FORMATS[dtype]
    found = []
    for exponent in range(-digits + 1, most - digits + 2, 1 if dtype == "f32" else 7):
        rest = mpf(2) ** exponent * 2 / pi
        below, above, best = (1, 0), (0, 1), None
        for _ in range(400):
            whole = int(floor(rest))
            denominator = whole * below[1] + above[1]
            if denominator >= 2**digits:
                break
            below, above, best = (whole * below[0] + above[0], denominator), below, denominator
            if rest == whole:
                break
            rest = 1 / (rest - whole)
        # Scaled to the full width of the mantissa it would be another exponent's; small ones are easy.
        if best and best > 2 ** (digits // 2):
            found.append(math.ldexp(best, exponent))
    return found


def points(name, dtype):
    _, _, digits, least, most = FORMATS[dtype]
    sizes = [0.0, math.ldexp(1, least), math.ldexp(2**digits - 1, most - digits + 1)]
    for exponent in sorted(random.sample(range(least, most + 1), 60)) + list(range(-16, 12)):
        sizes.append(rounded(dtype, math.ldexp(1 + random.random(), exponent)))
    if name in ("sin", "cos", "tan"):
        sizes += near_quarter_turns(dtype)
        for k in range(1, 40):
            sizes += neighbours(dtype, k * math.pi / 4, 1)
    if name in ("log", "log1p", "exp", "expm1", "tanh", "sigmoid", "erf"):
        for value in (0.5, math.sqrt(0.5), 1.0, math.sqrt(2), 2.0, math.log(2) / 2, 1.5 * math.log(2), 0.55, 4.0, 6.0):
            sizes += neighbours(dtype, value, 2)
        edges = (87.33, 88.72283, 103.97) if dtype == "f32" else (708.396, 709.782712893384, 745.13)
        for value in edges:
            sizes += neighbours(dtype, value, 2)
        sizes += [rounded(dtype, random.uniform(0, edges[2])) for _ in range(60)]
        sizes += [rounded(dtype, random.uniform(0, 3)) for _ in range(60)]
    return [sign * size for size in sizes for sign in (1.0, -1.0)]


def unary_rows(name, dtype):
    rows = []
    for x in points(name, dtype):
        if x == 0.0:
            truth = {"exp": 1.0, "cos": 1.0, "sigmoid": 0.5, "log": -math.inf, "rsqrt": math.copysign(math.inf, x)}
            rows.append([bits(dtype, x), bits("f64", truth.get(name, x)), 0])
        elif abs(x) > 1e4 and name in LIMITS and name not in ("sin", "cos", "tan", "log", "log1p", "rsqrt"):
            rows.append([bits(dtype, x), bits("f64", LIMITS[name][x < 0]), 0])
        else:
            rows.append([bits(dtype, x)] + halves(FUNCTIONS[name](mpf(x))))
    for x, truth in zip((math.inf, -math.inf, math.nan), LIMITS[name] + (math.nan,)):
        rows.append([bits(dtype, x), bits("f64", truth), 0])
    return rows


def power_truth(x, y):
    special = (0.0, 1.0, -1.0, math.inf, -math.inf)
    if x in special or y in special or x != x or y != y or (x < 0 and y != math.floor(y)):
        # The exact cases, by C's pow; Python raises where C gives an infinity or NaN.
        try:
            result = math.pow(x, y)
        except ValueError:
            odd_integer = y == math.floor(y) and math.fmod(y, 2) != 0
            result = (math.copysign(math.inf, x) if odd_integer else math.inf) if x == 0.0 else math.nan
        except OverflowError:
            result = -math.inf if x < 0 and math.fmod(y, 2) != 0 else math.inf
        return [bits("f64", result), 0]
    magnitude = abs(mpf(x))
    log_size = log(magnitude) * mpf(y)
    flips = x < 0 and math.fmod(y, 2) != 0
    if abs(log_size) > 800:
        limit = math.inf if log_size > 0 else 0.0
        return [bits("f64", -limit if flips else limit), 0]
    value = exp(log_size)
    return halves(-value if flips else value)


def power_rows(dtype):
    _, _, digits, least, most = FORMATS[dtype]
    tiny, huge = math.ldexp(1, least), math.ldexp(2**digits - 1, most - digits + 1)
    special = [0.0, tiny, 0.5, 1.0, 1.5, 2.0, 3.0, 2.0**24 - 1, 2.0**24, huge, math.inf]
    special = [sign * size for size in special for sign in (1.0, -1.0)] + [math.nan]
    pairs = [(x, y) for x in special for y in special]
    for _ in range(250):
        x = rounded(dtype, math.ldexp(1 + random.random(), random.randint(least, most)))
        limit = (128 if dtype == "f32" else 1024) / max(abs(math.log2(x)), 0.01)
        pairs.append((x, rounded(dtype, random.uniform(-1.1, 1.1) * limit)))
        x = rounded(dtype, 1 + math.ldexp(random.uniform(-1, 1), -random.randint(2, digits - 2)))
        if x != 1.0:
            limit = (88 if dtype == "f32" else 709) / abs(math.log(x))
            pairs.append((x, rounded(dtype, random.uniform(-1, 1) * limit)))
        pairs.append((-rounded(dtype, random.uniform(0, 30)), float(random.randint(-40, 40))))
    return [[bits(dtype, x), bits(dtype, y)] + power_truth(x, y) for x, y in pairs]


tables = {name: {dtype: unary_rows(name, dtype) for dtype in FORMATS} for name in FUNCTIONS}
tables["power"] = {dtype: power_rows(dtype) for dtype in FORMATS}
text = json.dumps(tables, separators=(",", ":")).replace("]],", "]],\n").replace("]]}", "]]}\n")
pathlib.Path(__file__).with_name("formulas.json").write_text(text + "\n")
