//! Elementwise kernels: sizes, strides, guards, gathers, in place and not.

use crate::rig::{Code, Random, SIZES, affine, agree, info, map_kernel};
use arr::base::{DType, Literal};
use arr::ir::kernel::{Atom, Index, InstKind, Kernel, Store};
use arr::ops::scalar::ScalarOp;

/// `b[out][i] = b[0][i] * b[1][0] + b[2][i]`.
fn scale_and_add(dtype: DType, n: u64, out: usize) -> Kernel {
    let mut code = Code::default();
    let x = code.load(0, affine(&[(0, 1)], 0), dtype);
    let factor = code.load(1, affine(&[], 0), dtype);
    let y = code.load(2, affine(&[(0, 1)], 0), dtype);
    let product = code.op(ScalarOp::Mul, &[x, factor]);
    let sum = code.op(ScalarOp::Add, &[product, y]);
    let buffers = vec![info(dtype, n, out == 0), info(dtype, 1, false), info(dtype, n, false), info(dtype, n, true)];
    map_kernel(buffers, &[n], code, vec![Store { buffer: out, index: affine(&[(0, 1)], 0), value: sum }])
}

#[test]
fn every_size_and_dtype_in_place_and_not() {
    for dtype in DType::ALL {
        for n in SIZES.into_iter().chain(0..20).chain([60, 61, 62, 63, 64, 65, 66, 130]) {
            if n > 1 << 20 && !matches!(dtype, DType::F32 | DType::I64 | DType::Bool) {
                continue;
            }
            let mut random = Random(n + 1);
            let arrays: Vec<Vec<u8>> = [n, 1, n, n].into_iter().map(|n| random.array(dtype, n)).collect();
            let what = format!("{dtype} x {n}");
            agree(&what, &scale_and_add(dtype, n, 3), &arrays, &[dtype; 4], &[0, 1, 2, 3]);
            agree(&what, &scale_and_add(dtype, n, 0), &arrays, &[dtype; 4], &[0, 1, 2, 3]);
            // The buffer that is stored is the one that is read, under another number.
            agree(&what, &scale_and_add(dtype, n, 3), &arrays[..3], &[dtype; 3], &[0, 1, 2, 0]);
        }
    }
}

/// `b1[stores] = b0[loads]` over `extents`.
fn move_elements(dtype: DType, extents: &[u64], elements: u64, load: Index, store: Index) -> Kernel {
    let points: u64 = extents.iter().product();
    let mut code = Code::default();
    let x = code.load(0, load, dtype);
    let buffers = vec![info(dtype, elements, false), info(dtype, points, true)];
    map_kernel(buffers, extents, code, vec![Store { buffer: 1, index: store, value: x }])
}

#[test]
fn strides_of_every_kind() {
    for dtype in [DType::F32, DType::F64, DType::U8, DType::Bool, DType::F16, DType::I64] {
        for (rows, columns) in [(1, 1), (2, 3), (3, 17), (33, 31), (64, 129), (130, 64)] {
            let (r, c) = (rows as i64, columns as i64);
            let n = rows * columns;
            let row_major = affine(&[(0, c), (1, 1)], 0);
            let loads = [
                row_major.clone(),
                affine(&[(0, 1), (1, r)], 0),
                affine(&[(0, c), (1, -1)], c - 1),
                affine(&[(0, -c), (1, 1)], (r - 1) * c),
                affine(&[(1, 1)], 0),
                affine(&[(0, 1)], 0),
                affine(&[], 0),
            ];
            for load in loads {
                let mut random = Random(n);
                let arrays = [random.array(dtype, n), random.array(dtype, n)];
                for store in [row_major.clone(), affine(&[(0, c), (1, -1)], c - 1), affine(&[(0, 1), (1, r)], 0)] {
                    let kernel = move_elements(dtype, &[rows, columns], n, load.clone(), store);
                    agree(&format!("{dtype} {rows}x{columns}"), &kernel, &arrays, &[dtype; 2], &[0, 1]);
                }
            }
            // Every second element.
            let kernel = move_elements(dtype, &[rows, columns], 2 * n, affine(&[(0, 2 * c), (1, 2)], 1), row_major);
            let mut random = Random(n);
            let arrays = [random.array(dtype, 2 * n), random.array(dtype, n)];
            agree("every second", &kernel, &arrays, &[dtype; 2], &[0, 1]);
        }
    }
}

