//! Built-ins that make arrays: `zeros`, `ones`, `full`.

use super::{Call, Operand, Param};
use crate::base::{DType, Literal, Shape, Size, Span};
use crate::ops::promote;
use crate::sema::diagnostics;
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{Host, Known, Traced, Value};

pub(super) const SHAPED: &[Param] =
    &[Param { name: "shape", required: true }, Param { name: "dtype", required: false }];
pub(super) const FILLED: &[Param] = &[
    Param { name: "shape", required: true },
    Param { name: "value", required: true },
    Param { name: "dtype", required: false },
];

pub(super) fn zeros(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    filled(el, call, 0)
}

pub(super) fn ones(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    filled(el, call, 1)
}

fn filled(el: &mut Elaborator<'_>, call: &mut Call, n: i64) -> Outcome<Traced> {
    let shape = shape(el, argument(call, 0), call.span)?;
    let dtype = dtype(el, argument(call, 1))?.unwrap_or(DType::F32);
    el.builder.span = call.span;
    Ok(Value::Array(el.builder.full(Literal::from_i64(dtype, n), shape)))
}

pub(super) fn full(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let shape = shape(el, argument(call, 0), call.span)?;
    let value = argument(call, 1);
    let own = match value.as_ref().map(|operand| &operand.value) {
        Some(Value::Array(array)) => el.array_type(*array).dtype,
        Some(Value::Host(host)) => host.kind.weak().map_or(DType::F32, promote::default_dtype),
        _ => DType::F32,
    };
    let dtype = dtype(el, argument(call, 2))?.unwrap_or(own);
    let one = Value::Host(Host::constant(Known::Int(Size::from(0))));
    let (value, at) = value.map_or((one, call.span), |operand| (operand.value, operand.span));
    let value = el.array_of(&value, dtype, at)?;
    if el.array_type(value).shape.rank() != 0 {
        let text = el.array_type(value).to_string();
        return el.fail(diagnostics::bad_operands("full", &[(text, at)], call.span, "the value is one number"));
    }
    el.builder.span = call.span;
    Ok(Value::Array(el.builder.broadcast_to(value, shape)))
}

fn argument(call: &mut Call, at: usize) -> Option<Operand> {
    call.args.get_mut(at).and_then(Option::take)
}

/// A size or a list of sizes, none negative.
fn shape(el: &mut Elaborator<'_>, operand: Option<Operand>, span: Span) -> Outcome<Shape> {
    let Some(Operand { value, span }) = operand else {
        return el.fail(diagnostics::missing_argument("shape", "shape", span));
    };
    let items = if let Value::Tuple(items) = &value { items.clone() } else { vec![value] };
    let mut sizes = Vec::with_capacity(items.len());
    for item in &items {
        let size = el.demand_size(item, "an extent", span)?;
        if matches!(size, Size::Known(n) if n < 0) {
            let found = [(size.to_string(), span)];
            return el.fail(diagnostics::bad_operands("shape", &found, span, "an extent is 0 or more"));
        }
        sizes.push(size);
    }
    Ok(Shape(sizes))
}

fn dtype(el: &mut Elaborator<'_>, operand: Option<Operand>) -> Outcome<Option<DType>> {
    match operand {
        None => Ok(None),
        Some(Operand { value: Value::DType(dtype), .. }) => Ok(Some(dtype)),
        Some(Operand { value, span }) => {
            let found = [(el.describe(&value), span)];
            el.fail(diagnostics::bad_operands("dtype", &found, span, "a dtype is `f32`, `i32`, `x.dtype`, ..."))
        }
    }
}
