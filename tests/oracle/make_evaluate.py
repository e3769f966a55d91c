"""Writes evaluate.json: results of the scalar operations at the edges of every dtype.

By NumPy and ml_dtypes; shifts by JAX; what those leave open (saturating casts, the order of signed zeros, a multiply
and add rounded once) by exact rational arithmetic. `{op: {dtype: [[operand bits..., result bits]]}}`; NaN results are
the string "nan". Run: python3 tests/oracle/make_evaluate.py
"""

import itertools
import json
import math
import pathlib
from fractions import Fraction

import jax
import ml_dtypes
import numpy as np

jax.config.update("jax_enable_x64", True)
np.seterr(all="ignore")

INTS = {"u8": np.uint8, "u32": np.uint32, "i32": np.int32, "i64": np.int64}
FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
TYPES = {"bool": np.bool_, **INTS, **FLOATS}
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def bits(value):
    array = np.asarray(value)
    return int(array.view(BITS[array.dtype.itemsize]))


def encode(value):
    array = np.asarray(value)
    return "nan" if array.dtype in FLOATS.values() and np.isnan(array) else bits(value)


def values(name):
    kind = TYPES[name]
    if name == "bool":
        return [np.bool_(False), np.bool_(True)]
    if name in INTS:
        info = np.iinfo(kind)
        edges = [info.min, info.min + 1, -8, -7, -2, -1, 0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 100, info.max - 1, info.max]
        return [kind(v) for v in sorted({v for v in edges if info.min <= v <= info.max})]
    info = ml_dtypes.finfo(kind)
    one = kind(1)
    step = kind(info.eps)
    edges = [0.0, info.smallest_subnormal, info.tiny, 0.1, 0.5, 1, one + step, 1.5, 2.5, 3, 7.7, 255.5, 1e4, 3e9, info.max]
    # Those beyond the dtype's range are left out.
    sizes = [kind(v) for v in edges if float(v) <= float(info.max)] + [kind(math.inf)]
    return [v for size in sizes for v in (size, -size)] + [kind(math.nan)]


def rounded(value, name):
    """A Fraction rounded once to f32 or f64, ties to even."""
    digits, least, most = (24, -149, 127) if name == "f32" else (53, -1074, 1023)
    if value == 0:
        return FLOATS[name](0.0)
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - digits + 1, least)
    size = round(size / unit) * unit
    if size >= Fraction(2) ** (most + 1):
        return FLOATS[name](math.copysign(math.inf, value))
    return FLOATS[name](math.copysign(float(size), value))


def fma(a, b, c, name):
    if all(np.isfinite(v) for v in (a, b, c)):
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        if exact != 0:
            return rounded(exact, name)
    return a * b + c


def larger(a, b):
    if np.isnan(a) or np.isnan(b):
        return a + b
    if a == b:
        return b if np.signbit(a) else a
    return a if a > b else b


def to_int(value, name):
    info = np.iinfo(INTS[name])
    if np.isnan(value):
        return INTS[name](0)
    if np.isinf(value):
        return INTS[name](info.max if value > 0 else info.min)
    return INTS[name](min(max(math.trunc(float(value)), info.min), info.max))


tables = {}


def row(op, name, operands, result):
    tables.setdefault(op, {}).setdefault(name, []).append([bits(v) for v in operands] + [encode(result)])


COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal}
INTEGER = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "floordiv": np.floor_divide, "mod": np.remainder,
    "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}  # fmt: skip
SHIFTS = {
    "shl": jax.lax.shift_left, "shr": jax.lax.shift_right_arithmetic, "shr_logical": jax.lax.shift_right_logical,
}  # fmt: skip
for name in INTS:
    for a, b in itertools.product(values(name), repeat=2):
        for op, function in (INTEGER | COMPARE).items():
            row(op, name, (a, b), function(a, b))
    pairs = list(itertools.product(values(name), repeat=2))
    left, right = np.array([p[0] for p in pairs]), np.array([p[1] for p in pairs])
    for op, function in SHIFTS.items():
        # An unsigned operand has no sign to repeat.
        function = SHIFTS["shr_logical"] if op == "shr" and name.startswith("u") else function
        for a, b, result in zip(left, right, np.asarray(function(left, right))):
            row(op, name, (a, b), result)
    for a in values(name):
        row("not", name, (a,), np.invert(a))
        row("neg", name, (a,), np.negative(a))
        row("abs", name, (a,), np.abs(a))
for a, b in itertools.product(values("bool"), repeat=2):
    for op in ("add", "mul", "max", "min", "and", "or", "xor"):
        row(op, "bool", (a, b), INTEGER[op](a, b))
    for op, function in COMPARE.items():
        row(op, "bool", (a, b), function(a, b))
row("not", "bool", (np.bool_(True),), np.bool_(False))
row("not", "bool", (np.bool_(False),), np.bool_(True))

ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.true_divide, "rem": np.fmod}
ROUNDINGS = {"floor": np.floor, "ceil": np.ceil, "round": np.rint, "trunc": np.trunc, "sqrt": np.sqrt}
for name, kind in FLOATS.items():
    # A third of the pairs, in which every value stands on both sides and meets its own negative.
    everything = list(enumerate(values(name)))
    for a, b in [(a, b) for (i, a), (j, b) in itertools.product(everything, repeat=2) if (i - j) % 3 < 1 or i ^ j == 1]:
        for op, function in (ARITHMETIC | COMPARE).items():
            row(op, name, (a, b), function(a, b))
        row("max", name, (a, b), larger(a, b))
        row("min", name, (a, b), -larger(-a, -b))
    for a in values(name):
        for op, function in ROUNDINGS.items():
            row(op, name, (a,), function(a))
        row("neg", name, (a,), kind(-a))
        row("abs", name, (a,), np.abs(a))
    for a, b, c in itertools.product(values(name)[1::5], repeat=3):
        if name in ("f16", "bf16"):
            wide = fma(np.float32(a), np.float32(b), np.float32(c), "f32")
            row("fma", name, (a, b, c), wide.astype(kind))
        else:
            row("fma", name, (a, b, c), fma(a, b, c, name))

TIES = {"f64": [1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 1 + 3 * 2.0**-9, 65519.99, 65520.0, 3.4e38, 1e-8, 1e-45]}
for source, target in itertools.product(TYPES, repeat=2):
    extra = [TYPES[source](v) for v in TIES["f64"]] if source in ("f32", "f64") else []
    if source == "i64":
        extra = [np.int64(v) for v in (2**24 + 1, 2**53 + 1, 2**62 + 2**38 + 1, -(2**40) - 1, 65520)]
    for a in values(source) + extra:
        if source in FLOATS and target in INTS:
            result = to_int(a, target)
        elif target in ("f16", "bf16") and source not in ("f16", "bf16"):
            result = np.float32(a).astype(FLOATS[target])
        elif source in ("f16", "bf16"):
            result = np.float32(a).astype(TYPES[target])
        else:
            result = np.asarray(a).astype(TYPES[target])
        row(f"cast.{target}", source, (a,), result)

text = json.dumps(tables, separators=(",", ":")).replace("]],", "]],\n")
pathlib.Path(__file__).with_name("evaluate.json").write_text(text + "\n")
