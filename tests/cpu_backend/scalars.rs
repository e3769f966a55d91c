//! Every scalar operation with every dtype on its edge values, by elements and in vectors.

use crate::rig::{Code, Random, affine, agree, edges, info, map_kernel};
use arr::base::{DType, Literal};
use arr::ir::kernel::{BufferInfo, Store};
use arr::ops::scalar::ScalarOp;

fn check(op: ScalarOp, dtype: DType, columns: &[Vec<Literal>]) {
    let elements = columns[0].len() as u64;
    let types: Vec<DType> =
        (0..columns.len()).map(|at| if op == ScalarOp::Select && at == 0 { DType::Bool } else { dtype }).collect();
    let result = op.result(dtype);
    let mut code = Code::default();
    let operands: Vec<_> = types.iter().enumerate().map(|(at, &ty)| code.load(at, affine(&[(0, 1)], 0), ty)).collect();
    let value = code.op(op, &operands);
    let mut buffers: Vec<BufferInfo> = types.iter().map(|&ty| info(ty, elements, false)).collect();
    buffers.push(info(result, elements, true));
    let store = Store { buffer: columns.len(), index: affine(&[(0, 1)], 0), value };
    let kernel = map_kernel(buffers, &[elements], code, vec![store]);
    let bytes = |column: &Vec<Literal>| {
        column.iter().flat_map(|x| x.bits.to_le_bytes()[..x.dtype.bytes()].to_vec()).collect::<Vec<u8>>()
    };
    let mut arrays: Vec<Vec<u8>> = columns.iter().map(bytes).collect();
    arrays.push(vec![0; elements as usize * result.bytes()]);
    let mut dtypes = types;
    dtypes.push(result);
    let of: Vec<usize> = (0..arrays.len()).collect();
    agree(&format!("{} of {dtype}", op.name()), &kernel, &arrays, &dtypes, &of);
}

fn columns(op: ScalarOp, dtype: DType) -> Vec<Vec<Literal>> {
    let edges = edges(dtype);
    let mut columns: Vec<Vec<Literal>> = vec![Vec::new(); op.arity()];
    let mut random = Random(7);
    match op.arity() {
        1 => columns[0] = edges.clone(),
        2 => {
            for &a in &edges {
                for &b in &edges {
                    columns[0].push(a);
                    columns[1].push(b);
                }
            }
        }
        _ => {
            for _ in 0..3000 {
                let first = if op == ScalarOp::Select { DType::Bool } else { dtype };
                columns[0].push(random.literal(first));
                columns[1].push(random.literal(dtype));
                columns[2].push(random.literal(dtype));
            }
        }
    }
    for _ in 0..1021 {
        for (at, column) in columns.iter_mut().enumerate() {
            column.push(random.literal(if op == ScalarOp::Select && at == 0 { DType::Bool } else { dtype }));
        }
    }
    // Vectors and a rest.
    while columns[0].len() % 4 != 3 {
        columns.iter_mut().for_each(|column| column.push(column[0]));
    }
    columns
}

#[test]
fn every_operation_agrees_with_its_definition() {
    for op in ScalarOp::PLAIN {
        for dtype in DType::ALL.into_iter().filter(|&dtype| op.takes(dtype)) {
            check(op, dtype, &columns(op, dtype));
        }
    }
}

#[test]
fn every_cast_agrees_with_its_definition() {
    for dtype in DType::ALL {
        for to in DType::ALL {
            check(ScalarOp::Cast(to), dtype, &columns(ScalarOp::Cast(to), dtype));
            if ScalarOp::Bitcast(to).takes(dtype) && to != DType::Bool {
                check(ScalarOp::Bitcast(to), dtype, &columns(ScalarOp::Bitcast(to), dtype));
            }
        }
    }
}

#[test]
fn every_half_goes_through_memory_and_arithmetic() {
    for dtype in [DType::F16, DType::Bf16] {
        let all: Vec<Literal> = (0..=u64::from(u16::MAX)).map(|bits| Literal::new(dtype, bits)).collect();
        check(ScalarOp::Cast(DType::F32), dtype, std::slice::from_ref(&all));
        check(ScalarOp::Neg, dtype, std::slice::from_ref(&all));
        let other: Vec<Literal> = all.iter().rev().copied().collect();
        check(ScalarOp::Add, dtype, &[all.clone(), other.clone()]);
        check(ScalarOp::Mul, dtype, &[all, other]);
        // Every way to round, around every pair of neighbours.
        let singles = (0..=u32::from(u16::MAX))
            .flat_map(|high| [0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001].map(|low| (high << 16) | low));
        let singles: Vec<Literal> = singles.map(|bits| Literal::new(DType::F32, u64::from(bits))).collect();
        check(ScalarOp::Cast(dtype), DType::F32, &[singles]);
    }
}
