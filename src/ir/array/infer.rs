//! The type rule of each operation of the array IR.
//!
//! [`infer`] says whether declared result types are what the operation gives for its operands. Sizes compare as
//! polynomials; a range that depends on symbols is taken as proved by whoever built the operation.

use super::{ArrayType, OpKind, ReduceOp};
use crate::base::{DType, Shape, Size};
use crate::ops::scalar::{Function, ScalarOp};

/// What a region takes and gives.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionType<'a> {
    /// Types of its parameters.
    pub params: Vec<&'a ArrayType>,
    /// Types of its results.
    pub results: Vec<&'a ArrayType>,
}

/// Checks one operation against its rule.
///
/// # Errors
/// Says which part of the rule is broken.
pub fn infer(
    kind: &OpKind,
    operands: &[&ArrayType],
    results: &[&ArrayType],
    regions: &[RegionType<'_>],
) -> Result<(), String> {
    match kind {
        OpKind::For | OpKind::While | OpKind::If => control(kind, operands, results, regions),
        OpKind::Check(_) => {
            need(regions.is_empty() && results.is_empty(), "a check has no results and no regions")?;
            let [bad, shown @ ..] = operands else { return Err("a check needs a condition".into()) };
            scalar(bad, DType::Bool)?;
            need(shown.iter().all(|ty| ty.shape.rank() == 0), "a check shows rank-0 values only")
        }
        _ => {
            need(regions.is_empty(), "an operation that takes no region has one")?;
            let [result] = results else { return Err(format!("{} results, not 1", results.len())) };
            plain(kind, operands, result)
        }
    }
}

fn need(holds: bool, rule: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(rule.to_owned()) }
}

fn scalar(ty: &ArrayType, dtype: DType) -> Result<(), String> {
    same(ty, &ArrayType::scalar(dtype))
}

fn same(found: &ArrayType, expected: &ArrayType) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{found} where {expected} is due")) }
}

fn same_all(found: &[&ArrayType], expected: &[&ArrayType]) -> Result<(), String> {
    need(found.len() == expected.len(), &format!("{} values where {} are due", found.len(), expected.len()))?;
    found.iter().zip(expected).try_for_each(|(found, expected)| same(found, expected))
}

