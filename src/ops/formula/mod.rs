//! `exp`, `sin` and the rest as formulas over the scalar operations, written once for every backend.
//!
//! All are computed in f64 and rounded once to the operand's dtype, so that f32, f16 and bf16 results are the true
//! value rounded, but for rare ties at the last bit; f64 results are within a few units in the last place. They are
//! branch-free: where cases differ, both are computed and one is selected. Multiply-adds are explicit, nothing is
//! left to a compiler's discretion: every backend gives the same bits. `tests/formulas.rs` measures the errors.

mod arith;
mod exponential;
mod trigonometric;
mod special;

use super::scalar::{Function, ScalarBuilder};
use crate::base::DType;
use arith::Arith;

/// The value of `function`, built operation by operation. Operands have one dtype, the result has it too.
pub fn build<B: ScalarBuilder>(b: &mut B, function: Function, operands: &[B::Value]) -> B::Value {
    let Some(&x) = operands.first() else { return b.constant(crate::base::Literal::new(DType::F32, 0)) };
    let dtype = b.dtype(x);
    if function == Function::Sign {
        return special::sign(b, x);
    }
    let mut f = Arith { b };
    let x = f.widen(x);
    let y = operands.get(1).map(|&y| f.widen(y));
    let double = dtype == DType::F64;
    let result = match function {
        Function::Exp => f.exp(x),
        Function::Expm1 => f.expm1(x),
        Function::Log => f.log(x),
        Function::Log1p => f.log1p(x),
        Function::Sin => f.sin(x, double),
        Function::Cos => f.cos(x, double),
        Function::Tan => f.tan(x, double),
        Function::Tanh => f.tanh(x),
        Function::Sigmoid => f.sigmoid(x),
        Function::Erf => f.erf(x),
        Function::Rsqrt => f.rsqrt(x),
        Function::Power => f.power(x, y.unwrap_or(x)),
        Function::Sign => x,
    };
    f.narrow(result, dtype)
}
