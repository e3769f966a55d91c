//! The exact meaning of each scalar operation: what every backend must compute, bit for bit (NaN payloads aside).
//!
//! f16 and bf16 are computed in f32 and rounded once per operation. Integers wrap. Invariant: total; no operand makes
//! it panic (operands of a dtype that the operation does not take give the first operand back).

use super::scalar::{ScalarBuilder, ScalarOp};
use crate::base::{DType, Literal};

/// A builder that computes at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evaluator;

impl ScalarBuilder for Evaluator {
    type Value = Literal;

    fn dtype(&self, value: Literal) -> DType {
        value.dtype
    }

    fn constant(&mut self, literal: Literal) -> Literal {
        literal
    }

    fn op(&mut self, op: ScalarOp, operands: &[Literal]) -> Literal {
        evaluate(op, operands)
    }
}

/// The value of one operation.
#[must_use]
pub fn evaluate(op: ScalarOp, operands: &[Literal]) -> Literal {
    let zero = Literal::new(DType::Bool, 0);
    let a = operands.first().copied().unwrap_or(zero);
    let b = operands.get(1).copied().unwrap_or(a);
    let c = operands.get(2).copied().unwrap_or(a);
    match op {
        ScalarOp::Select => return if a.to_bool() { b } else { c },
        ScalarOp::Cast(to) => return cast(a, to),
        ScalarOp::Bitcast(to) => return Literal::new(to, a.bits),
        _ => {}
    }
    match a.dtype {
        DType::F64 => double(op, a, b, c),
        DType::F32 => single(op, a, b, c),
        DType::F16 | DType::Bf16 => {
            let wide = |x: Literal| cast(x, DType::F32);
            match op {
                // Sign bits are the value's own; rounding could quiet a NaN.
                ScalarOp::Neg => Literal::new(a.dtype, a.bits ^ 0x8000),
                ScalarOp::Abs => Literal::new(a.dtype, a.bits & 0x7fff),
                _ => {
                    let result = single(op, wide(a), wide(b), wide(c));
                    if result.dtype == DType::F32 { cast(result, a.dtype) } else { result }
                }
            }
        }
        DType::Bool => boolean(op, a, b),
        _ => integer(op, a, b),
    }
}

/// Conversion of the value.
fn cast(x: Literal, to: DType) -> Literal {
    if x.dtype == to {
        return x;
    }
    match (x.dtype.is_float(), to) {
        (_, DType::Bool) => Literal::from_bool(x.to_bool()),
        // 64-bit floats reach the halves by way of f32, as kernels do.
        (true, DType::F16) => Literal::new(to, u64::from(half::f16::from_f32(x.to_f64() as f32).to_bits())),
        (true, DType::Bf16) => Literal::new(to, u64::from(half::bf16::from_f32(x.to_f64() as f32).to_bits())),
        (true, _) => Literal::from_f64(to, x.to_f64()),
        (false, _) => Literal::from_i64(to, x.to_i64()),
    }
}

/// The larger by the order of IEEE 754 `maximum`: NaN wins, `-0.0 < +0.0`.
fn maximum(x: f64, y: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if x > y || (x == y && x.is_sign_positive()) { x } else { y }
}

fn double(op: ScalarOp, a: Literal, b: Literal, c: Literal) -> Literal {
    let (x, y, z) = (f64::from_bits(a.bits), f64::from_bits(b.bits), f64::from_bits(c.bits));
    let float = |value: f64| Literal::new(DType::F64, value.to_bits());
    match op {
        ScalarOp::Add => float(x + y),
        ScalarOp::Sub => float(x - y),
        ScalarOp::Mul => float(x * y),
        ScalarOp::Div => float(x / y),
        ScalarOp::Rem => float(x % y),
        ScalarOp::Fma => float(x.mul_add(y, z)),
        ScalarOp::Max => float(maximum(x, y)),
        ScalarOp::Min => float(-maximum(-x, -y)),
        ScalarOp::Neg => float(-x),
        ScalarOp::Abs => float(x.abs()),
        ScalarOp::Floor => float(x.floor()),
        ScalarOp::Ceil => float(x.ceil()),
        ScalarOp::Round => float(x.round_ties_even()),
        ScalarOp::Trunc => float(x.trunc()),
        ScalarOp::Sqrt => float(x.sqrt()),
        _ => compare(op, x.partial_cmp(&y)).unwrap_or(a),
    }
}

fn single(op: ScalarOp, a: Literal, b: Literal, c: Literal) -> Literal {
    let of = |literal: Literal| f32::from_bits(literal.bits as u32);
    let (x, y, z) = (of(a), of(b), of(c));
    let float = |value: f32| Literal::new(DType::F32, u64::from(value.to_bits()));
    match op {
        ScalarOp::Add => float(x + y),
        ScalarOp::Sub => float(x - y),
        ScalarOp::Mul => float(x * y),
        ScalarOp::Div => float(x / y),
        ScalarOp::Rem => float(x % y),
        ScalarOp::Fma => float(x.mul_add(y, z)),
        ScalarOp::Max => float(maximum(f64::from(x), f64::from(y)) as f32),
        ScalarOp::Min => float(-maximum(-f64::from(x), -f64::from(y)) as f32),
        ScalarOp::Neg => float(-x),
        ScalarOp::Abs => float(x.abs()),
        ScalarOp::Floor => float(x.floor()),
        ScalarOp::Ceil => float(x.ceil()),
        ScalarOp::Round => float(x.round_ties_even()),
        ScalarOp::Trunc => float(x.trunc()),
        ScalarOp::Sqrt => float(x.sqrt()),
        _ => compare(op, x.partial_cmp(&y)).unwrap_or(a),
    }
}

