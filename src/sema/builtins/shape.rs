//! Other shapes of the same elements, and elements put together.

use super::args::size_value;
use super::diagnostics;
use super::{Builtin, Call, Operand, needs, takes};
use crate::base::{DType, Literal, Shape, Size};
use crate::ir::array::{self, ArrayType};
use crate::ops::scalar::ScalarOp;
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{Traced, Value};

pub(super) const TABLE: &[Builtin] = &[
    Builtin {
        name: "reshape",
        params: &[needs("x"), needs("shape")],
        build: reshape,
        doc: "the same elements in another shape; one extent may be -1",
    },
    Builtin { name: "squeeze", params: &[needs("x"), takes("axis")], build: squeeze, doc: "without axes of extent 1" },
    Builtin {
        name: "expand_dims",
        params: &[needs("x"), needs("axis")],
        build: expand_dims,
        doc: "with axes of extent 1 at these places",
    },
    Builtin {
        name: "broadcast_to",
        params: &[needs("x"), needs("shape")],
        build: broadcast_to,
        doc: "repeated to a shape by the rule of broadcasting",
    },
    Builtin {
        name: "concat",
        params: &[needs("arrays"), takes("axis")],
        build: concat,
        doc: "a list of arrays put together along an axis",
    },
    Builtin {
        name: "stack",
        params: &[needs("arrays"), takes("axis")],
        build: stack,
        doc: "a list of arrays put together along a new axis",
    },
    Builtin { name: "flip", params: &[needs("x"), takes("axis")], build: flip, doc: "in reverse order along axes" },
    Builtin {
        name: "roll",
        params: &[needs("x"), needs("shift"), takes("axis")],
        build: roll,
        doc: "shifted along axes, what leaves at one end enters at the other",
    },
    Builtin {
        name: "pad",
        params: &[needs("x"), needs("pad_width"), takes("constant_values")],
        build: pad,
        doc: "with elements of one value around it",
    },
    Builtin { name: "tile", params: &[needs("x"), needs("reps")], build: tile, doc: "whole copies side by side" },
    Builtin {
        name: "repeat",
        params: &[needs("x"), needs("repeats"), takes("axis")],
        build: repeat,
        doc: "each element several times",
    },
];

fn reshape(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (operand, wanted) = (call.operand(0), call.operand(1));
    let x = el.operand_array(&operand)?;
    let ty = el.array_type(x);
    let mut shape = el.shape_of(&wanted)?;
    let holes: Vec<usize> = (0..shape.len()).filter(|&at| shape.get(at).and_then(Size::constant) == Some(-1)).collect();
    let Some(total) = ty.shape.elements() else {
        return el.fail(crate::sema::diagnostics::too_large(&ty.to_string(), operand.span));
    };
    if let [hole] = holes.as_slice() {
        let known = Shape(shape.iter().enumerate().filter(|(at, _)| at != hole).map(|(_, n)| n.clone()).collect());
        let rest = known.elements().filter(|rest| *rest != Size::from(0)).and_then(|rest| total.div_exact(&rest));
        match (rest, shape.get_mut(*hole)) {
            (Some(rest), Some(slot)) => *slot = rest,
            _ => {
                let message = format!("no extent makes {total} elements of {}", Shape(shape.clone()));
                return el.fail(diagnostics::wrong_shape(
                    message,
                    wanted.span,
                    "this shape",
                    "give an extent that divides",
                ));
            }
        }
    }
    let shape = Shape(shape);
    let negative = shape.0.iter().any(|extent| extent.constant().is_some_and(|n| n < 0));
    if holes.len() > 1 || negative || shape.elements().as_ref() != Some(&total) {
        let message = format!("{ty} cannot be reshaped to {shape}: {total} elements");
        let diagnostic =
            diagnostics::wrong_shape(message, wanted.span, "this shape", "the number of elements must be the same");
        return el.fail(diagnostic.label(operand.span, format!("this is {ty}")));
    }
    el.builder.span = call.span;
    Ok(Value::Array(el.builder.reshape(x, shape)))
}

