//! Reductions, and what is made of them.

use super::diagnostics;
use super::{Builtin, Call, Operand, needs, takes};
use crate::base::{DType, Size};
use crate::ir::array::{self, OpKind, ReduceOp};
use crate::ops::scalar::{Function, ScalarOp};
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{Traced, Value};

const AXES: &[super::Param] = &[needs("x"), takes("axis"), takes("keepdims")];
const SPREAD: &[super::Param] = &[needs("x"), takes("axis"), takes("ddof"), takes("keepdims")];
const ROWS: &[super::Param] = &[needs("x"), takes("axis")];

pub(super) const TABLE: &[Builtin] = &[
    Builtin { name: "sum", params: AXES, build: sum, doc: "sum over axes, all by default" },
    Builtin { name: "prod", params: AXES, build: prod, doc: "product over axes" },
    Builtin { name: "mean", params: AXES, build: mean, doc: "mean over axes" },
    Builtin { name: "max", params: AXES, build: max, doc: "largest over axes; NaN wins" },
    Builtin { name: "min", params: AXES, build: min, doc: "smallest over axes; NaN wins" },
    Builtin { name: "any", params: AXES, build: any, doc: "whether any element is not zero" },
    Builtin { name: "all", params: AXES, build: all, doc: "whether all elements are not zero" },
    Builtin { name: "argmax", params: AXES, build: argmax, doc: "index of the first NaN, else of the first largest" },
    Builtin { name: "argmin", params: AXES, build: argmin, doc: "index of the first NaN, else of the first smallest" },
    Builtin { name: "var", params: SPREAD, build: var, doc: "variance over axes" },
    Builtin { name: "std", params: SPREAD, build: std, doc: "standard deviation over axes" },
    Builtin { name: "cumsum", params: ROWS, build: cumsum, doc: "running sum along an axis" },
    Builtin { name: "logsumexp", params: AXES, build: logsumexp, doc: "log(sum(exp(x))) without overflow" },
    Builtin {
        name: "softmax",
        params: ROWS,
        build: softmax,
        doc: "exp(x) / sum(exp(x)) along an axis, the last by default",
    },
    Builtin { name: "log_softmax", params: ROWS, build: log_softmax, doc: "log(softmax(x)) along an axis" },
];

/// An operand with the axes that are reduced.
struct Reduction {
    x: array::Value,
    axes: Vec<usize>,
    keepdims: bool,
}

fn reduction(el: &mut Elaborator<'_>, call: &Call, keepdims: usize) -> Outcome<Reduction> {
    let x = el.operand_array(&call.operand(0))?;
    let rank = el.builder.ty(x).shape.rank();
    let axes = el.axes_of(call.given(1).as_ref(), rank)?;
    let keepdims = el.flag(call.given(keepdims).as_ref(), false)?;
    el.builder.span = call.span;
    Ok(Reduction { x, axes, keepdims })
}

/// The result with the reduced axes kept at extent 1, if asked for.
fn finished(el: &mut Elaborator<'_>, r: &Reduction, result: array::Value) -> Traced {
    if !r.keepdims {
        return Value::Array(result);
    }
    let mut shape = el.array_type(r.x).shape;
    for &axis in &r.axes {
        if let Some(extent) = shape.0.get_mut(axis) {
            *extent = Size::from(1);
        }
    }
    Value::Array(el.builder.reshape(result, shape))
}

/// Sums keep ints but for the small ones: bool counts in i32, u8 in u32.
fn summable(el: &mut Elaborator<'_>, x: array::Value) -> array::Value {
    match el.builder.ty(x).dtype {
        DType::Bool => el.builder.cast(x, DType::I32),
        DType::U8 => el.builder.cast(x, DType::U32),
        _ => x,
    }
}

fn sum(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let r = reduction(el, call, 2)?;
    let x = summable(el, r.x);
    let result = el.reduced(ReduceOp::Sum, x, &r.axes);
    Ok(finished(el, &r, result))
}

fn prod(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let r = reduction(el, call, 2)?;
    let x = summable(el, r.x);
    let result = el.reduced(ReduceOp::Prod, x, &r.axes);
    Ok(finished(el, &r, result))
}

/// The dtype in which means are taken, and the dtype of the result: halves are computed in f32.
fn mean_dtypes(dtype: DType) -> (DType, DType) {
    match dtype {
        DType::F16 | DType::Bf16 => (DType::F32, dtype),
        DType::F32 | DType::F64 => (dtype, dtype),
        _ => (DType::F32, DType::F32),
    }
}

