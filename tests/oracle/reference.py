"""Writes reference.json: what NumPy computes for each operation of the array IR that moves, reduces or orders elements.

Run as `python3 tests/oracle/reference.py > tests/oracle/reference.json` with NumPy 2.4. A case is a program text,
its arguments and its results; elements are given by their bits. Sums are of small integers, so that no order of
adding rounds.
"""

import json
import numpy as np

rng = np.random.default_rng(7)
BITS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
NAMES = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "uint8": "u8", "bool": "bool"}
cases = []


def array(x):
    bits = np.ascontiguousarray(x).reshape(-1).view(BITS[x.dtype.itemsize])
    return {"dtype": NAMES[str(x.dtype)], "extents": list(x.shape), "bits": [int(b) for b in bits]}


def type_of(x):
    return f"{NAMES[str(x.dtype)]}[{', '.join(map(str, x.shape))}]"


def case(name, op, operands, result):
    """One operation: `op` holds `{}` where the operands go, or they are appended."""
    operands = [np.asarray(x) for x in operands]
    result = np.asarray(result)
    params = ", ".join(f'%{k}: {type_of(x)} array "a{k}"' for k, x in enumerate(operands))
    names = ", ".join(f"%{k}" for k in range(len(operands)))
    program = f"program({params}) -> (%r) {{\n  %r: {type_of(result)} = {op} {names}\n}}\n"
    cases.append({"name": name, "program": program, "args": [array(x) for x in operands], "results": [array(result)]})


def ints(shape, dtype="float32"):
    return rng.integers(-9 if dtype != "uint8" else 0, 10, shape).astype(dtype)


for n in [0, 1, 2, 31, 32, 33, 1025, 4096, 4097]:
    x = ints([n], "int32")
    case(f"sum {n}", "reduce.sum axes=[0]", [x], x.sum(axis=0, dtype=x.dtype))
    x = ints([n], "uint8") | 1
    case(f"prod u8 {n}", "reduce.prod axes=[0]", [x], x.prod(axis=0, dtype=x.dtype))
for dtype in ["float32", "float64", "int32", "int64", "uint8"]:
    x = ints([3, 4, 5], dtype)
    for axes in [(0,), (1,), (2,), (0, 2), (0, 1, 2), ()]:
        listed = list(axes)
        case(f"sum {dtype} {axes}", f"reduce.sum axes={listed}", [x], x.sum(axis=axes, dtype=dtype))
        case(f"max {dtype} {axes}", f"reduce.max axes={listed}", [x], x.max(axis=axes) if axes else x)
        case(f"min {dtype} {axes}", f"reduce.min axes={listed}", [x], x.min(axis=axes) if axes else x)
    for axis in range(3):
        case(f"argmax {dtype} {axis}", f"reduce.argmax axes=[{axis}]", [x], x.argmax(axis=axis).astype("int32"))
        case(f"argmin {dtype} {axis}", f"reduce.argmin axes=[{axis}]", [x], x.argmin(axis=axis).astype("int32"))
        case(f"cumsum {dtype} {axis}", f"cumsum axis={axis}", [x], x.cumsum(axis=axis, dtype=dtype))
        case(f"sort {dtype} {axis}", f"sort axis={axis}", [x], np.sort(x, axis=axis, kind="stable"))
        case(f"argsort {dtype} {axis}", f"argsort axis={axis}", [x], np.argsort(x, axis=axis, kind="stable").astype("int32"))
    a, b = ints([2, 3, 4], dtype), ints([2, 4, 5], dtype)
    case(f"matmul {dtype}", "matmul", [a, b], a @ b)
nan, inf = np.nan, np.inf
for row in [[3, nan, 1, nan], [nan, 1, 2, 3], [1, 2, inf, nan], [-0.0, 0.0, -0.0, 0.0], [-inf, -inf, 5, -inf]]:
    x = np.array(row, "float32")
    case(f"argmax {row}", "reduce.argmax axes=[0]", [x], np.int32(x.argmax()))
    case(f"argmin {row}", "reduce.argmin axes=[0]", [x], np.int32(x.argmin()))
    case(f"sort {row}", "sort axis=0", [x], np.sort(x, kind="stable"))
    case(f"argsort {row}", "argsort axis=0", [x], np.argsort(x, kind="stable").astype("int32"))
flags = rng.integers(0, 2, [4, 3]).astype(bool)
case("any", "reduce.any axes=[1]", [flags], flags.any(axis=1))
case("all", "reduce.all axes=[0]", [flags], flags.all(axis=0))
case("any of none", "reduce.any axes=[0]", [np.zeros([0], bool)], np.False_)
case("all of none", "reduce.all axes=[0]", [np.zeros([0], bool)], np.True_)
case("matmul inner 0", "matmul", [np.zeros([2, 3, 0], "float32"), np.zeros([2, 0, 2], "float32")], np.zeros([2, 3, 2], "float32"))

x = ints([4, 5, 6])
case("transpose", "transpose perm=[2, 0, 1]", [x], x.transpose(2, 0, 1))
case("reshape", "reshape", [x], x.reshape(10, 12))
case("slice", "slice starts=[1, 4, 0] steps=[1, -2, 3]", [x], x[1:3, 4::-2, 0:6:3])
case("slice of none", "slice starts=[0, 0, 0] steps=[1, 1, 1]", [x], x[0:0])
row = ints([1, 3])
case("broadcast", "broadcast axes=[1, 3]", [row], np.broadcast_to(row.reshape(1, 1, 1, 3), [2, 4, 5, 3]))
case("pad", "pad low=[1, 0, 2]", [x, np.float32(7)], np.pad(x, [(1, 2), (0, 0), (2, 0)], constant_values=7))
case("concat", "concat axis=1", [x, x[:, :2], x[:, :0]], np.concatenate([x, x[:, :2], x[:, :0]], axis=1))
for axis in range(3):
    at = rng.integers(0, x.shape[axis], [3, 2]).astype("int64")
    case(f"gather {axis}", f"gather axis={axis}", [x, at], np.take(x, at, axis=axis))
    at = rng.integers(0, x.shape[axis], [9]).astype("int64")  # with repeats: the last wins
    shape = list(x.shape)
    shape[axis] = 9
    updates, expected = ints(shape), x.copy()
    for k in range(9):
        select = [slice(None)] * 3
        select[axis] = at[k]
        expected[tuple(select)] = np.take(updates, k, axis=axis)
    case(f"scatter {axis}", f"scatter axis={axis}", [x, at, updates], expected)
case("dynamic slice", "dynamic_slice", [x, np.int64(1), np.int64(0), np.int64(3)], x[1:3, 0:5, 3:6])
update, expected = ints([2, 2, 6]), x.copy()
expected[3:1:-1, 0:4:2] = update
case("update", "update steps=[-1, 2, 1]", [x, update, np.int64(3), np.int64(0), np.int64(0)], expected)
for dtype in ["float32", "int32", "uint8"]:
    case(f"iota {dtype}", "iota axis=1", [], np.broadcast_to(np.arange(5, dtype=dtype), [3, 5]))
print("[" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "]")
