//! Identities of elementwise operations. Each is exact for every value, or asks for a dtype for which it is. A NaN
//! stays a NaN; as with the operations themselves, its payload is nobody's promise.

use super::{Rewrite, Simplifier};
use crate::base::{DType, Literal};
use crate::ir::array::{Op, OpKind, Value};
use crate::ops::evaluate::{Evaluator, evaluate};
use crate::ops::formula;
use crate::ops::scalar::ScalarOp;

impl Simplifier {
    pub(super) fn scalars(&self, op: &Op, result: Value) -> Rewrite {
        if let Some(literal) = self.fold(op, result) {
            return Rewrite::To(OpKind::Const(literal), Vec::new());
        }
        match (&op.kind, op.operands.as_slice()) {
            (OpKind::Map(ScalarOp::Select), &[condition, then, otherwise]) => self.select(condition, then, otherwise),
            (OpKind::Map(op), &[x]) => self.unary(*op, x),
            (OpKind::Map(op), &[a, b]) => self.binary(*op, a, b),
            _ => Rewrite::Keep,
        }
    }

    /// The value of an operation on rank-0 constants.
    fn fold(&self, op: &Op, result: Value) -> Option<Literal> {
        if self.ty(result).shape.rank() != 0 || op.operands.is_empty() {
            return None;
        }
        let compute: &dyn Fn(&[Literal]) -> Literal = match op.kind {
            OpKind::Map(op) => &move |operands| evaluate(op, operands),
            OpKind::Function(function) => &move |operands| formula::build(&mut Evaluator, function, operands),
            _ => return None,
        };
        let constants: Vec<Literal> = op.operands.iter().map(|&x| self.splat(x)).collect::<Option<_>>()?;
        Some(compute(&constants))
    }

    fn select(&self, condition: Value, then: Value, otherwise: Value) -> Rewrite {
        if then == otherwise {
            return Rewrite::Same(then);
        }
        match (self.splat(condition), self.definition(condition)) {
            (Some(condition), _) => Rewrite::Same(if condition.to_bool() { then } else { otherwise }),
            (_, Some((OpKind::Map(ScalarOp::Not), &[inverse]))) => {
                Rewrite::To(OpKind::Map(ScalarOp::Select), vec![inverse, otherwise, then])
            }
            _ => Rewrite::Keep,
        }
    }

    fn unary(&self, op: ScalarOp, x: Value) -> Rewrite {
        let dtype = self.ty(x).dtype;
        match (op, self.definition(x)) {
            (ScalarOp::Cast(to) | ScalarOp::Bitcast(to), _) if to == dtype => Rewrite::Same(x),
            (ScalarOp::Neg, Some((OpKind::Map(ScalarOp::Neg), &[inner])))
            | (ScalarOp::Not, Some((OpKind::Map(ScalarOp::Not), &[inner]))) => Rewrite::Same(inner),
            (ScalarOp::Abs, _) if unsigned(dtype) => Rewrite::Same(x),
            (ScalarOp::Abs, Some((OpKind::Map(ScalarOp::Abs), _))) => Rewrite::Same(x),
            (ScalarOp::Abs, Some((OpKind::Map(ScalarOp::Neg), &[inner]))) => {
                Rewrite::To(OpKind::Map(ScalarOp::Abs), vec![inner])
            }
            (ScalarOp::Bitcast(to), Some((OpKind::Map(ScalarOp::Bitcast(_)), &[inner]))) => {
                if self.ty(inner).dtype == to {
                    return Rewrite::Same(inner);
                }
                Rewrite::To(OpKind::Map(ScalarOp::Bitcast(to)), vec![inner])
            }
            (ScalarOp::Cast(to), Some((OpKind::Map(ScalarOp::Cast(middle)), &[inner]))) => {
                let from = self.ty(inner).dtype;
                if !needless(from, *middle, to) {
                    Rewrite::Keep
                } else if from == to {
                    Rewrite::Same(inner)
                } else {
                    Rewrite::To(OpKind::Map(ScalarOp::Cast(to)), vec![inner])
                }
            }
            _ => Rewrite::Keep,
        }
    }

    fn binary(&self, op: ScalarOp, a: Value, b: Value) -> Rewrite {
        let dtype = self.ty(b).dtype;
        let idempotent = match op {
            ScalarOp::And | ScalarOp::Or => true,
            // Floats are left out for the payloads of NaNs.
            ScalarOp::Max | ScalarOp::Min => !dtype.is_float(),
            _ => false,
        };
        if a == b && idempotent {
            return Rewrite::Same(a);
        }
        if let Some(right) = self.splat(b) {
            if neutral_right(op, right) {
                return Rewrite::Same(a);
            }
            if absorbing(op, right) {
                return Rewrite::Same(b);
            }
        }
        if let Some(left) = self.splat(a) {
            if commutes(op) && neutral_right(op, left) {
                return Rewrite::Same(b);
            }
            if absorbing(op, left) {
                return Rewrite::Same(a);
            }
        }
        Rewrite::Keep
    }
}

fn unsigned(dtype: DType) -> bool {
    dtype.is_int() && !dtype.is_signed_int()
}

fn commutes(op: ScalarOp) -> bool {
    matches!(op, ScalarOp::Add | ScalarOp::Mul | ScalarOp::And | ScalarOp::Or | ScalarOp::Xor)
}

