//! Functions of each element.

use super::{Builtin, Call, Operand, needs, takes};
use crate::base::DType;
use crate::ir::array;
use crate::ops::scalar::{Function, ScalarOp};
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{HostKind, Known, Traced, Value};
use crate::syntax::ast::BinaryOp;

const X: &[super::Param] = &[needs("x")];
const XY: &[super::Param] = &[needs("x"), needs("y")];

pub(super) const TABLE: &[Builtin] = &[
    Builtin { name: "exp", params: X, build: function, doc: "e to the x" },
    Builtin { name: "expm1", params: X, build: function, doc: "e to the x, less 1, exact for small x" },
    Builtin { name: "log", params: X, build: function, doc: "natural logarithm" },
    Builtin { name: "log1p", params: X, build: function, doc: "logarithm of 1 + x, exact for small x" },
    Builtin { name: "sin", params: X, build: function, doc: "sine" },
    Builtin { name: "cos", params: X, build: function, doc: "cosine" },
    Builtin { name: "tan", params: X, build: function, doc: "tangent" },
    Builtin { name: "tanh", params: X, build: function, doc: "hyperbolic tangent" },
    Builtin { name: "sigmoid", params: X, build: function, doc: "1 / (1 + exp(-x))" },
    Builtin { name: "erf", params: X, build: function, doc: "error function" },
    Builtin { name: "rsqrt", params: X, build: function, doc: "1 / sqrt(x)" },
    Builtin { name: "sqrt", params: X, build: sqrt, doc: "square root" },
    Builtin { name: "relu", params: X, build: relu, doc: "the larger of x and 0" },
    Builtin {
        name: "gelu",
        params: &[needs("x"), takes("approximate")],
        build: gelu,
        doc: "x times the normal distribution function, by tanh unless approximate=false",
    },
    Builtin { name: "abs", params: X, build: abs, doc: "absolute value" },
    Builtin { name: "sign", params: X, build: sign, doc: "-1, 0 or 1" },
    Builtin { name: "floor", params: X, build: floor, doc: "rounded towards minus infinity" },
    Builtin { name: "ceil", params: X, build: ceil, doc: "rounded towards plus infinity" },
    Builtin {
        name: "round",
        params: &[needs("x"), takes("decimals")],
        build: round,
        doc: "rounded to nearest, ties to even",
    },
    Builtin { name: "minimum", params: XY, build: minimum, doc: "the smaller of each pair; NaN wins" },
    Builtin { name: "maximum", params: XY, build: maximum, doc: "the larger of each pair; NaN wins" },
    Builtin {
        name: "clip",
        params: &[needs("x"), takes("min"), takes("max")],
        build: clip,
        doc: "not below min, not above max",
    },
    Builtin {
        name: "where",
        params: &[needs("condition"), needs("x"), needs("y")],
        build: select,
        doc: "x where the condition holds, else y",
    },
    Builtin { name: "power", params: XY, build: power, doc: "x to the y, as the operator **" },
    Builtin { name: "isnan", params: X, build: isnan, doc: "whether x is no number" },
    Builtin { name: "isfinite", params: X, build: isfinite, doc: "whether x is neither infinite nor NaN" },
];

fn function(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.float_array(&call.operand(0))?;
    let function = Function::parse(call.name).unwrap_or(Function::Exp);
    Ok(Value::Array(el.builder.function(function, &[x])))
}

fn sqrt(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.float_array(&call.operand(0))?;
    Ok(Value::Array(el.map1(ScalarOp::Sqrt, x)))
}

fn relu(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = numbers(el, &call.operand(0))?;
    let zero = el.constant_like(0.0, x);
    Ok(Value::Array(el.map2(ScalarOp::Max, x, zero)))
}

/// An array of numbers: bools become i32.
fn numbers(el: &mut Elaborator<'_>, operand: &Operand) -> Outcome<array::Value> {
    let x = el.operand_array(operand)?;
    let dtype = el.builder.ty(x).dtype;
    Ok(if dtype == DType::Bool { el.builder.cast(x, DType::I32) } else { x })
}