fn squeeze(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.operand_array(&call.operand(0))?;
    let ty = el.array_type(x);
    let one = Size::from(1);
    let axes = match call.given(1) {
        Some(axes) => el.axes_of(Some(&axes), ty.shape.rank())?,
        None => (0..ty.shape.rank()).filter(|&axis| ty.shape.0.get(axis) == Some(&one)).collect(),
    };
    if let Some(axis) = axes.iter().find(|&&axis| ty.shape.0.get(axis) != Some(&one)) {
        let message = format!("axis {axis} of {ty} cannot be squeezed: its extent is not 1");
        return el.fail(diagnostics::wrong_shape(message, call.span, "in this call", "index it instead: x[0]"));
    }
    let kept = ty.shape.0.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    let shape = Shape(kept.map(|(_, extent)| extent.clone()).collect());
    Ok(Value::Array(el.builder.reshape(x, shape)))
}

fn expand_dims(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.operand_array(&call.operand(0))?;
    let ty = el.array_type(x);
    let axes = call.operand(1);
    let count = match &axes.value {
        Value::Tuple(items) => items.len(),
        _ => 1,
    };
    let rank = ty.shape.rank() + count;
    let axes = el.axes_of(Some(&axes), rank)?;
    let mut old = ty.shape.0.into_iter();
    let extents = (0..rank).map(|at| if axes.contains(&at) { Size::from(1) } else { old.next().unwrap_or_default() });
    let shape = Shape(extents.collect());
    Ok(Value::Array(el.builder.reshape(x, shape)))
}

fn broadcast_to(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let operand = call.operand(0);
    let x = el.operand_array(&operand)?;
    let shape = el.extents(&call.operand(1))?;
    let ty = el.array_type(x);
    if Elaborator::broadcast_shapes(&[&ty.shape, &shape]) != Ok(shape.clone()) {
        let message = format!("{ty} does not broadcast to {shape}");
        let operands = [(ty.to_string(), operand.span)];
        let help = "axes are aligned from the last; extents must be equal or 1";
        return el.fail(diagnostics::do_not_fit(message, call.span, &operands, help));
    }
    el.size_limit(ArrayType::new(ty.dtype, shape.clone()), call.span)?;
    el.builder.span = call.span;
    Ok(Value::Array(el.builder.broadcast_to(x, shape)))
}

/// The arrays of a list at one dtype.
fn list_at_one_dtype(el: &mut Elaborator<'_>, operand: &Operand) -> Outcome<Vec<array::Value>> {
    let items = el.array_list(operand)?;
    let values: Vec<&Traced> = items.iter().map(|item| &item.value).collect();
    let Some(dtype) = el.common_dtype(&values) else {
        let found = el.describe(&operand.value);
        return el.fail(diagnostics::wrong_kind("the operand", "a list of arrays", &found, operand.span));
    };
    items.iter().map(|item| el.array_of(&item.value, dtype, item.span)).collect()
}

/// A list of scalars as an array of one axis.
pub(super) fn vector_of(el: &mut Elaborator<'_>, operand: &Operand) -> Outcome<array::Value> {
    let scalars = list_at_one_dtype(el, operand)?;
    if let Some(&other) = scalars.iter().find(|&&x| el.builder.ty(x).shape.rank() != 0) {
        let found = el.array_type(other).to_string();
        return el.fail(diagnostics::wrong_kind("an element of the list", "a scalar", &found, operand.span));
    }
    let count = Size::from(scalars.len() as u64);
    let parts = scalars.into_iter().map(|x| el.builder.reshape(x, Shape::known(&[1]))).collect();
    Ok(el.builder.concat(parts, 0, count))
}

/// Whether shapes agree on all axes but `except`.
fn agree(a: &Shape, b: &Shape, except: Option<usize>) -> bool {
    a.rank() == b.rank() && a.0.iter().zip(&b.0).enumerate().all(|(axis, (x, y))| Some(axis) == except || x == y)
}

fn refuse_list(el: &mut Elaborator<'_>, call: &Call, arrays: &[array::Value], help: &str) -> Outcome<Traced> {
    let types: Vec<String> = arrays.iter().map(|&x| el.array_type(x).to_string()).collect();
    let message = format!("`{}`: the shapes of {} do not agree", call.name, types.join(" and "));
    el.fail(diagnostics::do_not_fit(message, call.span, &[], help))
}

fn concat(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let arrays = list_at_one_dtype(el, &call.operand(0))?;
    let shapes: Vec<Shape> = arrays.iter().map(|&x| el.array_type(x).shape).collect();
    let Some(first) = shapes.first() else { return Ok(Value::Unit) };
    let axis = el.axis_of(call.given(1).as_ref(), 0, first.rank(), call.span)?;
    if !shapes.iter().all(|shape| agree(first, shape, Some(axis))) {
        return refuse_list(el, call, &arrays, "all extents but those along the axis must be equal");
    }
    let total = shapes.iter().try_fold(Size::from(0), |sum, shape| sum.add(shape.0.get(axis)?));
    let Some(total) = total else {
        return el.fail(crate::sema::diagnostics::too_large("the result", call.span));
    };
    el.builder.span = call.span;
    Ok(Value::Array(el.builder.concat(arrays, axis, total)))
}

