//! `exp`, `sin` and the rest as formulas over the scalar operations, written once for every backend.
//!
//! f64 operands are computed in f64, within a few units in the last place. f32, f16 and bf16 operands are computed as
//! f32 within two: in f32 alone where that suffices (`single`), so that vectors keep their lanes, else by way of f64
//! (`wide`). Formulas are branch-free: where cases differ, both are computed and one is selected. Multiply-adds are
//! explicit, nothing is left to a compiler's discretion: every backend gives the same bits. `tests/formulas.rs`
//! measures the errors.

mod arith;
mod exponential;
mod single;
mod special;
mod trigonometric;
mod wide;

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
    let float = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let mut f = Arith { b, float };
    let x = f.widen(x);
    let y = operands.get(1).map_or(x, |&y| f.widen(y));
    let result = if float == DType::F64 { double(&mut f, function, x, y) } else { single(&mut f, function, x, y) };
    f.narrow(result, dtype)
}

fn double<B: ScalarBuilder>(f: &mut Arith<'_, B>, function: Function, x: B::Value, y: B::Value) -> B::Value {
    match function {
        Function::Exp => f.exp(x),
        Function::Expm1 => f.expm1(x),
        Function::Log => f.log(x),
        Function::Log1p => f.log1p(x),
        Function::Sin => f.sin(x),
        Function::Cos => f.cos(x),
        Function::Tan => f.tan(x),
        Function::Tanh => f.tanh(x),
        Function::Sigmoid => f.sigmoid(x),
        Function::Erf => f.erf(x),
        Function::Rsqrt => f.rsqrt(x),
        Function::Power => f.power(x, y),
        Function::Sign => special::sign(f.b, x),
    }
}

fn single<B: ScalarBuilder>(f: &mut Arith<'_, B>, function: Function, x: B::Value, y: B::Value) -> B::Value {
    match function {
        Function::Exp => f.exp_single(x),
        Function::Expm1 => f.expm1_single(x),
        Function::Log => f.log_single(x),
        Function::Log1p => f.log1p_single(x),
        Function::Sin | Function::Cos | Function::Tan => wide::angle(f.b, function, x),
        Function::Tanh => f.tanh_single(x),
        Function::Sigmoid => f.sigmoid_single(x),
        Function::Erf => f.erf_single(x),
        Function::Rsqrt => f.rsqrt(x),
        Function::Power => wide::power(f.b, x, y),
        Function::Sign => special::sign(f.b, x),
    }
}