fn gelu(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.float_array(&call.operand(0))?;
    let approximate = el.flag(call.given(1).as_ref(), true)?;
    let (half, one) = (el.constant_like(0.5, x), el.constant_like(1.0, x));
    if approximate {
        // x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), as jax.nn.gelu
        let cubic = el.constant_like(0.044_715, x);
        let scale = el.constant_like((2.0 / std::f64::consts::PI).sqrt(), x);
        let square = el.map2(ScalarOp::Mul, x, x);
        let cube = el.map2(ScalarOp::Mul, square, x);
        let bend = el.map2(ScalarOp::Mul, cubic, cube);
        let inner = el.map2(ScalarOp::Add, x, bend);
        let inner = el.map2(ScalarOp::Mul, scale, inner);
        let tanh = el.builder.function(Function::Tanh, &[inner]);
        let sum = el.map2(ScalarOp::Add, one, tanh);
        let cdf = el.map2(ScalarOp::Mul, half, sum);
        return Ok(Value::Array(el.map2(ScalarOp::Mul, x, cdf)));
    }
    let root = el.constant_like(std::f64::consts::SQRT_2, x);
    let scaled = el.map2(ScalarOp::Div, x, root);
    let erf = el.builder.function(Function::Erf, &[scaled]);
    let sum = el.map2(ScalarOp::Add, one, erf);
    let cdf = el.map2(ScalarOp::Mul, half, sum);
    Ok(Value::Array(el.map2(ScalarOp::Mul, x, cdf)))
}

fn abs(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let operand = call.operand(0);
    // The magnitude of a host value is a host value: max(x, -x).
    if let Value::Host(host) = &operand.value
        && matches!(host.kind, HostKind::Int | HostKind::Float)
    {
        let runtime = el.runtime(host);
        let known = match &host.known {
            Some(Known::Int(size)) => size.constant().map(|n| Known::Int(n.wrapping_abs().into())),
            Some(Known::Float(x)) => Some(Known::Float(x.abs())),
            _ => None,
        };
        let value = el.map1(ScalarOp::Abs, runtime);
        let mut result = host.clone();
        result.runtime = Some(value);
        result.known = known;
        return Ok(Value::Host(result));
    }
    let x = el.operand_array(&operand)?;
    let unsigned = matches!(el.builder.ty(x).dtype, DType::Bool | DType::U8 | DType::U32);
    Ok(Value::Array(if unsigned { x } else { el.map1(ScalarOp::Abs, x) }))
}

fn sign(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = numbers(el, &call.operand(0))?;
    Ok(Value::Array(el.builder.function(Function::Sign, &[x])))
}

/// Rounds floats; ints are whole already.
fn rounded(el: &mut Elaborator<'_>, call: &Call, op: ScalarOp) -> Outcome<array::Value> {
    let x = el.operand_array(&call.operand(0))?;
    let dtype = el.builder.ty(x).dtype;
    Ok(match dtype {
        DType::Bool => el.builder.cast(x, DType::I32),
        _ if dtype.is_float() => el.map1(op, x),
        _ => x,
    })
}

fn floor(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    rounded(el, call, ScalarOp::Floor).map(Value::Array)
}

fn ceil(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    rounded(el, call, ScalarOp::Ceil).map(Value::Array)
}

fn round(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let decimals = match call.given(1) {
        Some(decimals) => el.known_int(&decimals, "the number of decimals")?,
        None => 0,
    };
    if decimals == 0 {
        return rounded(el, call, ScalarOp::Round).map(Value::Array);
    }
    // As NumPy: scale, round, scale back.
    let x = el.float_array(&call.operand(0))?;
    let factor = el.constant_like(10f64.powi(decimals.clamp(-400, 400) as i32), x);
    let scaled = el.map2(ScalarOp::Mul, x, factor);
    let whole = el.map1(ScalarOp::Round, scaled);
    Ok(Value::Array(el.map2(ScalarOp::Div, whole, factor)))
}

