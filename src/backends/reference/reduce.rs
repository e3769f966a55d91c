//! Reductions, matrix products, running sums and sorting: the operations whose order of computing matters.
//!
//! Sum and Prod follow the tree that [`crate::ir::kernel::Body::Reduce`] prescribes, so the bits depend on the extents alone.

use super::array::{Elements, offsets};
use super::broken;
use crate::backends::Stop;
use crate::base::{DType, Literal};
use crate::ir::array::ReduceOp;
use crate::ir::kernel::{CHUNK, LANES};
use crate::ops::evaluate::evaluate;
use crate::ops::scalar::ScalarOp;
use std::cmp::Ordering;

/// `x` without `axes`.
pub(super) fn reduce(op: ReduceOp, x: &Elements, axes: &[usize], to: (DType, Vec<u64>)) -> Result<Elements, Stop> {
    let (mut outer, mut inner) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    for (axis, (&extent, stride)) in x.extents.iter().zip(x.strides()).enumerate() {
        let part = if axes.contains(&axis) { &mut inner } else { &mut outer };
        part.0.push(extent);
        part.1.push(stride);
    }
    let inner = offsets(&inner.0, &inner.1, 0);
    let mut bits = Vec::new();
    for start in offsets(&outer.0, &outer.1, 0) {
        let values = inner.iter().map(|offset| x.get(start.wrapping_add(*offset)));
        bits.push(reduce_row(op, x.dtype, values.collect::<Result<_, Stop>>()?).bits);
    }
    Ok(Elements { dtype: to.0, extents: to.1, bits })
}

/// One result from the reduced elements in order.
pub(super) fn reduce_row(op: ReduceOp, dtype: DType, values: Vec<Literal>) -> Literal {
    let fold = |op, identity| values.iter().fold(identity, |a, &b| evaluate(op, &[a, b]));
    match op {
        ReduceOp::Sum => tree(ScalarOp::Add, Literal::from_i64(dtype, 0), values),
        ReduceOp::Prod => tree(ScalarOp::Mul, Literal::from_i64(dtype, 1), values),
        ReduceOp::Max => fold(ScalarOp::Max, limit(dtype, false)),
        ReduceOp::Min => fold(ScalarOp::Min, limit(dtype, true)),
        ReduceOp::Any => fold(ScalarOp::Or, Literal::from_bool(false)),
        ReduceOp::All => fold(ScalarOp::And, Literal::from_bool(true)),
        ReduceOp::ArgMax => first_best(&values, |best, next| evaluate(ScalarOp::Lt, &[best, next]).to_bool()),
        ReduceOp::ArgMin => first_best(&values, |best, next| evaluate(ScalarOp::Lt, &[next, best]).to_bool()),
    }
}

/// The least or the greatest value of a dtype, infinite for floats.
fn limit(dtype: DType, greatest: bool) -> Literal {
    match (dtype, greatest) {
        (DType::I64, false) => Literal::from_i64(dtype, i64::MIN),
        (DType::I64, true) => Literal::from_i64(dtype, i64::MAX),
        // Saturates to the limit of the narrower ints.
        (_, false) if dtype != DType::Bool => Literal::from_f64(dtype, f64::NEG_INFINITY),
        (_, greatest) if dtype == DType::Bool => Literal::from_bool(greatest),
        _ => Literal::from_f64(dtype, f64::INFINITY),
    }
}

fn first_best(values: &[Literal], better: impl Fn(Literal, Literal) -> bool) -> Literal {
    let nan = values.iter().position(|value| value.to_f64().is_nan());
    let at = nan.unwrap_or_else(|| {
        let mut best = values.first().map(|&first| (0, first));
        for (at, &value) in values.iter().enumerate() {
            if best.is_some_and(|(_, held)| better(held, value)) {
                best = Some((at, value));
            }
        }
        best.map_or(0, |(at, _)| at)
    });
    Literal::from_i64(DType::I32, at as i64)
}

/// The tree: chunks, lanes in a chunk, halving lanes; then the chunk results likewise.
fn tree(op: ScalarOp, identity: Literal, mut values: Vec<Literal>) -> Literal {
    if values.is_empty() {
        return identity;
    }
    loop {
        values = values.chunks(CHUNK as usize).map(|chunk| reduce_chunk(op, identity, chunk)).collect();
        if let [single] = values.as_slice() {
            return *single;
        }
    }
}

fn reduce_chunk(op: ScalarOp, identity: Literal, chunk: &[Literal]) -> Literal {
    let mut lanes = vec![identity; LANES as usize];
    for row in chunk.chunks(LANES as usize) {
        for (lane, &value) in lanes.iter_mut().zip(row) {
            *lane = evaluate(op, &[*lane, value]);
        }
    }
    while lanes.len() > 1 {
        let high = lanes.split_off(lanes.len() / 2);
        for (low, high) in lanes.iter_mut().zip(high) {
            *low = evaluate(op, &[*low, high]);
        }
    }
    lanes.first().copied().unwrap_or(identity)
}