fn stack(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let arrays = list_at_one_dtype(el, &call.operand(0))?;
    let shapes: Vec<Shape> = arrays.iter().map(|&x| el.array_type(x).shape).collect();
    let Some(first) = shapes.first() else { return Ok(Value::Unit) };
    let axis = el.axis_of(call.given(1).as_ref(), 0, first.rank() + 1, call.span)?;
    if !shapes.iter().all(|shape| agree(first, shape, None)) {
        return refuse_list(el, call, &arrays, "all extents must be equal");
    }
    el.builder.span = call.span;
    let mut shape = first.clone();
    shape.0.insert(axis, Size::from(1));
    let count = Size::from(arrays.len() as u64);
    let parts = arrays.into_iter().map(|x| el.builder.reshape(x, shape.clone())).collect();
    Ok(Value::Array(el.builder.concat(parts, axis, count)))
}

fn flip(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.operand_array(&call.operand(0))?;
    let shape = el.array_type(x).shape;
    let axes = el.axes_of(call.given(1).as_ref(), shape.rank())?;
    el.builder.span = call.span;
    Ok(Value::Array(reversed(el, x, &axes)))
}

/// In reverse order along `axes`.
pub(super) fn reversed(el: &mut Elaborator<'_>, x: array::Value, axes: &[usize]) -> array::Value {
    let shape = el.array_type(x).shape;
    if axes.is_empty() {
        return x;
    }
    let turned = |axis: usize| axes.contains(&axis);
    let last = |extent: &Size| extent.sub(&Size::from(1)).unwrap_or_default();
    let ends = shape.0.iter().enumerate();
    let starts = ends.map(|(axis, extent)| if turned(axis) { last(extent) } else { Size::from(0) }).collect();
    let steps = (0..shape.rank()).map(|axis| if turned(axis) { -1 } else { 1 }).collect();
    el.builder.slice(x, starts, steps, shape)
}

fn roll(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (operand, shift) = (call.operand(0), call.operand(1));
    let mut x = el.operand_array(&operand)?;
    let whole = el.array_type(x).shape;
    let mut shifts = match &shift.value {
        Value::Tuple(items) => items.clone(),
        one => vec![one.clone()],
    };
    let axes: Vec<usize> = match call.given(2) {
        None => {
            let Some(elements) = whole.elements() else {
                return el.fail(crate::sema::diagnostics::too_large(&whole.to_string(), call.span));
            };
            x = el.builder.reshape(x, Shape(vec![elements]));
            vec![0; shifts.len()]
        }
        Some(axis) => {
            let items = match &axis.value {
                Value::Tuple(items) => items.clone(),
                one => vec![one.clone(); shifts.len()],
            };
            let mut axes = Vec::with_capacity(items.len());
            for value in items {
                let n = el.known_int(&Operand { value, span: axis.span }, "an axis")?;
                axes.push(el.axis_in(n, whole.rank(), axis.span)?);
            }
            // One shift serves all axes, as one axis serves all shifts.
            if let [one] = shifts.as_slice() {
                shifts = vec![one.clone(); axes.len()];
            }
            axes
        }
    };
    if axes.len() != shifts.len() {
        let message = format!("{} shifts for {} axes", shifts.len(), axes.len());
        return el.fail(diagnostics::wrong_shape(message, shift.span, "these shifts", "give one shift per axis"));
    }
    for (value, axis) in shifts.into_iter().zip(axes) {
        x = rolled(el, x, &Operand { value, span: shift.span }, axis)?;
    }
    Ok(Value::Array(el.builder.reshape(x, whole)))
}

