"""Makes printing.json: what NumPy 2 prints for arrays of every dtype. Needs numpy and ml_dtypes; run it anywhere.

Each case: dtype, shape, the elements as little-endian hex, and the text of print(). bf16, which NumPy lacks, is laid
out by NumPy from numbers whose shortest bf16 digits stand in for their f64 digits.
"""
import json, pathlib, sys
import numpy as np
import ml_dtypes

DTYPES = {"bool": np.bool_, "u8": np.uint8, "u32": np.uint32, "i32": np.int32, "i64": np.int64,
          "f16": np.float16, "f32": np.float32, "f64": np.float64}
rng = np.random.default_rng(20)
cases = []


def add(name, array):
    array = np.ascontiguousarray(array).reshape(np.shape(array))
    cases.append({"dtype": name, "shape": list(array.shape), "hex": array.tobytes().hex(), "text": str(array)})


def bf16(values):
    """bf16 bytes, and the text NumPy gives for the shortest decimals."""
    array = np.asarray(values, dtype=np.float64).astype(ml_dtypes.bfloat16)
    def shortest(x):
        v = float(x)
        if not np.isfinite(v):
            return v
        for n in range(1, 8):
            s = f"{v:.{n - 1}e}"
            if ml_dtypes.bfloat16(float(s)).tobytes() == x.tobytes():
                return float(s)
        return v
    decimal = np.array([shortest(x) for x in array.ravel()], dtype=np.float64).reshape(array.shape)
    return array, decimal


floats = [
    [0.0], [-0.0], [1.0], [0.1], [0.1, 0.25, 100.0], [1e-45], [16777216.0], [1e8], [12345678.0, 1.0],
    [99999999.0], [0.0001], [0.00009], [1.0, 1000.0], [1.0, 1001.0], [1e-8, 1.0], [np.nan], [np.inf, -np.inf, np.nan],
    [np.nan, 1.0], [np.inf, 1.5], [-np.inf, 1.5], [1e20, np.nan], [-1.5, 2.25, np.inf], [3.4e38, 1.2e-38], [0.97029907] * 4,
    [1 / 3, 2 / 3], [123.456, -0.001], [1e10, 1e-10], [5e-324, 1e300], [0.5, -0.0, 7.0], [1e-4, 2e-4], [65504.0, 6e-8],
    [1.00000001, 1.0], [100000.5, 7.25], [2.5, 1e16], [-1e-5, -1e5],
]
for name in ("f16", "f32", "f64"):
    with np.errstate(all="ignore"):
        for values in floats:
            add(name, np.array(values).astype(DTYPES[name]))
            add(name, np.array(values[0]).astype(DTYPES[name]))
        for shape in [(), (1,), (7,), (33,), (2, 3), (5, 7), (3, 40), (2, 3, 4), (2, 1, 3, 2), (1, 1, 1, 1), (0,), (0, 3), (2, 0),
                      (1001,), (1200, 2), (11, 10, 12), (3, 4, 5, 20), (2, 600)]:
            add(name, rng.standard_normal(shape).astype(DTYPES[name]))
            add(name, (rng.standard_normal(shape) * 10.0 ** rng.integers(-4, 4, shape)).astype(DTYPES[name]))
            add(name, np.round(rng.standard_normal(shape) * 4).astype(DTYPES[name]))
            add(name, (10.0 ** rng.uniform(-30, 30, shape)).astype(DTYPES[name]))
for name in ("u8", "u32", "i32", "i64"):
    info = np.iinfo(DTYPES[name])
    add(name, np.array([info.min, info.max, 0], dtype=DTYPES[name]))
    for shape in [(), (1,), (5,), (60,), (2, 3), (3, 2, 4), (0,), (1001,), (2, 2, 2, 2)]:
        add(name, rng.integers(info.min, min(info.max, 10**6), shape).astype(DTYPES[name]))
        add(name, rng.integers(0, 100, shape).astype(DTYPES[name]))
for shape in [(), (1,), (4,), (40,), (2, 3), (0,), (1001,), (2, 2, 2)]:
    add("bool", rng.integers(0, 2, shape).astype(np.bool_))
for values in [[1.0], [0.1], [0.99, 0.5], [1e-8, 1.0], [256.0, 257.0], [3.0, np.nan], [np.inf, -1.0], [1e30], [100.0, 0.001], [-0.0, 2.5],
               [0.3, 0.7, 0.9]]:
    array, decimal = bf16(values)
    cases.append({"dtype": "bf16", "shape": list(array.shape), "hex": array.tobytes().hex(), "text": str(decimal)})

path = pathlib.Path(__file__).with_name("printing.json")
path.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")
print(len(cases), "cases,", path.stat().st_size, "bytes", file=sys.stderr)