/// The mean over `axes` in the dtype of `x`.
fn mean_of(el: &mut Elaborator<'_>, x: array::Value, axes: &[usize], call: &Call) -> Outcome<array::Value> {
    let ty = el.array_type(x);
    let total = el.reduced(ReduceOp::Sum, x, axes);
    let count = el.count(&ty, axes, ty.dtype, call.span)?;
    let shape = el.array_type(total).shape;
    let count = el.builder.broadcast_to(count, shape);
    Ok(el.map2(ScalarOp::Div, total, count))
}

fn mean(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let r = reduction(el, call, 2)?;
    let (wide, narrow) = mean_dtypes(el.builder.ty(r.x).dtype);
    let x = el.builder.cast(r.x, wide);
    let mean = mean_of(el, x, &r.axes, call)?;
    let result = el.builder.cast(mean, narrow);
    Ok(finished(el, &r, result))
}

/// The mean squared distance from the mean, and the final dtype.
fn variance(el: &mut Elaborator<'_>, r: &Reduction, call: &Call) -> Outcome<(array::Value, DType)> {
    let (wide, narrow) = mean_dtypes(el.builder.ty(r.x).dtype);
    let x = el.builder.cast(r.x, wide);
    let ty = el.array_type(x);
    let mean = mean_of(el, x, &r.axes, call)?;
    let mean = el.spread(mean, &r.axes, &ty.shape);
    let centered = el.map2(ScalarOp::Sub, x, mean);
    let squares = el.map2(ScalarOp::Mul, centered, centered);
    let total = el.reduced(ReduceOp::Sum, squares, &r.axes);
    let count = el.count(&ty, &r.axes, wide, call.span)?;
    let count = match call.given(2) {
        Some(ddof) => {
            let ddof = el.scalar_of(&ddof, wide, "`ddof`")?;
            el.map2(ScalarOp::Sub, count, ddof)
        }
        None => count,
    };
    let shape = el.array_type(total).shape;
    let count = el.builder.broadcast_to(count, shape);
    Ok((el.map2(ScalarOp::Div, total, count), narrow))
}

fn var(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let r = reduction(el, call, 3)?;
    let (variance, dtype) = variance(el, &r, call)?;
    let result = el.builder.cast(variance, dtype);
    Ok(finished(el, &r, result))
}

fn std(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let r = reduction(el, call, 3)?;
    let (variance, dtype) = variance(el, &r, call)?;
    let root = el.map1(ScalarOp::Sqrt, variance);
    let result = el.builder.cast(root, dtype);
    Ok(finished(el, &r, result))
}

/// Refuses a choice among no elements.
fn refuse_empty(el: &mut Elaborator<'_>, r: &Reduction, call: &Call) -> Outcome<()> {
    let ty = el.array_type(r.x);
    let none = r.axes.iter().any(|&axis| ty.shape.0.get(axis).and_then(Size::constant) == Some(0));
    if none { el.fail(diagnostics::nothing_to_reduce(call.name, &ty.to_string(), call.span)) } else { Ok(()) }
}

fn extreme(el: &mut Elaborator<'_>, call: &Call, op: ReduceOp) -> Outcome<Traced> {
    if matches!((call.operand(0).value, call.given(1)), (Value::Host(_), Some(_))) {
        let elementwise = if op == ReduceOp::Max { "maximum" } else { "minimum" };
        return el.fail(diagnostics::two_values(call.name, elementwise, call.span));
    }
    let r = reduction(el, call, 2)?;
    refuse_empty(el, &r, call)?;
    let op = match (op, el.builder.ty(r.x).dtype) {
        (ReduceOp::Max, DType::Bool) => ReduceOp::Any,
        (_, DType::Bool) => ReduceOp::All,
        _ => op,
    };
    let result = el.reduced(op, r.x, &r.axes);
    Ok(finished(el, &r, result))
}

fn max(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    extreme(el, call, ReduceOp::Max)
}

fn min(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    extreme(el, call, ReduceOp::Min)
}

fn truth(el: &mut Elaborator<'_>, call: &Call, op: ReduceOp) -> Outcome<Traced> {
    let r = reduction(el, call, 2)?;
    let x = el.builder.cast(r.x, DType::Bool);
    let result = el.reduced(op, x, &r.axes);
    Ok(finished(el, &r, result))
}

fn any(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    truth(el, call, ReduceOp::Any)
}

fn all(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    truth(el, call, ReduceOp::All)
}

fn choice(el: &mut Elaborator<'_>, call: &Call, op: ReduceOp) -> Outcome<Traced> {
    let r = reduction(el, call, 2)?;
    refuse_empty(el, &r, call)?;
    let x = if el.builder.ty(r.x).dtype == DType::Bool { el.builder.cast(r.x, DType::U8) } else { r.x };
    let result = el.reduced(op, x, &r.axes);
    Ok(finished(el, &r, result))
}

