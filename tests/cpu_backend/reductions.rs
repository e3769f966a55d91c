//! Reductions: every operation, along rows, columns and both, at the sizes where chunks and lanes end.

use crate::rig::inst;
use crate::rig::{Code, Random, SIZES, affine, agree, info};
use arr::base::{DType, Literal};
use arr::ir::array::ReduceOp;
use arr::ir::kernel::{Block, Body, Index, InstKind, Kernel, Store};
use arr::ops::scalar::ScalarOp;

const ALL: [ReduceOp; 8] = [
    ReduceOp::Sum,
    ReduceOp::Prod,
    ReduceOp::Max,
    ReduceOp::Min,
    ReduceOp::Any,
    ReduceOp::All,
    ReduceOp::ArgMax,
    ReduceOp::ArgMin,
];

fn takes(op: ReduceOp, dtype: DType) -> bool {
    match op {
        ReduceOp::Any | ReduceOp::All => dtype == DType::Bool,
        _ => true,
    }
}

/// Reduces `b0[load]` over `inner` at each point of `outer`; the finish stores the result, or its double.
fn kernel(op: ReduceOp, dtype: DType, (outer, inner): (&[u64], &[u64]), load: Index, double: bool) -> Kernel {
    let points: u64 = outer.iter().product();
    let elements = points * inner.iter().product::<u64>();
    let mut code = Code::default();
    let x = code.load(0, load, dtype);
    let result = if matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin) { DType::I32 } else { dtype };
    let mut finish = Code::default();
    let mut value = finish.push(InstKind::Reduced, result);
    if double {
        value = finish.op(ScalarOp::Add, &[value, value]);
    }
    let mut strides = vec![(0, 0); outer.len()];
    let mut stride = 1i64;
    for (at, &extent) in outer.iter().enumerate().rev() {
        strides[at] = (at as u32, stride);
        stride *= extent as i64;
    }
    Kernel {
        name: "reduce".into(),
        buffers: vec![info(dtype, elements, false), info(result, points, true)],
        extents: outer.to_vec(),
        body: Body::Reduce {
            inner: inner.to_vec(),
            block: code.block,
            value: x,
            op,
            finish: Block { insts: finish.block.insts },
            stores: vec![Store { buffer: 1, index: affine(&strides, 0), value }],
        },
    }
}

fn check(op: ReduceOp, dtype: DType, shape: (&[u64], &[u64]), load: Index, double: bool) {
    let kernel = kernel(op, dtype, shape, load, double);
    let mut random = Random(shape.1.iter().sum::<u64>() + 3);
    let (input, output) = (kernel.buffers[0], kernel.buffers[1]);
    let arrays = [random.array(input.dtype, input.elements), random.array(output.dtype, output.elements)];
    agree(&format!("{op:?} {dtype} {shape:?}"), &kernel, &arrays, &[input.dtype, output.dtype], &[0, 1]);
}

#[test]
fn whole_arrays_of_every_size() {
    for op in ALL {
        for dtype in DType::ALL.into_iter().filter(|&dtype| takes(op, dtype)) {
            for n in SIZES {
                if n > 1 << 20 && !(matches!(dtype, DType::F32 | DType::Bf16 | DType::F64) && op == ReduceOp::Sum) {
                    continue;
                }
                check(op, dtype, (&[], &[n]), affine(&[(0, 1)], 0), n % 2 == 1);
            }
        }
    }
}

