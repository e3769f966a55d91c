//! Arrays from nothing: `zeros`, `arange` and their kin.

use super::args::size_value;
use super::diagnostics;
use super::{Builtin, Call, Operand, needs, takes};
use crate::base::{DType, Literal, Shape, Size};
use crate::ir::array::{self, ArrayType, OpKind};
use crate::ops::scalar::ScalarOp;
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{HostKind, Known, Traced, Value};

pub(super) const TABLE: &[Builtin] = &[
    Builtin { name: "zeros", params: &[needs("shape"), takes("dtype")], build: zeros, doc: "an array of zeros" },
    Builtin { name: "ones", params: &[needs("shape"), takes("dtype")], build: ones, doc: "an array of ones" },
    Builtin {
        name: "full",
        params: &[needs("shape"), needs("fill_value"), takes("dtype")],
        build: full,
        doc: "an array of one value",
    },
    Builtin {
        name: "arange",
        params: &[needs("start"), takes("stop"), takes("step"), takes("dtype")],
        build: arange,
        doc: "start, start + step, ... below stop; `arange(n)` counts from 0",
    },
    Builtin {
        name: "linspace",
        params: &[needs("start"), needs("stop"), takes("num"), takes("endpoint"), takes("dtype")],
        build: linspace,
        doc: "num values from start to stop, both included",
    },
    Builtin {
        name: "eye",
        params: &[needs("n"), takes("m"), takes("k"), takes("dtype")],
        build: eye,
        doc: "ones on the k-th diagonal of an n x m matrix",
    },
    Builtin {
        name: "zeros_like",
        params: &[needs("x"), takes("dtype")],
        build: zeros_like,
        doc: "zeros of the shape and dtype of x, whose elements are not read",
    },
    Builtin {
        name: "ones_like",
        params: &[needs("x"), takes("dtype")],
        build: ones_like,
        doc: "ones of the shape and dtype of x, whose elements are not read",
    },
    Builtin {
        name: "full_like",
        params: &[needs("x"), needs("fill_value"), takes("dtype")],
        build: full_like,
        doc: "one value in the shape and dtype of x, whose elements are not read",
    },
    Builtin { name: "copy", params: &[needs("x")], build: copy, doc: "the same elements in a buffer of their own" },
];

fn filled(el: &mut Elaborator<'_>, call: &Call, value: i64) -> Outcome<Traced> {
    let shape = el.extents(&call.operand(0))?;
    let dtype = el.dtype_of(call.given(1).as_ref(), DType::F32)?;
    el.size_limit(ArrayType::new(dtype, shape.clone()), call.span)?;
    el.builder.span = call.span;
    Ok(Value::Array(el.builder.full(Literal::from_i64(dtype, value), shape)))
}

fn zeros(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    filled(el, call, 0)
}

fn ones(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    filled(el, call, 1)
}

/// `value` in every element of `shape`.
fn spread_value(
    el: &mut Elaborator<'_>,
    call: &Call,
    value: &Operand,
    shape: Shape,
    dtype: Option<DType>,
) -> Outcome<Traced> {
    let dtype = match dtype.or_else(|| el.common_dtype(&[&value.value])) {
        Some(dtype) => dtype,
        None => {
            let found = el.describe(&value.value);
            return el.fail(diagnostics::wrong_kind("the value", "a number or an array", &found, value.span));
        }
    };
    let x = el.array_of(&value.value, dtype, value.span)?;
    let ty = el.array_type(x);
    el.size_limit(ArrayType::new(dtype, shape.clone()), call.span)?;
    if Elaborator::broadcast_shapes(&[&ty.shape, &shape]) != Ok(shape.clone()) {
        let message = format!("{ty} does not broadcast to {shape}");
        let operands = [(ty.to_string(), value.span)];
        return el.fail(diagnostics::do_not_fit(message, call.span, &operands, "give a scalar"));
    }
    el.builder.span = call.span;
    Ok(Value::Array(el.builder.broadcast_to(x, shape)))
}

fn full(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let shape = el.extents(&call.operand(0))?;
    let dtype = match call.given(2) {
        Some(dtype) => Some(el.dtype_of(Some(&dtype), DType::F32)?),
        None => None,
    };
    spread_value(el, call, &call.operand(1), shape, dtype)
}

fn type_of(el: &mut Elaborator<'_>, call: &Call, dtype: usize) -> Outcome<ArrayType> {
    let x = el.operand_array(&call.operand(0))?;
    let ty = el.array_type(x);
    let dtype = el.dtype_of(call.given(dtype).as_ref(), ty.dtype)?;
    Ok(ArrayType::new(dtype, ty.shape))
}

