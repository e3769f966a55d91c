//! Identities of elementwise operations. Each is exact for every value, or asks for a dtype for which it is.

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