#[test]
fn rows_and_columns() {
    for op in ALL {
        for dtype in DType::ALL.into_iter().filter(|&dtype| takes(op, dtype)) {
            for (m, n) in [(1, 1), (3, 5), (5, 32), (4, 33), (7, 100), (64, 31), (130, 3), (65, 4097), (2, 9000)] {
                let narrow = !matches!(dtype, DType::F32 | DType::F16 | DType::I64 | DType::Bool);
                if m * n > 10_000 && (narrow || matches!(op, ReduceOp::Prod | ReduceOp::Min | ReduceOp::ArgMin)) {
                    continue;
                }
                check(op, dtype, (&[m], &[n]), affine(&[(0, n as i64), (1, 1)], 0), true);
                check(op, dtype, (&[m], &[n]), affine(&[(0, 1), (1, m as i64)], 0), false);
                check(op, dtype, (&[m], &[n]), affine(&[(0, -1), (1, m as i64)], m as i64 - 1), false);
            }
        }
    }
}

#[test]
fn several_axes() {
    for dtype in [DType::F32, DType::F64, DType::F16, DType::I32] {
        for (a, b, c) in [(3, 4, 5), (5, 3, 32), (70, 6, 64), (33, 7, 36), (129, 5, 8)] {
            let (p, q) = ((b * c) as i64, c as i64);
            // Over the first and the last axis, the middle one, the first two.
            check(ReduceOp::Sum, dtype, (&[b], &[a, c]), affine(&[(0, q), (1, p), (2, 1)], 0), false);
            check(ReduceOp::Sum, dtype, (&[a, c], &[b]), affine(&[(0, p), (1, 1), (2, q)], 0), true);
            check(ReduceOp::Sum, dtype, (&[c], &[a, b]), affine(&[(0, 1), (1, p), (2, q)], 0), false);
            check(ReduceOp::ArgMax, dtype, (&[b], &[a, c]), affine(&[(0, q), (1, p), (2, 1)], 0), false);
            check(ReduceOp::Sum, dtype, (&[b, 1], &[1, a, c]), affine(&[(0, q), (3, p), (4, 1)], 0), false);
        }
    }
}

#[test]
fn many_elements_and_few_results() {
    check(ReduceOp::Sum, DType::F32, (&[4], &[100_000]), affine(&[(0, 1), (1, 4)], 0), true);
    check(ReduceOp::Sum, DType::F32, (&[4], &[100_000]), affine(&[(0, 100_000), (1, 1)], 0), true);
    check(ReduceOp::Sum, DType::F64, (&[5], &[300, 301]), affine(&[(0, 300 * 301), (1, 1), (2, 300)], 0), true);
    check(ReduceOp::Max, DType::F32, (&[2000], &[600]), affine(&[(0, 1), (1, 2000)], 0), true);
    check(ReduceOp::Sum, DType::F32, (&[700, 3], &[300]), affine(&[(0, 900), (1, 300), (2, 1)], 0), true);
}

#[test]
fn a_mean_square_with_a_heavy_block() {
    for n in [31u64, 128, 1000, 5000] {
        let mut code = Code::default();
        let x = code.load(0, affine(&[(0, n as i64), (1, 1)], 0), DType::F32);
        let mut y = x;
        for _ in 0..12 {
            let square = code.op(ScalarOp::Mul, &[y, x]);
            y = code.op(ScalarOp::Sub, &[square, x]);
        }
        let mut finish = Code::default();
        let sum = finish.push(InstKind::Reduced, DType::F32);
        let count = finish.constant(Literal::from_f64(DType::F32, n as f64));
        let mean = finish.op(ScalarOp::Div, &[sum, count]);
        let kernel = Kernel {
            name: "mean".into(),
            buffers: vec![info(DType::F32, 9 * n, false), info(DType::F32, 9, true)],
            extents: vec![9],
            body: Body::Reduce {
                inner: vec![n],
                block: code.block,
                value: y,
                op: ReduceOp::Sum,
                finish: finish.block,
                stores: vec![Store { buffer: 1, index: affine(&[(0, 1)], 0), value: inst(mean.0 as usize) }],
            },
        };
        let mut random = Random(n);
        let arrays = [random.array(DType::F32, 9 * n), random.array(DType::F32, 9)];
        agree("mean square", &kernel, &arrays, &[DType::F32; 2], &[0, 1]);
    }
}