fn control(
    kind: &OpKind,
    operands: &[&ArrayType],
    results: &[&ArrayType],
    regions: &[RegionType<'_>],
) -> Result<(), String> {
    match (kind, operands, regions) {
        (OpKind::For, [start, end, step, carried @ ..], [body]) => {
            let index = ArrayType::scalar(DType::I64);
            [start, end, step].into_iter().try_for_each(|bound| same(bound, &index))?;
            let params: Vec<&ArrayType> = std::iter::once(&index).chain(carried.iter().copied()).collect();
            same_all(&body.params, &params)?;
            same_all(&body.results, carried)?;
            same_all(results, carried)
        }
        (OpKind::While, carried, [condition, body]) => {
            same_all(&condition.params, carried)?;
            same_all(&condition.results, &[&ArrayType::scalar(DType::Bool)])?;
            same_all(&body.params, carried)?;
            same_all(&body.results, carried)?;
            same_all(results, carried)
        }
        (OpKind::If, [condition], [then, otherwise]) => {
            scalar(condition, DType::Bool)?;
            for branch in [then, otherwise] {
                same_all(&branch.params, &[])?;
                same_all(&branch.results, results)?;
            }
            Ok(())
        }
        _ => Err(format!("{} operands and {} regions", operands.len(), regions.len())),
    }
}

/// Operations with one result and no regions.
fn plain(kind: &OpKind, operands: &[&ArrayType], result: &ArrayType) -> Result<(), String> {
    let rank = result.shape.rank();
    match (kind, operands) {
        (OpKind::Const(literal), []) => scalar(result, literal.dtype),
        (OpKind::Iota { axis }, []) => {
            need(result.dtype != DType::Bool, "bools do not count")?;
            need(*axis < rank, "the axis does not exist")
        }
        (OpKind::Map(op), _) => map(*op, operands, result),
        (OpKind::Function(function), [first, rest @ ..]) => {
            need(operands.len() == function.arity(), "wrong number of operands")?;
            let takes = first.dtype.is_float() || (*function == Function::Sign && first.dtype.is_int());
            need(takes, &format!("{} does not take {}", function.name(), first.dtype))?;
            rest.iter().copied().chain([result]).try_for_each(|ty| same(ty, first))
        }
        (OpKind::Broadcast { axes }, [x]) => broadcast(axes, x, result),
        (OpKind::Reshape, [x]) => {
            dtype(x, result)?;
            let equal = x.shape == result.shape
                || matches!((x.shape.elements(), result.shape.elements()), (Some(a), Some(b)) if a == b);
            need(equal, &format!("{} and {} differ in elements", x.shape, result.shape))
        }
        (OpKind::Transpose(perm), [x]) => {
            let mut sorted = perm.clone();
            sorted.sort_unstable();
            need(sorted.into_iter().eq(0..x.shape.rank()), "not a permutation of the axes")?;
            let extents = perm.iter().filter_map(|&axis| x.shape.0.get(axis).cloned()).collect();
            same(result, &ArrayType::new(x.dtype, Shape(extents)))
        }
        (OpKind::Slice { starts, steps }, [x]) => slice(starts, steps, x, result),
        (OpKind::Pad { low }, [x, fill]) => {
            dtype(x, result)?;
            scalar(fill, x.dtype)?;
            need(x.shape.rank() == rank && low.len() == rank, "one number per axis")?;
            need(low.iter().all(|low| low.constant().is_none_or(|low| low >= 0)), "padding is not negative")
        }
        (OpKind::Concat { axis }, [first, ..]) => concat(*axis, operands, first, result),
        (OpKind::Reduce { op, axes }, [x]) => reduce(*op, axes, x, result),
        (OpKind::Cumsum { axis } | OpKind::Sort { axis }, [x]) => {
            need(*axis < rank, "the axis does not exist")?;
            same(result, x)
        }
        (OpKind::Argsort { axis }, [x]) => {
            need(*axis < rank, "the axis does not exist")?;
            same(result, &ArrayType::new(DType::I32, x.shape.clone()))
        }
        (OpKind::Matmul, [a, b]) => matmul(a, b, result),
        (OpKind::Gather { axis }, [x, index]) => {
            need(index.dtype == DType::I64, "an index is i64")?;
            let (before, after) = around(x, *axis)?;
            let extents = before.iter().chain(&index.shape.0).chain(after).cloned().collect();
            same(result, &ArrayType::new(x.dtype, Shape(extents)))
        }
        (OpKind::Scatter { axis }, [x, index, updates]) => {
            need(index.dtype == DType::I64 && index.shape.rank() == 1, "an index is i64 of rank 1")?;
            let (before, after) = around(x, *axis)?;
            let extents = before.iter().chain(&index.shape.0).chain(after).cloned().collect();
            same(updates, &ArrayType::new(x.dtype, Shape(extents)))?;
            same(result, x)
        }
        (OpKind::DynamicSlice, [x, starts @ ..]) => {
            dtype(x, result)?;
            block(x, result, starts)
        }
        (OpKind::Update { steps }, [x, update, starts @ ..]) => {
            need(steps.len() == x.shape.rank() && steps.iter().all(|&step| step != 0), "one step per axis, not 0")?;
            dtype(x, update)?;
            block(x, update, starts)?;
            same(result, x)
        }
        (OpKind::Copy, [x]) => same(result, x),
        _ => Err(format!("wrong number of operands: {}", operands.len())),
    }
}

fn dtype(a: &ArrayType, b: &ArrayType) -> Result<(), String> {
    need(a.dtype == b.dtype, &format!("{} and {} differ", a.dtype, b.dtype))
}

fn map(op: ScalarOp, operands: &[&ArrayType], result: &ArrayType) -> Result<(), String> {
    need(operands.len() == op.arity(), "wrong number of operands")?;
    let typed = match (op, operands) {
        (ScalarOp::Select, [condition, rest @ ..]) => {
            need(condition.dtype == DType::Bool, "a select needs a bool first")?;
            rest
        }
        _ => operands,
    };
    let [first, rest @ ..] = typed else { return Err("no operands".into()) };
    rest.iter().try_for_each(|ty| dtype(ty, first))?;
    need(op.takes(first.dtype), &format!("{} does not take {}", op.name(), first.dtype))?;
    let shapes = operands.iter().map(|ty| &ty.shape);
    need(shapes.clone().all(|shape| *shape == result.shape), "operands and result differ in shape")?;
    same(result, &ArrayType::new(op.result(first.dtype), result.shape.clone()))
}

fn increasing(axes: &[usize], rank: usize) -> Result<(), String> {
    let sorted = axes.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
    need(sorted && axes.iter().all(|&axis| axis < rank), &format!("axes {axes:?} of rank {rank}"))
}

fn broadcast(axes: &[usize], x: &ArrayType, result: &ArrayType) -> Result<(), String> {
    dtype(x, result)?;
    need(axes.len() == x.shape.rank(), "one axis per operand axis")?;
    increasing(axes, result.shape.rank())?;
    for (own, &axis) in x.shape.0.iter().zip(axes) {
        let fits = own.constant() == Some(1) || result.shape.0.get(axis) == Some(own);
        need(fits, &format!("{} does not broadcast to {}", x.shape, result.shape))?;
    }
    Ok(())
}

fn slice(starts: &[Size], steps: &[i64], x: &ArrayType, result: &ArrayType) -> Result<(), String> {
    dtype(x, result)?;
    let rank = x.shape.rank();
    need(starts.len() == rank && steps.len() == rank && result.shape.rank() == rank, "one number per axis")?;
    need(steps.iter().all(|&step| step != 0), "a step is 0")?;
    if result.shape.0.iter().any(|extent| extent.constant() == Some(0)) {
        return Ok(());
    }
    for (((start, &step), extent), count) in starts.iter().zip(steps).zip(&x.shape.0).zip(&result.shape.0) {
        if let (Some(start), Some(extent), Some(count)) = (start.constant(), extent.constant(), count.constant()) {
            let last = i128::from(start) + i128::from(step) * (i128::from(count) - 1);
            let range = 0..i128::from(extent);
            let inside = range.contains(&i128::from(start)) && range.contains(&last);
            need(inside, &format!("elements {start} to {last} of {extent}"))?;
        }
    }
    Ok(())
}

fn concat(axis: usize, operands: &[&ArrayType], first: &ArrayType, result: &ArrayType) -> Result<(), String> {
    let mut sum = Size::from(0);
    for ty in operands {
        let mut like = first.clone();
        let (Some(slot), Some(extent)) = (like.shape.0.get_mut(axis), ty.shape.0.get(axis)) else {
            return Err("the axis does not exist".into());
        };
        *slot = extent.clone();
        same(ty, &like)?;
        sum = sum.add(extent).ok_or("the sum of the extents overflows")?;
    }
    let mut expected = first.clone();
    if let Some(slot) = expected.shape.0.get_mut(axis) {
        *slot = sum;
    }
    same(result, &expected)
}

fn reduce(op: ReduceOp, axes: &[usize], x: &ArrayType, result: &ArrayType) -> Result<(), String> {
    increasing(axes, x.shape.rank())?;
    let dtype = match op {
        ReduceOp::ArgMax | ReduceOp::ArgMin => DType::I32,
        ReduceOp::Any | ReduceOp::All => {
            need(x.dtype == DType::Bool, "any and all take bools")?;
            DType::Bool
        }
        ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min => x.dtype,
    };
    let kept = x.shape.0.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    same(result, &ArrayType::new(dtype, Shape(kept.map(|(_, extent)| extent.clone()).collect())))
}

fn matmul(a: &ArrayType, b: &ArrayType, result: &ArrayType) -> Result<(), String> {
    dtype(a, b)?;
    let ([batch, m, k], [batch_b, k_b, n]) = (a.shape.0.as_slice(), b.shape.0.as_slice()) else {
        return Err("a matrix product takes operands of rank 3".into());
    };
    need(batch == batch_b && k == k_b, &format!("{a} @ {b}"))?;
    same(result, &ArrayType::new(a.dtype, Shape(vec![batch.clone(), m.clone(), n.clone()])))
}

/// Extents before and after an axis.
fn around(x: &ArrayType, axis: usize) -> Result<(&[Size], &[Size]), String> {
    let extents = &x.shape.0;
    match (extents.get(..axis), extents.get(axis.saturating_add(1)..)) {
        (Some(before), Some(after)) => Ok((before, after)),
        _ => Err("the axis does not exist".into()),
    }
}

/// A block of `x` that begins at run-time indexes.
fn block(x: &ArrayType, block: &ArrayType, starts: &[&ArrayType]) -> Result<(), String> {
    let rank = x.shape.rank();
    need(block.shape.rank() == rank && starts.len() == rank, "one start per axis")?;
    starts.iter().try_for_each(|start| scalar(start, DType::I64))?;
    let sizes = x.shape.0.iter().zip(&block.shape.0);
    let fits = |(whole, part): (&Size, &Size)| match (whole.constant(), part.constant()) {
        (Some(whole), Some(part)) => part <= whole,
        _ => true,
    };
    need(sizes.into_iter().all(fits), &format!("{block} is no block of {x}"))
}