/// Shifted along one axis.
fn rolled(el: &mut Elaborator<'_>, x: array::Value, shift: &Operand, axis: usize) -> Outcome<array::Value> {
    let shape = el.array_type(x).shape;
    let Some(extent) = shape.0.get(axis).cloned() else { return Ok(x) };
    let known = match &shift.value {
        Value::Host(host) if host.origins.is_empty() => match &host.known {
            Some(crate::sema::value::Known::Int(size)) => size.constant(),
            _ => None,
        },
        _ => None,
    };
    if let (Some(by), Some(n)) = (known, extent.constant()) {
        if n == 0 || by.rem_euclid(n) == 0 {
            return Ok(x);
        }
        let cut = n - by.rem_euclid(n);
        let mut part = |from: i64, count: i64| {
            let mut starts = vec![Size::from(0); shape.rank()];
            let mut part = shape.clone();
            if let (Some(start), Some(slot)) = (starts.get_mut(axis), part.0.get_mut(axis)) {
                (*start, *slot) = (Size::from(from), Size::from(count));
            }
            el.builder.slice(x, starts, vec![1; shape.rank()], part)
        };
        let (tail, head) = (part(cut, n - cut), part(0, cut));
        return Ok(el.builder.concat(vec![tail, head], axis, extent));
    }
    if !el.common_dtype(&[&shift.value]).is_some_and(DType::is_int) {
        let found = el.describe(&shift.value);
        return el.fail(diagnostics::wrong_kind("a shift", "an int or a scalar array of ints", &found, shift.span));
    }
    // Element i comes from (i - shift) mod n.
    let line = Shape(vec![extent.clone()]);
    let index = el.builder.iota(DType::I64, line.clone(), 0);
    let by = el.scalar_of(shift, DType::I64, "a shift")?;
    // Reduced first, so that the difference cannot wrap.
    let count = el.array_of(&size_value(&extent), DType::I64, shift.span)?;
    let by = el.map2(ScalarOp::Mod, by, count);
    let by = el.builder.broadcast_to(by, line.clone());
    let count = el.builder.broadcast_to(count, line);
    let from = el.map2(ScalarOp::Sub, index, by);
    let from = el.map2(ScalarOp::Mod, from, count);
    Ok(el.builder.gather(x, from, axis))
}

fn pad(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (operand, width) = (call.operand(0), call.operand(1));
    let x = el.operand_array(&operand)?;
    let ty = el.array_type(x);
    let rank = ty.shape.rank();
    // `n`, `[before, after]`, `[[before, after], ...]`.
    let pair = |items: &[Traced]| match items {
        [both] => Some((both.clone(), both.clone())),
        [before, after] => Some((before.clone(), after.clone())),
        _ => None,
    };
    let pairs: Option<Vec<(Traced, Traced)>> = match &width.value {
        Value::Tuple(items) if items.iter().all(|item| matches!(item, Value::Tuple(_))) => {
            let pairs: Option<Vec<_>> = items
                .iter()
                .map(|item| match item {
                    Value::Tuple(items) => pair(items),
                    _ => None,
                })
                .collect();
            match pairs {
                Some(pairs) if pairs.len() == 1 => {
                    Some(vec![pairs.first().cloned(); rank].into_iter().flatten().collect())
                }
                Some(pairs) if pairs.len() == rank => Some(pairs),
                _ => None,
            }
        }
        Value::Tuple(items) => pair(items).map(|pair| vec![pair; rank]),
        one => Some(vec![(one.clone(), one.clone()); rank]),
    };
    let Some(pairs) = pairs else {
        let message = format!("the widths do not fit {ty}");
        let help = "give n, [before, after], or one [before, after] per axis";
        return el.fail(diagnostics::wrong_shape(message, width.span, "these widths", help));
    };
    let (mut low, mut shape) = (Vec::with_capacity(rank), Vec::with_capacity(rank));
    for ((before, after), extent) in pairs.iter().zip(&ty.shape.0) {
        let before = el.demand_size(before, "a width", width.span)?;
        let after = el.demand_size(after, "a width", width.span)?;
        if [&before, &after].iter().any(|size| size.constant().is_some_and(|n| n < 0)) {
            let message = "a width cannot be negative".to_owned();
            return el.fail(diagnostics::negative(message, width.span).help("to drop elements slice instead: x[1:]"));
        }
        match extent.add(&before).and_then(|sum| sum.add(&after)) {
            Some(sum) => shape.push(sum),
            None => return el.fail(crate::sema::diagnostics::too_large("the result", call.span)),
        }
        low.push(before);
    }
    let zero = Operand { value: size_value(&Size::from(0)), span: call.span };
    let fill = call.given(2).unwrap_or(zero);
    let value = el.scalar_of(&fill, ty.dtype, "the value")?;
    el.builder.span = call.span;
    Ok(Value::Array(el.builder.pad(x, value, low, Shape(shape))))
}

