//! Functions of each element.

use super::{Builtin, Call, Operand, needs, takes};
use crate::base::{DType, Literal};
use crate::ir::array;
use crate::ops::scalar::{Function, ScalarOp};
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{Host, HostKind, Known, Traced, Value};
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
    if approximate {
        let (half, one) = (el.constant_like(0.5, x), el.constant_like(1.0, x));
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
    // 1 + erf cancels where x is far below 0: halves are computed in f32.
    let dtype = el.builder.ty(x).dtype;
    let wide = if matches!(dtype, DType::F16 | DType::Bf16) { DType::F32 } else { dtype };
    let x = el.builder.cast(x, wide);
    let (half, one) = (el.constant_like(0.5, x), el.constant_like(1.0, x));
    let root = el.constant_like(std::f64::consts::SQRT_2, x);
    let scaled = el.map2(ScalarOp::Div, x, root);
    let erf = el.builder.function(Function::Erf, &[scaled]);
    let sum = el.map2(ScalarOp::Add, one, erf);
    let cdf = el.map2(ScalarOp::Mul, half, sum);
    let result = el.map2(ScalarOp::Mul, x, cdf);
    Ok(Value::Array(el.builder.cast(result, dtype)))
}

/// A function of one number of the host, which stays there: `known` of what is known, `op` in the program. `None`: the
/// operand is no such number.
fn of_host(
    el: &mut Elaborator<'_>,
    operand: &Operand,
    op: ScalarOp,
    known: fn(Known) -> Option<Known>,
) -> Option<Traced> {
    let Value::Host(host) = &operand.value else { return None };
    if !matches!(host.kind, HostKind::Int | HostKind::Float) {
        return None;
    }
    let result = host.known.clone().and_then(known);
    let runtime = if result.is_some() && host.origins.is_empty() {
        None
    } else {
        let value = el.runtime(host);
        Some(if op.takes(el.builder.ty(value).dtype) { el.map1(op, value) } else { value })
    };
    Some(Value::Host(Host { kind: host.kind, known: result, origins: host.origins.clone(), runtime }))
}

fn abs(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let operand = call.operand(0);
    let magnitude = |known| match known {
        Known::Int(size) => size.constant().map(|n| Known::Int(n.wrapping_abs().into())),
        Known::Float(x) => Some(Known::Float(x.abs())),
        _ => None,
    };
    if let Some(host) = of_host(el, &operand, ScalarOp::Abs, magnitude) {
        return Ok(host);
    }
    let x = el.operand_array(&operand)?;
    let unsigned = matches!(el.builder.ty(x).dtype, DType::Bool | DType::U8 | DType::U32);
    Ok(Value::Array(if unsigned { x } else { el.map1(ScalarOp::Abs, x) }))
}

fn sign(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let x = numbers(el, &call.operand(0))?;
    Ok(Value::Array(el.builder.function(Function::Sign, &[x])))
}

/// Rounds floats; ints and bools are whole already.
fn rounded(el: &mut Elaborator<'_>, call: &Call, op: ScalarOp, known: fn(Known) -> Option<Known>) -> Outcome<Traced> {
    let operand = call.operand(0);
    if let Some(host) = of_host(el, &operand, op, known) {
        return Ok(host);
    }
    let x = el.operand_array(&operand)?;
    let whole = !el.builder.ty(x).dtype.is_float();
    Ok(Value::Array(if whole { x } else { el.map1(op, x) }))
}

fn floor(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    rounded(el, call, ScalarOp::Floor, |known| match known {
        Known::Float(x) => Some(Known::Float(x.floor())),
        whole => Some(whole),
    })
}

fn ceil(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    rounded(el, call, ScalarOp::Ceil, |known| match known {
        Known::Float(x) => Some(Known::Float(x.ceil())),
        whole => Some(whole),
    })
}

fn round(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let decimals = match call.given(1) {
        Some(decimals) => el.known_int(&decimals, "the number of decimals")?,
        None => 0,
    };
    let x = call.operand(0);
    let whole = match el.common_dtype(&[&x.value]) {
        Some(dtype) => !dtype.is_float(),
        None => false,
    };
    if decimals == 0 || (whole && decimals > 0) {
        return rounded(el, call, ScalarOp::Round, |known| match known {
            Known::Float(x) => Some(Known::Float(x.round_ties_even())),
            whole => Some(whole),
        });
    }
    if let Value::Host(host) = &x.value
        && let Some(rounded) = round_host(el, host, decimals)
    {
        return Ok(rounded);
    }
    if whole {
        let x = numbers(el, &x)?;
        return Ok(Value::Array(round_to_tens(el, x, decimals)));
    }
    let x = el.float_array(&x)?;
    Ok(Value::Array(round_scaled(el, x, decimals)))
}

/// A number of the host rounded to decimals other than 0, by the same operations as an array.
fn round_host(el: &mut Elaborator<'_>, host: &Host, decimals: i64) -> Option<Traced> {
    if !matches!(host.kind, HostKind::Int | HostKind::Float) {
        return None;
    }
    let factor = scale(decimals);
    let known = match &host.known {
        Some(Known::Float(x)) => Some(Known::Float((x * factor).round_ties_even() / factor)),
        Some(Known::Int(size)) => size.constant().map(|n| {
            let Some(unit) = tens(decimals) else { return Known::Int(0.into()) };
            let (quotient, rest) = (n.div_euclid(unit), n.rem_euclid(unit));
            let up = rest > unit / 2 || (rest == unit / 2 && quotient & 1 == 1);
            Known::Int((quotient + i64::from(up)).wrapping_mul(unit).into())
        }),
        _ => None,
    };
    let runtime = if known.is_some() && host.origins.is_empty() {
        None
    } else {
        let x = el.runtime(host);
        Some(match host.kind {
            HostKind::Int => round_to_tens(el, x, decimals),
            _ => round_scaled(el, x, decimals),
        })
    };
    Some(Value::Host(Host { kind: host.kind, known, origins: host.origins.clone(), runtime }))
}