/// What happens along one axis, line by line.
#[derive(Clone, Copy)]
pub(super) enum Along {
    Cumsum,
    Sort,
    Argsort,
}

/// Each line of `x` along `axis` through `op`.
pub(super) fn along(op: Along, x: &Elements, axis: usize, to: (DType, Vec<u64>)) -> Result<Elements, Stop> {
    let strides = x.strides();
    let (Some(&extent), Some(&stride)) = (x.extents.get(axis), strides.get(axis)) else {
        return Err(broken(format!("no axis {axis}")));
    };
    let mut starts = x.extents.clone();
    if let Some(slot) = starts.get_mut(axis) {
        *slot = 1;
    }
    let mut out = Elements { dtype: to.0, extents: to.1, bits: vec![0; x.bits.len()] };
    if x.bits.is_empty() {
        return Ok(out);
    }
    for start in offsets(&starts, &strides, 0) {
        let at = offsets(&[extent], &[stride], start);
        let line = at.iter().map(|&at| x.get(at)).collect::<Result<Vec<Literal>, Stop>>()?;
        let line: Vec<Literal> = match op {
            Along::Cumsum => running_sum(line),
            Along::Sort => order(&line).into_iter().filter_map(|at| line.get(at).copied()).collect(),
            Along::Argsort => order(&line).into_iter().map(|at| Literal::from_i64(DType::I32, at as i64)).collect(),
        };
        for (at, value) in at.into_iter().zip(line) {
            out.set(at, value.bits)?;
        }
    }
    Ok(out)
}

fn running_sum(mut line: Vec<Literal>) -> Vec<Literal> {
    let mut sum: Option<Literal> = None;
    for value in &mut line {
        *value = sum.map_or(*value, |sum| evaluate(ScalarOp::Add, &[sum, *value]));
        sum = Some(*value);
    }
    line
}

/// The stable ascending permutation, NaN last.
fn order(line: &[Literal]) -> Vec<usize> {
    let mut at: Vec<(usize, Literal)> = line.iter().copied().enumerate().collect();
    at.sort_by(|(_, a), (_, b)| compare(*a, *b));
    at.into_iter().map(|(at, _)| at).collect()
}

fn compare(a: Literal, b: Literal) -> Ordering {
    if !a.dtype.is_float() {
        return a.to_i64().cmp(&b.to_i64());
    }
    let (a, b) = (a.to_f64(), b.to_f64());
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// `[b, m, k] @ [b, k, n]`, accumulating in order of `k`.
pub(super) fn matmul(a: &Elements, b: &Elements, to: (DType, Vec<u64>)) -> Result<Elements, Stop> {
    let (&[batch, m, k], &[_, _, n]) = (a.extents.as_slice(), b.extents.as_slice()) else {
        return Err(broken("a matrix product of rank other than 3"));
    };
    let mut bits = Vec::new();
    for batch in 0..batch as i64 {
        for row in 0..m as i64 {
            for column in 0..n as i64 {
                let from = (batch * m as i64 + row) * k as i64;
                let from_b = batch * k as i64 * n as i64 + column;
                let pairs = (0..k as i64).map(|at| Ok((a.get(from + at)?, b.get(from_b + at * n as i64)?)));
                bits.push(dot(to.0, pairs)?.bits);
            }
        }
    }
    Ok(Elements { dtype: to.0, extents: to.1, bits })
}

fn dot(dtype: DType, mut pairs: impl Iterator<Item = Result<(Literal, Literal), Stop>>) -> Result<Literal, Stop> {
    Ok(match dtype {
        DType::F64 => {
            Literal::from_f64(dtype, pairs.try_fold(0.0, |sum, pair| pair.map(|(a, b)| sum + a.to_f64() * b.to_f64()))?)
        }
        DType::F32 | DType::F16 | DType::Bf16 => {
            let add = |sum: f32, (a, b): (Literal, Literal)| sum + a.to_f64() as f32 * b.to_f64() as f32;
            let sum = pairs.try_fold(0.0f32, |sum, pair| pair.map(|pair| add(sum, pair)))?;
            let sum = Literal::from_f64(DType::F32, f64::from(sum));
            if dtype == DType::F32 { sum } else { evaluate(ScalarOp::Cast(dtype), &[sum]) }
        }
        // Wrapping in 64 bits leaves the right low bits for the narrower ints.
        _ => {
            let add = |sum: i64, (a, b): (Literal, Literal)| sum.wrapping_add(a.to_i64().wrapping_mul(b.to_i64()));
            Literal::from_i64(dtype, pairs.try_fold(0i64, |sum, pair| pair.map(|pair| add(sum, pair)))?)
        }
    })
}