fn argmax(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    choice(el, call, ReduceOp::ArgMax)
}

fn argmin(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    choice(el, call, ReduceOp::ArgMin)
}

fn cumsum(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (x, axis) = along(el, &call.operand(0), call.given(1).as_ref(), call, None)?;
    let dtype = el.builder.ty(x).dtype;
    let (wide, narrow) = match dtype {
        DType::Bool => (DType::I32, DType::I32),
        DType::F16 | DType::Bf16 => (DType::F32, dtype),
        _ => (dtype, dtype),
    };
    let x = el.builder.cast(x, wide);
    let sums = el.builder.like_first(OpKind::Cumsum { axis }, vec![x]);
    Ok(Value::Array(el.builder.cast(sums, narrow)))
}

/// An array and one axis; without an axis and a default the array is flattened. Rank 0 counts as one element.
pub(super) fn along(
    el: &mut Elaborator<'_>,
    operand: &Operand,
    axis: Option<&Operand>,
    call: &Call,
    default: Option<i64>,
) -> Outcome<(array::Value, usize)> {
    let x = el.operand_array(operand)?;
    let shape = el.array_type(x).shape;
    el.builder.span = call.span;
    match (axis, default) {
        (None, None) => {
            let Some(elements) = shape.elements() else {
                return el.fail(crate::sema::diagnostics::too_large(&shape.to_string(), call.span));
            };
            Ok((el.builder.reshape(x, crate::base::Shape(vec![elements])), 0))
        }
        (axis, default) => {
            let axis = el.axis_of(axis, default.unwrap_or(-1), shape.rank(), call.span)?;
            Ok((x, axis))
        }
    }
}

/// `x` less its maximum over `axes`, and that maximum with infinities replaced by 0.
fn shifted(el: &mut Elaborator<'_>, x: array::Value, axes: &[usize], guard: bool) -> (array::Value, array::Value) {
    let shape = el.array_type(x).shape;
    let mut most = el.reduced(ReduceOp::Max, x, axes);
    if guard {
        let size = el.map1(ScalarOp::Abs, most);
        let infinity = el.constant_like(f64::INFINITY, most);
        let zero = el.constant_like(0.0, most);
        let finite = el.map2(ScalarOp::Lt, size, infinity);
        most = el.builder.map(ScalarOp::Select, &[finite, most, zero]);
    }
    let spread = el.spread(most, axes, &shape);
    (el.map2(ScalarOp::Sub, x, spread), most)
}

fn logsumexp(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let mut r = reduction(el, call, 2)?;
    r.x = el.float_array(&call.operand(0))?;
    // Of no elements: the largest is -inf, taken as 0, and log(0) is -inf, the neutral element.
    let (below, most) = shifted(el, r.x, &r.axes, true);
    let e = el.builder.function(Function::Exp, &[below]);
    let total = el.reduced(ReduceOp::Sum, e, &r.axes);
    let log = el.builder.function(Function::Log, &[total]);
    let result = el.map2(ScalarOp::Add, log, most);
    Ok(finished(el, &r, result))
}

/// The operand of `softmax` and `log_softmax` and the axes over which it is normalised, the last by default.
fn normalised(el: &mut Elaborator<'_>, call: &Call) -> Outcome<(array::Value, Vec<usize>)> {
    let x = el.float_array(&call.operand(0))?;
    let rank = el.builder.ty(x).shape.rank();
    let axes = match call.given(1) {
        Some(axes) => el.axes_of(Some(&axes), rank)?,
        None => vec![el.axis_in(-1, rank, call.span)?],
    };
    el.builder.span = call.span;
    Ok((x, axes))
}

fn softmax(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (x, axes) = normalised(el, call)?;
    let shape = el.array_type(x).shape;
    let (below, _) = shifted(el, x, &axes, false);
    let e = el.builder.function(Function::Exp, &[below]);
    let total = el.reduced(ReduceOp::Sum, e, &axes);
    let total = el.spread(total, &axes, &shape);
    Ok(Value::Array(el.map2(ScalarOp::Div, e, total)))
}

fn log_softmax(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (x, axes) = normalised(el, call)?;
    let shape = el.array_type(x).shape;
    let (below, _) = shifted(el, x, &axes, false);
    let e = el.builder.function(Function::Exp, &[below]);
    let total = el.reduced(ReduceOp::Sum, e, &axes);
    let log = el.builder.function(Function::Log, &[total]);
    let log = el.spread(log, &axes, &shape);
    Ok(Value::Array(el.map2(ScalarOp::Sub, below, log)))
}
