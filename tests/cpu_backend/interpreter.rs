//! The kernel IR, read aloud: one point after the other, one scalar operation after the other.

use arr::base::{DType, Literal};
use arr::ir::array::ReduceOp;
use arr::ir::kernel::{Atom, Block, Body, CHUNK, Index, InstKind, Kernel, LANES, Store};
use arr::ops::evaluate::evaluate;
use arr::ops::scalar::ScalarOp;

/// Memory: several kernel buffers may be one.
pub(crate) struct Memory {
    pub(crate) arrays: Vec<Vec<u8>>,
    /// Kernel buffer -> array, and its first byte there.
    pub(crate) of: Vec<(usize, usize)>,
}

pub(crate) fn read(bytes: &[u8], dtype: DType, at: usize) -> Literal {
    let size = dtype.bytes();
    let mut bits = [0u8; 8];
    bits[..size].copy_from_slice(&bytes[at * size..][..size]);
    Literal::new(dtype, u64::from_le_bytes(bits))
}

pub(crate) fn write(bytes: &mut [u8], literal: Literal, at: usize) {
    let size = literal.dtype.bytes();
    bytes[at * size..][..size].copy_from_slice(&literal.bits.to_le_bytes()[..size]);
}

fn index(index: &Index, vars: &[u64], values: &[Literal]) -> i64 {
    index.terms.iter().fold(index.constant, |sum, (atom, by)| {
        let value = match atom {
            Atom::Var(at) => vars[*at as usize] as i64,
            Atom::Value(inst) => values[inst.0 as usize].to_i64(),
            Atom::Div(inner, by) => self::index(inner, vars, values).div_euclid(*by as i64),
            Atom::Mod(inner, by) => self::index(inner, vars, values).rem_euclid(*by as i64),
        };
        sum + by * value
    })
}

fn block(kernel: &Kernel, block: &Block, vars: &[u64], memory: &Memory, reduced: Option<Literal>) -> Vec<Literal> {
    let mut values: Vec<Literal> = Vec::new();
    for inst in &block.insts {
        let value = match &inst.kind {
            InstKind::Const(literal) => *literal,
            InstKind::Load { guard: Some(guard), .. } if !values[guard.0 as usize].to_bool() => {
                Literal::new(inst.dtype, 0)
            }
            InstKind::Load { buffer, index: at, .. } => {
                let at = index(at, vars, &values) as usize;
                assert!(at < kernel.buffers[*buffer].elements as usize);
                let (array, first) = memory.of[*buffer];
                read(&memory.arrays[array][first..], inst.dtype, at)
            }
            InstKind::Index(at) => Literal::from_i64(DType::I64, index(at, vars, &values)),
            InstKind::Op(op, operands) => {
                let operands: Vec<Literal> = operands.iter().map(|inst| values[inst.0 as usize]).collect();
                evaluate(*op, &operands)
            }
            InstKind::Reduced => reduced.unwrap(),
        };
        values.push(value);
    }
    values
}

fn store(stores: &[Store], values: &[Literal], vars: &[u64], memory: &mut Memory) {
    for store in stores {
        let at = index(&store.index, vars, values) as usize;
        let (array, first) = memory.of[store.buffer];
        write(&mut memory.arrays[array][first..], values[store.value.0 as usize], at);
    }
}

fn points(extents: &[u64]) -> impl Iterator<Item = Vec<u64>> {
    let total: u64 = extents.iter().product();
    let extents = extents.to_vec();
    (0..total).map(move |mut number| {
        let mut vars = vec![0; extents.len()];
        for (var, &extent) in vars.iter_mut().zip(&extents).rev() {
            *var = number % extent;
            number /= extent;
        }
        vars
    })
}

pub(crate) fn run(kernel: &Kernel, memory: &mut Memory) {
    for vars in points(&kernel.extents) {
        match &kernel.body {
            Body::Map { block: code, stores } => {
                let values = block(kernel, code, &vars, memory, None);
                store(stores, &values, &vars, memory);
            }
            Body::Reduce { inner, block: code, value, op, finish, stores } => {
                let elements: Vec<Literal> = points(inner)
                    .map(|inner| {
                        let all: Vec<u64> = vars.iter().copied().chain(inner).collect();
                        block(kernel, code, &all, memory, None)[value.0 as usize]
                    })
                    .collect();
                let result = reduce(*op, code.insts[value.0 as usize].dtype, elements);
                let values = block(kernel, finish, &vars, memory, Some(result));
                store(stores, &values, &vars, memory);
            }
        }
    }
}

fn reduce(op: ReduceOp, dtype: DType, values: Vec<Literal>) -> Literal {
    let fold = |op, first: Literal| values.iter().fold(first, |a, &b| evaluate(op, &[a, b]));
    let infinite = |x: f64| match dtype {
        DType::I64 => Literal::from_i64(dtype, if x < 0.0 { i64::MIN } else { i64::MAX }),
        DType::Bool => Literal::from_bool(x > 0.0),
        _ => Literal::from_f64(dtype, x),
    };
    let first = |op: ScalarOp, swap: bool| {
        let nan = values.iter().position(|x| x.dtype.is_float() && x.to_f64().is_nan());
        let mut best = 0;
        for (at, &value) in values.iter().enumerate() {
            let pair = if swap { [value, values[best]] } else { [values[best], value] };
            if evaluate(op, &pair).to_bool() {
                best = at;
            }
        }
        Literal::from_i64(DType::I32, nan.unwrap_or(best) as i64)
    };
    match op {
        ReduceOp::Sum => tree(ScalarOp::Add, Literal::from_i64(dtype, 0), values),
        ReduceOp::Prod => tree(ScalarOp::Mul, Literal::from_i64(dtype, 1), values),
        ReduceOp::Max => fold(ScalarOp::Max, infinite(f64::NEG_INFINITY)),
        ReduceOp::Min => fold(ScalarOp::Min, infinite(f64::INFINITY)),
        ReduceOp::Any => fold(ScalarOp::Or, Literal::from_bool(false)),
        ReduceOp::All => fold(ScalarOp::And, Literal::from_bool(true)),
        ReduceOp::ArgMax => first(ScalarOp::Lt, false),
        ReduceOp::ArgMin => first(ScalarOp::Lt, true),
    }
}

fn tree(op: ScalarOp, identity: Literal, mut values: Vec<Literal>) -> Literal {
    while values.len() != 1 {
        if values.is_empty() {
            return identity;
        }
        values = values.chunks(CHUNK as usize).map(|chunk| chunk_tree(op, identity, chunk)).collect();
        if values.len() == 1 {
            return values[0];
        }
    }
    chunk_tree(op, identity, &values)
}

fn chunk_tree(op: ScalarOp, identity: Literal, chunk: &[Literal]) -> Literal {
    let mut lanes = vec![identity; LANES as usize];
    for (at, &value) in chunk.iter().enumerate() {
        let lane = at % LANES as usize;
        lanes[lane] = evaluate(op, &[lanes[lane], value]);
    }
    for half in [16, 8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] = evaluate(op, &[lanes[lane], lanes[lane + half]]);
        }
    }
    lanes[0]
}
