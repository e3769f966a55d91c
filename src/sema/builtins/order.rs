//! Sorting, and elements chosen by index.

use super::diagnostics;
use super::reduce::along;
use super::shape::{filled, reversed, vector_of};
use super::{Builtin, Call, Operand, needs, takes};
use crate::base::{DType, Size};
use crate::ir::array::{ArrayType, OpKind};
use crate::ops::scalar::ScalarOp;
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{Known, Traced, Value};

pub(super) const TABLE: &[Builtin] = &[
    Builtin {
        name: "sort",
        params: &[needs("x"), takes("axis"), takes("descending")],
        build: sort,
        doc: "in ascending order along an axis, the last by default; NaN last",
    },
    Builtin {
        name: "argsort",
        params: &[needs("x"), takes("axis"), takes("descending")],
        build: argsort,
        doc: "the indexes that sort, stable",
    },
    Builtin {
        name: "take",
        params: &[needs("x"), needs("indices"), takes("axis")],
        build: take,
        doc: "elements or slices at these indexes; one out of range is an error",
    },
    Builtin {
        name: "one_hot",
        params: &[needs("x"), needs("num_classes"), takes("dtype"), takes("axis")],
        build: one_hot,
        doc: "1 at the index, 0 elsewhere, along a new last axis; an index out of range gives zeros",
    },
];

fn sort(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (x, axis) = along(el, &call.operand(0), call.given(1).as_ref(), call, Some(-1))?;
    let descending = el.flag(call.given(2).as_ref(), false)?;
    let sorted = el.builder.like_first(OpKind::Sort { axis }, vec![x]);
    Ok(Value::Array(if descending { reversed(el, sorted, &[axis]) } else { sorted }))
}

fn argsort(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (x, axis) = along(el, &call.operand(0), call.given(1).as_ref(), call, Some(-1))?;
    let descending = el.flag(call.given(2).as_ref(), false)?;
    if !descending {
        return Ok(Value::Array(el.builder.argsort(x, axis)));
    }
    // Sorting the reversed array and reversing the result keeps equal elements in their order.
    let turned = reversed(el, x, &[axis]);
    let order = el.builder.argsort(turned, axis);
    let order = reversed(el, order, &[axis]);
    let shape = el.array_type(order).shape;
    let extent = shape.0.get(axis).cloned().unwrap_or_default();
    let last = extent.sub(&Size::from(1)).unwrap_or_default();
    let last = el.array_of(&super::args::size_value(&last), DType::I32, call.span)?;
    let last = el.builder.broadcast_to(last, shape);
    Ok(Value::Array(el.map2(ScalarOp::Sub, last, order)))
}

fn take(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (x, axis) = along(el, &call.operand(0), call.given(2).as_ref(), call, None)?;
    let operand = call.operand(1);
    let extent = el.array_type(x).shape.0.get(axis).cloned().unwrap_or_default();
    refuse_known_index(el, &operand, axis, &extent)?;
    let index = match &operand.value {
        Value::Tuple(_) => vector_of(el, &operand)?,
        _ => el.operand_array(&operand)?,
    };
    let ty = el.array_type(index);
    if !ty.dtype.is_int() {
        return el.fail(diagnostics::wrong_kind("the index", "an array of ints", &ty.to_string(), operand.span));
    }
    let index = el.builder.cast(index, DType::I64);
    let index = el.in_range(index, axis, &extent, operand.span);
    el.builder.span = call.span;
    Ok(Value::Array(el.builder.gather(x, index, axis)))
}

/// An index that is a literal, alone or in a list, is looked at before anything runs.
fn refuse_known_index(el: &mut Elaborator<'_>, operand: &Operand, axis: usize, extent: &Size) -> Outcome<()> {
    let Some(count) = extent.constant() else { return Ok(()) };
    let items = match &operand.value {
        Value::Tuple(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    for item in items {
        if let Value::Host(host) = item
            && host.origins.is_empty()
            && let Some(Known::Int(size)) = &host.known
            && let Some(at) = size.constant()
            && !(-count..count).contains(&at)
        {
            let diagnostic = crate::sema::diagnostics::out_of_range(at, axis, &extent.to_string(), operand.span);
            return el.fail(diagnostic);
        }
    }
    Ok(())
}

fn one_hot(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let operand = call.operand(0);
    let x = el.operand_array(&operand)?;
    let classes = el.extent(&call.operand(1), "the number of classes")?;
    let dtype = el.dtype_of(call.given(2).as_ref(), DType::F32)?;
    let mut shape = el.array_type(x).shape;
    let axis = el.axis_of(call.given(3).as_ref(), -1, shape.rank() + 1, call.span)?;
    let kept: Vec<usize> = (0..=shape.rank()).filter(|&at| at != axis).collect();
    shape.0.insert(axis, classes);
    el.size_limit(ArrayType::new(dtype, shape.clone()), call.span)?;
    el.builder.span = call.span;
    // A float that is no whole number equals no class.
    let x = if el.builder.ty(x).dtype.is_float() { x } else { el.builder.cast(x, DType::I64) };
    let counted = el.builder.ty(x).dtype;
    let x = el.builder.broadcast(x, shape.clone(), kept);
    let class = el.builder.iota(counted, shape.clone(), axis);
    let hot = el.map2(ScalarOp::Eq, x, class);
    let (one, zero) = (filled(el, dtype, 1, shape.clone()), filled(el, dtype, 0, shape));
    Ok(Value::Array(el.builder.map(ScalarOp::Select, &[hot, one, zero])))
}