fn zeros_like(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let ty = type_of(el, call, 1)?;
    Ok(Value::Array(el.builder.full(Literal::from_i64(ty.dtype, 0), ty.shape)))
}

fn ones_like(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let ty = type_of(el, call, 1)?;
    Ok(Value::Array(el.builder.full(Literal::from_i64(ty.dtype, 1), ty.shape)))
}

fn full_like(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let ty = type_of(el, call, 2)?;
    spread_value(el, call, &call.operand(1), ty.shape, Some(ty.dtype))
}

fn copy(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.operand_array(&call.operand(0))?;
    Ok(Value::Array(el.builder.like_first(OpKind::Copy, vec![x])))
}

/// A number known at compile time, as f64.
fn known_float(el: &mut Elaborator<'_>, operand: &Operand, what: &str) -> Outcome<f64> {
    if let Value::Host(host) = &operand.value {
        match el.demand(host) {
            Some(Known::Float(x)) => return Ok(x),
            Some(Known::Int(Size::Known(n))) => return Ok(n as f64),
            _ => {}
        }
    }
    el.fail(crate::sema::diagnostics::must_be_known(what, operand.span))
}

fn arange(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (first, second, third) = (call.operand(0), call.given(1), call.given(2));
    let zero = Operand { value: size_value(&Size::from(0)), span: call.span };
    let one = Operand { value: size_value(&Size::from(1)), span: call.span };
    let (start, stop) = match second {
        Some(stop) => (first, stop),
        None => (zero, first),
    };
    let step = third.unwrap_or(one);
    let is_float = |operand: &Operand| matches!(&operand.value, Value::Host(host) if host.kind == HostKind::Float);
    if [&start, &stop, &step].into_iter().any(is_float) {
        return arange_floats(el, call, (&start, &stop, &step));
    }
    let low = el.demand_size(&start.value, "the start", start.span)?;
    let high = el.demand_size(&stop.value, "the stop", stop.span)?;
    let by = el.known_int(&step, "the step")?;
    let dtype = el.dtype_of(call.given(3).as_ref(), DType::I32)?;
    if by == 0 {
        let message = "the step of `arange` is 0".to_owned();
        return el.fail(diagnostics::wrong_shape(message, step.span, "this step", "give a step other than 0"));
    }
    let span = high.sub(&low);
    let count = match span.as_ref().map(Size::constant) {
        Some(Some(span)) => {
            // Rounded up, without overflow.
            let (span, by) = (i128::from(span), i128::from(by));
            let count = if by > 0 { (span + by - 1).div_euclid(by) } else { (-span - by - 1).div_euclid(-by) };
            Some(Size::from(i64::try_from(count.max(0)).unwrap_or(i64::MAX)))
        }
        _ if by == 1 => span,
        _ => None,
    };
    let Some(count) = count else {
        return el.fail(crate::sema::diagnostics::must_be_known("the extent of `arange`", call.span));
    };
    if let (Some(first), Some(count)) = (low.constant(), count.constant()) {
        values_fit(el, call, dtype, (first, by, count))?;
    }
    let shape = Shape(vec![count]);
    el.size_limit(ArrayType::new(dtype, shape.clone()), call.span)?;
    el.builder.span = call.span;
    if low == Size::from(0) && by == 1 && dtype != DType::Bool {
        return Ok(Value::Array(el.builder.iota(dtype, shape, 0)));
    }
    let index = el.builder.iota(DType::I64, shape.clone(), 0);
    let start = el.array_of(&size_value(&low), DType::I64, start.span)?;
    let start = el.builder.broadcast_to(start, shape.clone());
    let step = el.builder.full(Literal::from_i64(DType::I64, by), shape);
    let scaled = el.map2(ScalarOp::Mul, index, step);
    let values = el.map2(ScalarOp::Add, scaled, start);
    Ok(Value::Array(el.builder.cast(values, dtype)))
}

/// Refuses a first or last value beyond an int dtype.
fn values_fit(el: &mut Elaborator<'_>, call: &Call, dtype: DType, (first, by, count): (i64, i64, i64)) -> Outcome<()> {
    if count == 0 || !dtype.is_int() {
        return Ok(());
    }
    let last = i128::from(first) + i128::from(count - 1) * i128::from(by);
    for value in [i128::from(first), last] {
        let fits = i64::try_from(value).is_ok_and(|n| Literal::from_i64(dtype, n).to_i64() == n);
        if !fits {
            return el.fail(diagnostics::value_does_not_fit(value, dtype, call.span));
        }
    }
    Ok(())
}