/// Whether `x op right` is `x` for every `x`.
fn neutral_right(op: ScalarOp, right: Literal) -> bool {
    let dtype = right.dtype;
    let zero = right == Literal::from_i64(dtype, 0);
    let one = right == Literal::from_i64(dtype, 1);
    match op {
        // -0.0 + 0.0 is 0.0, so of floats only the negative zero is neutral.
        ScalarOp::Add if dtype.is_float() => right == Literal::from_f64(dtype, -0.0),
        ScalarOp::Add | ScalarOp::Sub | ScalarOp::Or | ScalarOp::Xor => zero,
        ScalarOp::Shl | ScalarOp::Shr => zero,
        ScalarOp::Mul | ScalarOp::Div | ScalarOp::FloorDiv => one,
        ScalarOp::And => right == ones(dtype),
        _ => false,
    }
}

/// Whether `x op literal` and `literal op x` are the literal for every `x`.
fn absorbing(op: ScalarOp, literal: Literal) -> bool {
    let zero = literal.bits == 0;
    match op {
        ScalarOp::Mul => zero && !literal.dtype.is_float(),
        ScalarOp::And => zero,
        ScalarOp::Or => literal == ones(literal.dtype),
        _ => false,
    }
}

/// All bits set.
fn ones(dtype: DType) -> Literal {
    Literal::from_i64(dtype, -1)
}

/// Whether each value of `from` is a value of `to`.
fn exact(from: DType, to: DType) -> bool {
    use DType::{Bf16, Bool, F16, F32, F64, I32, I64, U8, U32};
    from == to
        || match from {
            Bool => true,
            U8 => to != Bool,
            U32 => matches!(to, I64 | F64),
            I32 => matches!(to, I64 | F64),
            F16 | Bf16 => matches!(to, F32 | F64),
            F32 => to == F64,
            I64 | F64 => false,
        }
}

/// Whether `cast.to (cast.middle x)` is `cast.to x` for every `x` of `from`.
fn needless(from: DType, middle: DType, to: DType) -> bool {
    if !exact(from, middle) {
        return false;
    }
    if exact(from, to) || to == DType::Bool || from.is_float() {
        return true;
    }
    // What is left are ints, cast to something narrower: ints wrap but floats saturate, and halves are rounded
    // from f32 or at once.
    match to {
        DType::F16 | DType::Bf16 => false,
        DType::F32 | DType::F64 => true,
        _ => middle.is_int(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values at the edges of every dtype, as far as `dtype` has them.
    fn edges(dtype: DType) -> Vec<Literal> {
        let mut all: Vec<Literal> = (0..64).map(|shift| Literal::new(dtype, 1 << shift)).collect();
        for edge in [0i64, 1, -1, 127, 255, 256, 2047, 2049, 65504, 65519, 16_777_217, i64::MAX, i64::MIN, 33_554_431] {
            all.extend([edge, edge.wrapping_neg(), edge.wrapping_add(1)].map(|edge| Literal::from_i64(dtype, edge)));
        }
        for edge in [0.5, 1.5, -0.0, 0.1, 1e-40, 1e-320, 1e38, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            all.extend([edge, -edge].map(|edge| Literal::from_f64(dtype, edge)));
        }
        let mask = if dtype == DType::Bool { 1 } else { u64::MAX >> (64 - 8 * dtype.bytes()) };
        all.iter_mut().for_each(|literal| literal.bits &= mask);
        all
    }

    /// The same bits; a NaN must stay a NaN, but operations may change its sign and payload.
    fn same(a: Literal, b: Literal) -> bool {
        a == b || (a.dtype == b.dtype && a.to_f64().is_nan() && b.to_f64().is_nan())
    }

    #[test]
    fn needless_casts_lose_nothing() {
        let cast = |to, x| evaluate(ScalarOp::Cast(to), &[x]);
        let mut merged = 0;
        for from in DType::ALL {
            for middle in DType::ALL {
                for to in DType::ALL.into_iter().filter(|&to| needless(from, middle, to)) {
                    merged += 1;
                    for x in edges(from) {
                        let direct = if from == to { x } else { cast(to, x) };
                        assert!(same(cast(to, cast(middle, x)), direct), "{from} {x} by way of {middle} to {to}");
                    }
                }
            }
        }
        assert!(merged > 100);
    }

    #[test]
    fn neutral_and_absorbing_elements_are_that() {
        let operations = ScalarOp::PLAIN.into_iter().filter(|op| op.arity() == 2);
        for op in operations {
            for dtype in DType::ALL.into_iter().filter(|&dtype| op.takes(dtype)) {
                for literal in edges(dtype) {
                    for x in edges(dtype) {
                        if neutral_right(op, literal) {
                            assert!(same(evaluate(op, &[x, literal]), x), "{} {dtype} {literal}", op.name());
                            if commutes(op) {
                                assert!(same(evaluate(op, &[literal, x]), x), "{} {dtype} {literal}", op.name());
                            }
                        }
                        if absorbing(op, literal) {
                            assert!(same(evaluate(op, &[x, literal]), literal), "{} {dtype} {literal}", op.name());
                            assert!(same(evaluate(op, &[literal, x]), literal), "{} {dtype} {literal}", op.name());
                        }
                    }
                }
            }
        }
    }
}