#[test]
fn quotients_and_remainders_in_indexes() {
    for (n, a, b) in [(12, 3, 4), (35, 5, 7), (105, 15, 7), (1024, 32, 32), (999, 27, 37)] {
        // Element i of a transposed a x b array, flat.
        let flat = affine(&[(0, 1)], 0);
        let div = Atom::Div(Box::new(flat.clone()), a);
        let rest = Atom::Mod(Box::new(flat.clone()), a);
        let load = Index { terms: vec![(div, 1), (rest, b as i64)], constant: 0 };
        let kernel = move_elements(DType::F32, &[n], n, load, flat);
        let mut random = Random(n);
        let arrays = [random.array(DType::F32, n), random.array(DType::F32, n)];
        agree("transposed", &kernel, &arrays, &[DType::F32; 2], &[0, 1]);
    }
}

#[test]
fn guards_keep_loads_in_range() {
    for dtype in [DType::F32, DType::F64, DType::U8, DType::Bool, DType::Bf16] {
        for n in [1u64, 2, 3, 5, 8, 31, 64, 130, 1025] {
            for low in [0i64, 1, 3, 40] {
                for stride in [1i64, -1, 2] {
                    // b1[i] = b0[stride * (i - low) ...] where low <= i < low + m, else 1.
                    let m = (n as i64 - low - 1).max(1);
                    let start = if stride < 0 { m - 1 } else { 0 };
                    let mut code = Code::default();
                    let at = code.push(InstKind::Index(affine(&[(0, 1)], 0)), DType::I64);
                    let bounds = [low, low + m].map(|x| code.constant(Literal::from_i64(DType::I64, x)));
                    let above = code.op(ScalarOp::Le, &[bounds[0], at]);
                    let below = code.op(ScalarOp::Lt, &[at, bounds[1]]);
                    let guard = code.op(ScalarOp::And, &[above, below]);
                    let index = affine(&[(0, stride)], start - stride * low);
                    let x = code.push(InstKind::Load { buffer: 0, index, guard: Some(guard) }, dtype);
                    let fill = code.constant(Literal::from_i64(dtype, 1));
                    let value = code.op(ScalarOp::Select, &[guard, x, fill]);
                    let length = (m * stride.abs()) as u64;
                    let buffers = vec![info(dtype, length, false), info(dtype, n, true)];
                    let store = Store { buffer: 1, index: affine(&[(0, 1)], 0), value };
                    let kernel = map_kernel(buffers, &[n], code, vec![store]);
                    let mut random = Random(n);
                    let arrays = [random.array(dtype, length), random.array(dtype, n)];
                    agree(&format!("pad {dtype} {n} {low} {stride}"), &kernel, &arrays, &[dtype; 2], &[0, 1]);
                }
            }
        }
    }
}

#[test]
fn indexes_are_values_and_values_are_indexes() {
    for (rows, columns) in [(1u64, 5u64), (7, 13), (40, 64)] {
        let n = rows * columns;
        let mut code = Code::default();
        // b2[i, j] = b0[b1[j], i] + f32(3 * i - 2 * j + 5).
        let at = code.load(1, affine(&[(1, 1)], 0), DType::I64);
        let gathered = Index { terms: vec![(Atom::Var(0), 1), (Atom::Value(at), rows as i64)], constant: 0 };
        let x = code.load(0, gathered, DType::F32);
        let number = code.push(InstKind::Index(affine(&[(0, 3), (1, -2)], 5)), DType::I64);
        let number = code.op(ScalarOp::Cast(DType::F32), &[number]);
        let value = code.op(ScalarOp::Add, &[x, number]);
        let buffers = vec![info(DType::F32, n, false), info(DType::I64, columns, false), info(DType::F32, n, true)];
        let store = Store { buffer: 2, index: affine(&[(0, columns as i64), (1, 1)], 0), value };
        let kernel = map_kernel(buffers, &[rows, columns], code, vec![store]);
        let mut random = Random(n);
        let mut indexes = Vec::new();
        for _ in 0..columns {
            indexes.extend((random.next() % columns).to_le_bytes());
        }
        let arrays = [random.array(DType::F32, n), indexes, random.array(DType::F32, n)];
        agree("gather", &kernel, &arrays, &[DType::F32, DType::I64, DType::F32], &[0, 1, 2]);
    }
}
