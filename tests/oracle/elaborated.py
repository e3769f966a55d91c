"""Writes elaborated.json: what NumPy computes for indexing, assignment and arithmetic written in arr.

Run as `python3 tests/oracle/elaborated.py > tests/oracle/elaborated.json` with NumPy 2.4. A case is an expression or
the statements of a `jit` body over the names of `ARGS`, and the result; elements are given by their bits.
"""

import json
import numpy as np

rng = np.random.default_rng(11)
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
NAMES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "uint8": "u8", "bool": "bool"}
np.seterr(all="ignore")

ARGS = {
    "x": np.arange(120, dtype=np.int32).reshape(4, 5, 6),
    "y": np.arange(4, dtype=np.int32),
    "i": np.array([2, 0, -1], dtype=np.int32),
    "j": np.array([[1], [-2]], dtype=np.int64),
    "u": np.array([3, 0, 3], dtype=np.uint8),
    "s": np.array(-2, dtype=np.int32),
    "a": np.array([7, -7, 7, -7, 0, -2147483648], dtype=np.int32),
    "b": np.array([2, 2, -2, -3, 5, -1], dtype=np.int32),
    "f": np.array([7.5, -7.5, 7.5, -7.5, 0.0, -0.0, 1e30, 5.0], dtype=np.float32),
    "g": np.array([2.0, 2.0, -2.0, -2.5, 3.0, 3.0, 7.0, np.inf], dtype=np.float32),
    "d": np.array([1.5, -2.25, 3.0], dtype=np.float64),
}
HOSTS = {"k": 2, "n": -1}
cases = []


def array(x):
    x = np.asarray(x)
    bits = np.ascontiguousarray(x).reshape(-1).view(BITS[x.dtype.itemsize])
    return {"dtype": NAMES[str(x.dtype)], "extents": list(x.shape), "bits": [int(b) for b in bits]}


def names():
    return {**{name: value.copy() for name, value in ARGS.items()}, **HOSTS, "newaxis": np.newaxis}


def read(text, python=None, dtype=None):
    result = np.asarray(eval(python or text, {"np": np}, names()))
    cases.append({"text": text, "result": array(result if dtype is None else result.astype(dtype))})


def write(statements, name="x"):
    """The statements are Python and arr alike; the result is what `name` holds after them."""
    space = names()
    exec(statements, {"np": np}, space)
    cases.append({"body": statements, "name": name, "result": array(space[name])})


def item(rank_left):
    kind = rng.integers(0, 9)
    if kind <= 3:
        parts = ["" if rng.random() < 0.4 else str(rng.integers(-8, 9)) for _ in range(2)]
        step = rng.choice(["", "1", "-1", "2", "-2", "3", "-7"])
        return ":".join(parts) + (f":{step}" if step else ""), False
    if kind == 4:
        return str(rng.integers(-4, 4)), False
    if kind == 5:
        return str(rng.choice(["k", "n", "s"])), False
    return str(rng.choice(["i", "j", "u"])), True


def index():
    count = int(rng.integers(1, 4))
    items = [item(count)[0] for _ in range(count)]
    for extra in ("newaxis", "..."):
        if rng.random() < 0.3:
            items.insert(int(rng.integers(0, len(items) + 1)), extra)
    return ", ".join(items)


for text in ["1", "-1, 2", "1, 2, 3", "k, 2, s", "1:3", "::-2", "3:0:-1, ..., 0", "10:, :-10", "-3:-1",
             "newaxis, ..., newaxis", ":, newaxis, 0", "i", ":, i", ":, j", "i, j", ":, i, j", "i, :, j", "0, :, i",
             ":, 0, i", "k, :, i", "i, newaxis, j", "i, 1:3, newaxis, 0", "..., i", "u, ..., i"]:
    read(f"x[{text}]")
while len(cases) < 200:
    read(f"x[{index()}]")

for text in ["y[1:] = y[:-1]", "y[:] = y[::-1]", "y[::2] = y[1::2]", "y[::-1] = y", "y[i] = u", "y[u] = i",
             "y[k] = 9", "y[n] = y[k]", "y[i] = -y[i] * 2"]:
    write(text, "y")