/// The power of ten by which floats are scaled.
fn scale(decimals: i64) -> f64 {
    10f64.powi(decimals.clamp(-400, 400) as i32)
}

/// The power of ten to whose multiples ints are rounded; `None` beyond i64, where half of it is too.
fn tens(decimals: i64) -> Option<i64> {
    u32::try_from(decimals.unsigned_abs()).ok().and_then(|digits| 10i64.checked_pow(digits))
}

/// Floats rounded as NumPy does: scale, round, scale back.
fn round_scaled(el: &mut Elaborator<'_>, x: array::Value, decimals: i64) -> array::Value {
    let factor = el.constant_like(scale(decimals), x);
    let scaled = el.map2(ScalarOp::Mul, x, factor);
    let whole = el.map1(ScalarOp::Round, scaled);
    el.map2(ScalarOp::Div, whole, factor)
}

/// Ints rounded to a multiple of a power of ten, ties to the even multiple.
fn round_to_tens(el: &mut Elaborator<'_>, x: array::Value, decimals: i64) -> array::Value {
    let dtype = el.builder.ty(x).dtype;
    let x = el.builder.cast(x, DType::I64);
    let shape = el.array_type(x).shape;
    let constant = |el: &mut Elaborator<'_>, n: i64| el.builder.full(Literal::from_i64(DType::I64, n), shape.clone());
    let Some(unit) = tens(decimals) else {
        let zero = constant(el, 0);
        return el.builder.cast(zero, dtype);
    };
    let (half, one, unit) = (constant(el, unit / 2), constant(el, 1), constant(el, unit));
    let quotient = el.map2(ScalarOp::FloorDiv, x, unit);
    let rest = el.map2(ScalarOp::Mod, x, unit);
    let above = el.map2(ScalarOp::Lt, half, rest);
    let tie = el.map2(ScalarOp::Eq, half, rest);
    let low = el.map2(ScalarOp::And, quotient, one);
    let odd = el.map2(ScalarOp::Eq, low, one);
    let tie_up = el.map2(ScalarOp::And, tie, odd);
    let up = el.map2(ScalarOp::Or, above, tie_up);
    let up = el.builder.cast(up, DType::I64);
    let multiple = el.map2(ScalarOp::Add, quotient, up);
    let result = el.map2(ScalarOp::Mul, multiple, unit);
    el.builder.cast(result, dtype)
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
    let (a, b) = (call.operand(0), call.operand(1));
    if let (Value::Host(a), Value::Host(b)) = (&a.value, &b.value)
        && let Some(kind) = number_kind(a.kind, b.kind)
    {
        return Ok(extreme_of_hosts(el, op, kind, a, b));
    }
    let values = met(el, call, &[&a, &b])?;
    Ok(Value::Array(el.builder.map(op, &values)))
}

/// The kind in which two numbers of the host meet.
fn number_kind(a: HostKind, b: HostKind) -> Option<HostKind> {
    match (a, b) {
        (HostKind::Int, HostKind::Int) => Some(HostKind::Int),
        (HostKind::Int | HostKind::Float, HostKind::Int | HostKind::Float) => Some(HostKind::Float),
        _ => None,
    }
}

/// The larger or smaller of two numbers of the host, which may be a size: `zeros([maximum(k, 1)])`.
fn extreme_of_hosts(el: &mut Elaborator<'_>, op: ScalarOp, kind: HostKind, a: &Host, b: &Host) -> Traced {
    let known = match (&a.known, &b.known) {
        (Some(Known::Int(x)), Some(Known::Int(y))) if x == y => Some(Known::Int(x.clone())),
        (Some(Known::Int(x)), Some(Known::Int(y))) => x.constant().zip(y.constant()).map(|(x, y)| {
            let chosen = if op == ScalarOp::Max { x.max(y) } else { x.min(y) };
            Known::Int(chosen.into())
        }),
        (Some(x), Some(y)) => host_float(x).zip(host_float(y)).map(|(x, y)| {
            // NaN wins, and -0.0 is below +0.0, as in arrays.
            let x_wins = x.is_nan() || (!y.is_nan() && x.total_cmp(&y).is_gt() == (op == ScalarOp::Max));
            Known::Float(if x_wins { x } else { y })
        }),
        _ => None,
    };
    let mut origins = [a.origins.as_slice(), b.origins.as_slice()].concat();
    origins.sort_unstable();
    origins.dedup();
    let runtime = if known.is_some() && origins.is_empty() {
        None
    } else {
        let (x, y) = (el.runtime_as(a, kind), el.runtime_as(b, kind));
        Some(el.map2(op, x, y))
    };
    Value::Host(Host { kind, known, origins, runtime })
}

/// A known number as f64.
fn host_float(known: &Known) -> Option<f64> {
    match known {
        Known::Int(size) => size.constant().map(|n| n as f64),
        Known::Float(x) => Some(*x),
        _ => None,
    }
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