fn arange_floats(
    el: &mut Elaborator<'_>,
    call: &Call,
    (start, stop, step): (&Operand, &Operand, &Operand),
) -> Outcome<Traced> {
    let low = known_float(el, start, "the start")?;
    let high = known_float(el, stop, "the stop")?;
    let by = known_float(el, step, "the step")?;
    let dtype = el.dtype_of(call.given(3).as_ref(), DType::F32)?;
    let count = ((high - low) / by).ceil();
    if !count.is_finite() || count > 2f64.powi(60) {
        let message = format!("`arange` from {low} to {high} by {by} has no end");
        return el.fail(diagnostics::wrong_shape(message, call.span, "in this call", "give a step towards the stop"));
    }
    let shape = Shape(vec![Size::from(count.max(0.0) as i64)]);
    el.size_limit(ArrayType::new(dtype, shape.clone()), call.span)?;
    el.builder.span = call.span;
    let index = el.builder.iota(DType::F64, shape.clone(), 0);
    let values = scaled(el, index, by, low);
    Ok(Value::Array(el.builder.cast(values, dtype)))
}

/// `index * by + low` in f64.
fn scaled(el: &mut Elaborator<'_>, index: array::Value, by: f64, low: f64) -> array::Value {
    let (by, low) = (el.constant_like(by, index), el.constant_like(low, index));
    let product = el.map2(ScalarOp::Mul, index, by);
    el.map2(ScalarOp::Add, product, low)
}

fn linspace(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (start, stop) = (call.operand(0), call.operand(1));
    let count = match call.given(2) {
        Some(num) => el.known_int(&num, "the number of values")?,
        None => 50,
    };
    let endpoint = el.flag(call.given(3).as_ref(), true)?;
    let dtype = el.dtype_of(call.given(4).as_ref(), DType::F32)?;
    if count < 0 {
        let message = format!("`linspace` needs a number of values of 0 or more, found {count}");
        return el.fail(diagnostics::negative(message, call.span));
    }
    let shape = Shape(vec![Size::from(count)]);
    el.size_limit(ArrayType::new(dtype, shape.clone()), call.span)?;
    let from = el.scalar_of(&start, DType::F64, "an end of `linspace`")?;
    let to = el.scalar_of(&stop, DType::F64, "an end of `linspace`")?;
    el.builder.span = call.span;
    let parts = if endpoint { count - 1 } else { count }.max(1);
    let index = el.builder.iota(DType::F64, shape.clone(), 0);
    let parts = el.constant_like(parts as f64, index);
    let one = el.constant_like(1.0, index);
    // start (1 - t) + stop t: both ends exact.
    let t = el.map2(ScalarOp::Div, index, parts);
    let rest = el.map2(ScalarOp::Sub, one, t);
    let (from, to) = (el.builder.broadcast_to(from, shape.clone()), el.builder.broadcast_to(to, shape));
    let a = el.map2(ScalarOp::Mul, from, rest);
    let b = el.map2(ScalarOp::Mul, to, t);
    let values = el.map2(ScalarOp::Add, a, b);
    // Ints are rounded down, as NumPy does; a cast alone would cut off towards zero.
    let values = if dtype.is_int() { el.map1(ScalarOp::Floor, values) } else { values };
    Ok(Value::Array(el.builder.cast(values, dtype)))
}

fn eye(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let rows = el.extent(&call.operand(0), "the number of rows")?;
    let columns = match call.given(1) {
        Some(columns) => el.extent(&columns, "the number of columns")?,
        None => rows.clone(),
    };
    let k = match call.given(2) {
        Some(k) => el.known_int(&k, "the diagonal")?,
        None => 0,
    };
    let dtype = el.dtype_of(call.given(3).as_ref(), DType::F32)?;
    let shape = Shape(vec![rows, columns]);
    el.size_limit(ArrayType::new(dtype, shape.clone()), call.span)?;
    el.builder.span = call.span;
    let row = el.builder.iota(DType::I64, shape.clone(), 0);
    let column = el.builder.iota(DType::I64, shape.clone(), 1);
    let k = el.builder.full(Literal::from_i64(DType::I64, k), shape);
    let diagonal = el.map2(ScalarOp::Add, row, k);
    let on = el.map2(ScalarOp::Eq, diagonal, column);
    Ok(Value::Array(el.builder.cast(on, dtype)))
}