while len(cases) < 380:
    text = index()
    shape = eval(f"x[{text}]", {}, names()).shape
    scale = "100 + x[" + text + "] * 3" if rng.random() < 0.6 else "7"
    write(f"x[{text}] = {scale}")

for text in ["a // b", "a % b", "a // 3", "a % -3", "-5 // b", "a / b", "a ** 2", "a ** 3", "a << 1", "a >> 1",
             "a & b", "a | b", "a ^ b", "~a", "-a", "a < b", "a >= b", "a == b", "a != b", "a * b", "u - 4 + u",
             "u * 100", "f + g", "f * g", "f / g", "f % g", "f // 2.0", "f % 2.5", "f % n", "f ** 2", "f < g",
             "-f", "d * d", "d / 3", "d // 0.5", "d % -0.5", "d ** 3", "d ** -2", "d ** k", "a ** k",
             "x[:, 0, :5] @ x[0, :, :3]", "d @ d", "i + d", "x.T", "y * 2 + 1"]:
    python = {"a / b": "(a / b).astype(np.float32)", "u - 4 + u": "u - np.uint8(4) + u"}.get(text)
    read(text, python)
read("f // g")
# Divisors of both zeros.
read("(f // (g * 0.0))[:4]", "(f // (g * np.float32(0.0)))[:4]")



def control(body, python, name="x"):
    """The statements in arr, and in Python."""
    space = names()
    exec(python, {"np": np}, space)
    cases.append({"body": body, "name": name, "result": array(space[name])})


control("for l in 0..4 { y[l] = y[l] * l + k }", "for l in range(4): y[l] = y[l] * l + k", "y")
control("for l in 3..-1 step -1 { y[l] = y[l - 1] }", "for l in range(3, -1, -1): y[l] = y[l - 1]", "y")
control("for l in 0..k { for q in 0..3 { y[q] = y[q + 1] - l } }",
        "for l in range(k):\n  for q in range(3): y[q] = y[q + 1] - l", "y")
control("for l in 0..3 { y[l:] = y[l:] + l }", "for l in range(3): y[l:] = y[l:] + l", "y")
control("for l in 0..3 { for q in 0..k { y[l:] = y[l:] + q } }",
        "for l in range(3):\n  for q in range(k): y[l:] = y[l:] + q", "y")
control("a = (a + 100) % 97\nfor l in 1..6 {\n q = l\n while q > 0 and a[q - 1] > a[q] {\n t = a[q]\n a[q] = a[q - 1]\n"
        " a[q - 1] = t\n q = q - 1\n }\n }", "a = np.sort((a + np.int32(100)) % np.int32(97))", "a")
control("if y[k] > 1 { y = y * 2 } else { y[0] = 5 }", "y = y * 2", "y")
control("if y[k] > 2 { y = y * 2\n t = 1 } else { y[0] = 5\n t = 2.5 }\ny = y + i32(t * 10)",
        "y[0] = 5; y = y + np.int32(25)", "y")
control("if k > 5 or y[n] == 3 { y[0] = 1 }", "y[0] = 1", "y")
control("if k > 5 and y[k * 100] == 3 { y[0] = 1 }", "pass", "y")
control("t = 0\nfor l in 0..4 { t += y[l] * 0.5 }\ny[0] = int(t * 2)", "y[0] = 6", "y")
control("p, q = (y, y * 10)\nfor l in 0..5 { p, q = q, p }\ny = p", "y = y * 10", "y")
control("r = {m: y, v: {s: 2, t: y}}\nr.v.t[1] = 9\nr.m += r.v.t\nfor l in 0..k { r.v.s = r.v.s * 3 }\n"
        "y = r.m + r.v.t * r.v.s", "t = y.copy(); t[1] = 9; y = (y + t) + t * np.int32(18)", "y")
control("y = (if y[0] == 0 { y + 1 } else { y - 1 }) * 2", "y = (y + 1) * 2", "y")
control("t = 1\nwhile t < 50 { t = t * k + 1 }\ny[0] = t", "y[0] = 63", "y")
control("d = d ** y[k]", "d = d ** np.float64(2)", "d")

print("[" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "]")
