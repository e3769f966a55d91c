//! Products of matrices and vectors.

use super::diagnostics;
use super::einsum::einsum;
use super::{Builtin, Call, EINSUM_OPERANDS, Operand, Param, needs, takes};
use crate::base::{DType, Shape, Size};
use crate::ops::scalar::ScalarOp;
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{Traced, Value};
use crate::syntax::ast::BinaryOp;

const AB: &[Param] = &[needs("a"), needs("b")];
const SUBSCRIPTS: [Param; EINSUM_OPERANDS + 1] = [
    needs("subscripts"),
    needs("a"),
    takes("b"),
    takes("c"),
    takes("d"),
    takes("e"),
    takes("f"),
    takes("g"),
    takes("h"),
];

pub(super) const TABLE: &[Builtin] = &[
    Builtin { name: "matmul", params: AB, build: matmul, doc: "matrix product, as the operator @" },
    Builtin { name: "dot", params: AB, build: dot, doc: "product over the last axis of a and the last but one of b" },
    Builtin { name: "outer", params: AB, build: outer, doc: "all products of elements of a and b" },
    Builtin {
        name: "einsum",
        params: &SUBSCRIPTS,
        build: einsum,
        doc: "sums of products by subscripts: einsum(\"ij,jk->ik\", a, b)",
    },
    Builtin {
        name: "transpose",
        params: &[needs("x"), takes("axes")],
        build: transpose,
        doc: "axes in another order, reversed by default",
    },
];

fn product(el: &mut Elaborator<'_>, op: BinaryOp, a: &Operand, b: &Operand, call: &Call) -> Outcome<Traced> {
    el.binary_values(op, (&a.value, a.span), (&b.value, b.span), call.span)
}

fn matmul(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (a, b) = (call.operand(0), call.operand(1));
    product(el, BinaryOp::MatMul, &a, &b, call)
}

fn dot(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (a, b) = (call.operand(0), call.operand(1));
    let x = el.operand_array(&a)?;
    let y = el.operand_array(&b)?;
    let (left, right) = (el.array_type(x), el.array_type(y));
    if left.shape.rank() == 0 || right.shape.rank() == 0 {
        return product(el, BinaryOp::Mul, &a, &b, call);
    }
    if right.shape.rank() <= 2 && left.shape.rank() <= 2 {
        return product(el, BinaryOp::MatMul, &a, &b, call);
    }
    // Axes of a but the last, then axes of b but the contracted: one matrix product of flattened operands.
    let Some(dtype) = el.common_dtype(&[&a.value, &b.value]) else {
        return product(el, BinaryOp::MatMul, &a, &b, call);
    };
    let (x, y) = (el.builder.cast(x, dtype), el.builder.cast(y, dtype));
    let mut rows = left.shape.0.clone();
    let inner = rows.pop().unwrap_or_default();
    let rank = right.shape.rank();
    let contracted = rank.saturating_sub(2);
    let mut columns = right.shape.0.clone();
    let other = columns.remove(contracted.min(columns.len().saturating_sub(1)));
    if inner != other {
        let operands = [(left.to_string(), a.span), (right.to_string(), b.span)];
        let message = format!("`dot`: the contracted extents differ: {inner} against {other}");
        return el.fail(diagnostics::do_not_fit(message, call.span, &operands, "both must have equal extents there"));
    }
    let order: Vec<usize> = (0..rank).filter(|&axis| axis != contracted).collect();
    let perm = std::iter::once(contracted).chain(order).collect();
    let y = if rank == 1 { y } else { el.builder.transpose(y, perm) };
    let (Some(m), Some(n)) = (Shape(rows.clone()).elements(), Shape(columns.clone()).elements()) else {
        return el.fail(crate::sema::diagnostics::too_large(&left.to_string(), call.span));
    };
    let one = Size::from(1);
    let x = el.builder.reshape(x, Shape(vec![one.clone(), m, inner.clone()]));
    let y = el.builder.reshape(y, Shape(vec![one, inner, n]));
    let result = el.builder.matmul(x, y);
    let shape = Shape(rows.into_iter().chain(columns).collect());
    Ok(Value::Array(el.builder.reshape(result, shape)))
}

fn outer(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (a, b) = (call.operand(0), call.operand(1));
    let dtype = el.common_dtype(&[&a.value, &b.value]).unwrap_or(DType::F32);
    let x = el.array_of(&a.value, dtype, a.span)?;
    let y = el.array_of(&b.value, dtype, b.span)?;
    let (left, right) = (el.array_type(x), el.array_type(y));
    let (Some(m), Some(n)) = (left.shape.elements(), right.shape.elements()) else {
        return el.fail(crate::sema::diagnostics::too_large(&left.to_string(), call.span));
    };
    el.builder.span = call.span;
    let x = el.builder.reshape(x, Shape(vec![m.clone()]));
    let y = el.builder.reshape(y, Shape(vec![n.clone()]));
    let shape = Shape(vec![m, n]);
    let x = el.builder.broadcast(x, shape.clone(), vec![0]);
    let y = el.builder.broadcast(y, shape, vec![1]);
    Ok(Value::Array(el.map2(ScalarOp::Mul, x, y)))
}

fn transpose(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.operand_array(&call.operand(0))?;
    let ty = el.array_type(x);
    let rank = ty.shape.rank();
    let Some(axes) = call.given(1) else {
        return Ok(Value::Array(el.builder.transpose(x, (0..rank).rev().collect())));
    };
    let items = match &axes.value {
        Value::Tuple(items) => items.clone(),
        one => vec![one.clone()],
    };
    let mut perm = Vec::with_capacity(items.len());
    for value in items {
        let axis = el.known_int(&Operand { value, span: axes.span }, "an axis")?;
        let axis = el.axis_in(axis, rank, axes.span)?;
        if perm.contains(&axis) {
            return el.fail(diagnostics::axis_twice(axis, axes.span));
        }
        perm.push(axis);
    }
    if perm.len() != rank {
        let message = format!("`transpose` of {ty} needs {rank} axes, found {}", perm.len());
        return el.fail(diagnostics::wrong_shape(message, axes.span, "these axes", "name every axis once"));
    }
    el.builder.span = call.span;
    Ok(Value::Array(el.builder.transpose(x, perm)))
}