fn compare(op: ScalarOp, order: Option<std::cmp::Ordering>) -> Option<Literal> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    Some(Literal::from_bool(match op {
        ScalarOp::Eq => order == Some(Equal),
        ScalarOp::Ne => order != Some(Equal),
        ScalarOp::Lt => order == Some(Less),
        ScalarOp::Le => matches!(order, Some(Less | Equal)) && order != Some(Greater),
        _ => return None,
    }))
}

fn boolean(op: ScalarOp, a: Literal, b: Literal) -> Literal {
    let (x, y) = (a.bits != 0, b.bits != 0);
    let value = match op {
        ScalarOp::Add | ScalarOp::Or | ScalarOp::Max => x | y,
        ScalarOp::Mul | ScalarOp::And | ScalarOp::Min => x & y,
        ScalarOp::Xor => x ^ y,
        ScalarOp::Not => !x,
        _ => return compare(op, Some(x.cmp(&y))).unwrap_or(a),
    };
    Literal::from_bool(value)
}

fn integer(op: ScalarOp, a: Literal, b: Literal) -> Literal {
    let dtype = a.dtype;
    // Every int dtype but u64, which there is not, lies within i64.
    let (x, y) = (a.to_i64(), b.to_i64());
    let bits = 8 * dtype.bytes() as i64;
    let in_range = (0..bits).contains(&y);
    let value = match op {
        ScalarOp::Add => x.wrapping_add(y),
        ScalarOp::Sub => x.wrapping_sub(y),
        ScalarOp::Mul => x.wrapping_mul(y),
        ScalarOp::FloorDiv if y == 0 => 0,
        ScalarOp::FloorDiv => {
            let quotient = x.wrapping_div(y);
            if x.wrapping_rem(y) != 0 && (x < 0) != (y < 0) { quotient - 1 } else { quotient }
        }
        ScalarOp::Mod if y == 0 => 0,
        ScalarOp::Mod => {
            let rest = x.wrapping_rem(y);
            if rest != 0 && (rest < 0) != (y < 0) { rest + y } else { rest }
        }
        ScalarOp::Max => x.max(y),
        ScalarOp::Min => x.min(y),
        ScalarOp::Neg => x.wrapping_neg(),
        ScalarOp::Abs => x.wrapping_abs(),
        ScalarOp::And => x & y,
        ScalarOp::Or => x | y,
        ScalarOp::Xor => x ^ y,
        ScalarOp::Not => !x,
        ScalarOp::Shl => {
            if in_range {
                x.wrapping_shl(y as u32)
            } else {
                0
            }
        }
        ScalarOp::Shr => match (in_range, dtype.is_signed_int()) {
            (true, _) => x >> y,
            (false, true) => x >> 63,
            (false, false) => 0,
        },
        ScalarOp::ShrLogical => {
            if in_range {
                (a.bits >> y) as i64
            } else {
                0
            }
        }
        _ => return compare(op, Some(x.cmp(&y))).unwrap_or(a),
    };
    Literal::from_i64(dtype, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f32s(op: ScalarOp, x: f32, y: f32) -> f32 {
        let of = |x: f32| Literal::from_f64(DType::F32, f64::from(x));
        f32::from_bits(evaluate(op, &[of(x), of(y)]).bits as u32)
    }

    #[test]
    fn maximum_and_minimum_order_signed_zeros_and_keep_nan() {
        assert_eq!(f32s(ScalarOp::Max, -0.0, 0.0).to_bits(), 0.0f32.to_bits());
        assert_eq!(f32s(ScalarOp::Max, 0.0, -0.0).to_bits(), 0.0f32.to_bits());
        assert_eq!(f32s(ScalarOp::Min, 0.0, -0.0).to_bits(), (-0.0f32).to_bits());
        assert!(f32s(ScalarOp::Max, f32::NAN, 1.0).is_nan() && f32s(ScalarOp::Min, 1.0, f32::NAN).is_nan());
    }

    #[test]
    fn integers_floor_and_wrap() {
        let i32s = |op, x: i64, y: i64| {
            let of = |n| Literal::from_i64(DType::I32, n);
            evaluate(op, &[of(x), of(y)]).to_i64()
        };
        // Python: -7 // 2 == -4, -7 % 2 == 1, 7 // -2 == -4, 7 % -2 == -1.
        assert_eq!((i32s(ScalarOp::FloorDiv, -7, 2), i32s(ScalarOp::Mod, -7, 2)), (-4, 1));
        assert_eq!((i32s(ScalarOp::FloorDiv, 7, -2), i32s(ScalarOp::Mod, 7, -2)), (-4, -1));
        let least = i64::from(i32::MIN);
        assert_eq!((i32s(ScalarOp::FloorDiv, least, -1), i32s(ScalarOp::Mod, least, -1)), (least, 0));
        assert_eq!(i32s(ScalarOp::Shl, 1, 32), 0);
        assert_eq!(i32s(ScalarOp::Shr, -8, 40), -1);
        assert_eq!(i32s(ScalarOp::ShrLogical, -1, 28), 15);
    }

    #[test]
    fn casts_saturate() {
        let cast = |x: f64, to| evaluate(ScalarOp::Cast(to), &[Literal::from_f64(DType::F32, x)]).to_i64();
        assert_eq!(cast(3e9, DType::I32), i64::from(i32::MAX));
        assert_eq!(cast(-1.0, DType::U8), 0);
        assert_eq!(cast(f64::NAN, DType::I64), 0);
        assert_eq!(cast(-2.9, DType::I32), -2);
    }
}