fn tile(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.operand_array(&call.operand(0))?;
    let mut reps = el.extents(&call.operand(1))?.0;
    let mut extents = el.array_type(x).shape.0;
    let rank = reps.len().max(extents.len());
    reps.splice(0..0, std::iter::repeat_n(Size::from(1), rank - reps.len()));
    extents.splice(0..0, std::iter::repeat_n(Size::from(1), rank - extents.len()));
    el.builder.span = call.span;
    let flat = Shape(extents.iter().flat_map(|n| [Size::from(1), n.clone()]).collect());
    let wide = Shape(reps.iter().zip(&extents).flat_map(|(r, n)| [r.clone(), n.clone()]).collect());
    let result: Option<Vec<Size>> = reps.iter().zip(&extents).map(|(r, n)| r.mul(n)).collect();
    let Some(result) = result.map(Shape) else {
        return el.fail(crate::sema::diagnostics::too_large("the result", call.span));
    };
    el.size_limit(ArrayType::new(el.builder.ty(x).dtype, result.clone()), call.span)?;
    let x = el.builder.reshape(x, flat);
    let x = el.builder.broadcast_to(x, wide);
    Ok(Value::Array(el.builder.reshape(x, result)))
}

fn repeat(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (x, axis) = super::reduce::along(el, &call.operand(0), call.given(2).as_ref(), call, None)?;
    let times = call.operand(1);
    let counts = el.extents(&times)?.0;
    let count = match counts.as_slice() {
        [count] => count.clone(),
        counts => return repeat_each(el, x, axis, counts, &times),
    };
    let shape = el.array_type(x).shape;
    let (mut flat, mut wide, mut result) = (shape.clone(), shape.clone(), shape.clone());
    flat.0.insert(axis + 1, Size::from(1));
    wide.0.insert(axis + 1, count.clone());
    let total = shape.0.get(axis).and_then(|extent| extent.mul(&count));
    let (Some(total), Some(slot)) = (total, result.0.get_mut(axis)) else {
        return el.fail(crate::sema::diagnostics::too_large("the result", call.span));
    };
    *slot = total;
    el.size_limit(ArrayType::new(el.builder.ty(x).dtype, result.clone()), call.span)?;
    let x = el.builder.reshape(x, flat);
    let x = el.builder.broadcast_to(x, wide);
    Ok(Value::Array(el.builder.reshape(x, result)))
}

/// A count per element along `axis`.
fn repeat_each(
    el: &mut Elaborator<'_>,
    x: array::Value,
    axis: usize,
    counts: &[Size],
    times: &Operand,
) -> Outcome<Traced> {
    let ty = el.array_type(x);
    let extent = ty.shape.0.get(axis).cloned().unwrap_or_default();
    if extent != Size::from(counts.len() as u64) {
        let message = format!("{} counts for an extent of {extent}", counts.len());
        let help = "give one count, or one per element along the axis";
        return el.fail(diagnostics::wrong_shape(message, times.span, "these counts", help));
    }
    let with_extent = |extent: Size| {
        let mut shape = ty.shape.clone();
        if let Some(slot) = shape.0.get_mut(axis) {
            *slot = extent;
        }
        shape
    };
    let total = counts.iter().try_fold(Size::from(0), |sum, count| sum.add(count));
    let Some(total) = total else {
        return el.fail(crate::sema::diagnostics::too_large("the result", times.span));
    };
    el.size_limit(ArrayType::new(ty.dtype, with_extent(total.clone())), times.span)?;
    let mut parts = Vec::with_capacity(counts.len());
    for (at, count) in counts.iter().enumerate() {
        let mut starts = vec![Size::from(0); ty.shape.rank()];
        if let Some(start) = starts.get_mut(axis) {
            *start = Size::from(at as u64);
        }
        let steps = vec![1; ty.shape.rank()];
        let part = el.builder.slice(x, starts, steps, with_extent(Size::from(1)));
        parts.push(el.builder.broadcast_to(part, with_extent(count.clone())));
    }
    if parts.is_empty() {
        return Ok(Value::Array(x));
    }
    Ok(Value::Array(el.builder.concat(parts, axis, total)))
}

/// A constant of a dtype in a shape.
pub(super) fn filled(el: &mut Elaborator<'_>, dtype: DType, value: i64, shape: Shape) -> array::Value {
    el.builder.full(Literal::from_i64(dtype, value), shape)
}