/// Operands of one dtype and shape; host values alone give the default dtype.
fn met(el: &mut Elaborator<'_>, call: &Call, operands: &[&Operand]) -> Outcome<Vec<array::Value>> {
    let values: Vec<&Traced> = operands.iter().map(|operand| &operand.value).collect();
    let Some(dtype) = el.common_dtype(&values) else {
        let found: Vec<_> = operands.iter().map(|operand| (el.describe(&operand.value), operand.span)).collect();
        let help = "give arrays and numbers";
        return el.fail(crate::sema::diagnostics::bad_operands(call.name, &found, call.span, help));
    };
    let pairs: Vec<_> = operands.iter().map(|operand| (&operand.value, operand.span)).collect();
    let met = el.meet(&pairs, dtype, call.span, &format!("`{}`", call.name))?;
    el.builder.span = call.span;
    Ok(met)
}

fn extreme(el: &mut Elaborator<'_>, call: &Call, op: ScalarOp) -> Outcome<Traced> {
    let values = met(el, call, &[&call.operand(0), &call.operand(1)])?;
    Ok(Value::Array(el.builder.map(op, &values)))
}

fn minimum(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    extreme(el, call, ScalarOp::Min)
}

fn maximum(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    extreme(el, call, ScalarOp::Max)
}

fn clip(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let mut x = call.operand(0);
    for (bound, op) in [(call.given(1), ScalarOp::Max), (call.given(2), ScalarOp::Min)] {
        if let Some(bound) = bound {
            let values = met(el, call, &[&x, &bound])?;
            x.value = Value::Array(el.builder.map(op, &values));
        }
    }
    el.operand_array(&x).map(Value::Array)
}

fn select(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (condition, x, y) = (call.operand(0), call.operand(1), call.operand(2));
    let Some(dtype) = el.common_dtype(&[&x.value, &y.value]) else {
        let found: Vec<_> = [&x, &y].iter().map(|operand| (el.describe(&operand.value), operand.span)).collect();
        let help = "give arrays and numbers";
        return el.fail(crate::sema::diagnostics::bad_operands("where", &found, call.span, help));
    };
    // The condition takes part in broadcasting, not in promotion: it is converted first, and back after.
    let bools = el.array_of(&condition.value, DType::Bool, condition.span)?;
    let a = el.array_of(&x.value, dtype, x.span)?;
    let b = el.array_of(&y.value, dtype, y.span)?;
    let shapes = [bools, a, b].map(|value| el.array_type(value).shape);
    let shape = match Elaborator::broadcast_shapes(&shapes.each_ref()) {
        Ok(shape) => shape,
        Err(_) => {
            let operands: Vec<_> = [(bools, condition.span), (a, x.span), (b, y.span)]
                .iter()
                .map(|(value, span)| (el.array_type(*value).to_string(), *span))
                .collect();
            let message = "`where`: the shapes do not broadcast".to_owned();
            let help = "axes are aligned from the last; extents must be equal or 1";
            return el.fail(super::diagnostics::do_not_fit(message, call.span, &operands, help));
        }
    };
    el.builder.span = call.span;
    let met = [bools, a, b].map(|value| el.builder.broadcast_to(value, shape.clone()));
    Ok(Value::Array(el.builder.map(ScalarOp::Select, &met)))
}

fn power(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let (x, y) = (call.operand(0), call.operand(1));
    el.binary_values(BinaryOp::Pow, (&x.value, x.span), (&y.value, y.span), call.span)
}

fn isnan(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.operand_array(&call.operand(0))?;
    // An int equals itself: false everywhere.
    Ok(Value::Array(el.map2(ScalarOp::Ne, x, x)))
}

fn isfinite(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = el.operand_array(&call.operand(0))?;
    if !el.builder.ty(x).dtype.is_float() {
        return Ok(Value::Array(el.map2(ScalarOp::Eq, x, x)));
    }
    let size = el.map1(ScalarOp::Abs, x);
    let infinity = el.constant_like(f64::INFINITY, x);
    Ok(Value::Array(el.map2(ScalarOp::Lt, size, infinity)))
}
