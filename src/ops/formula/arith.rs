//! The words in which formulas are written: arithmetic over a scalar builder, in f64 and i64 or in f32 and i32.
//!
//! Invariant: a formula names no bits of its own width; [`Arith`] knows them, so that lanes stay of one width.

use crate::base::{DType, Literal};
use crate::ops::scalar::{ScalarBuilder, ScalarOp};

/// A scalar builder with arithmetic by name. Values are floats of one width unless a method says otherwise.
pub(super) struct Arith<'b, B: ScalarBuilder> {
    /// Takes the operations.
    pub b: &'b mut B,
    /// The width: `F64`, or `F32`.
    pub float: DType,
}

impl<B: ScalarBuilder> Arith<'_, B> {
    /// A float constant, rounded to the width.
    pub(super) fn c(&mut self, value: f64) -> B::Value {
        self.b.constant(Literal::from_f64(self.float, value))
    }

    /// An int constant of the width.
    pub(super) fn k(&mut self, value: i64) -> B::Value {
        let literal = Literal::from_i64(self.int_dtype(), value);
        self.b.constant(literal)
    }

    /// The int of the float's width.
    pub(super) fn int_dtype(&self) -> DType {
        if self.float == DType::F64 { DType::I64 } else { DType::I32 }
    }

    /// The bits of a float's fraction, which its exponent stands above.
    pub(super) fn fraction_bits(&self) -> i64 {
        if self.float == DType::F64 { 52 } else { 23 }
    }

    /// As a float of the width.
    pub(super) fn widen(&mut self, x: B::Value) -> B::Value {
        if self.b.dtype(x) == self.float { x } else { self.b.op(ScalarOp::Cast(self.float), &[x]) }
    }

    /// Rounded to `dtype`; from f64 to f16 and bf16 by way of f32.
    pub(super) fn narrow(&mut self, x: B::Value, dtype: DType) -> B::Value {
        if dtype == self.b.dtype(x) { x } else { self.b.op(ScalarOp::Cast(dtype), &[x]) }
    }

    pub(super) fn add(&mut self, x: B::Value, y: B::Value) -> B::Value {
        self.b.op(ScalarOp::Add, &[x, y])
    }

    pub(super) fn sub(&mut self, x: B::Value, y: B::Value) -> B::Value {
        self.b.op(ScalarOp::Sub, &[x, y])
    }

    pub(super) fn mul(&mut self, x: B::Value, y: B::Value) -> B::Value {
        self.b.op(ScalarOp::Mul, &[x, y])
    }

    pub(super) fn div(&mut self, x: B::Value, y: B::Value) -> B::Value {
        self.b.op(ScalarOp::Div, &[x, y])
    }

    /// `x * y + z`, rounded once.
    pub(super) fn fma(&mut self, x: B::Value, y: B::Value, z: B::Value) -> B::Value {
        self.b.op(ScalarOp::Fma, &[x, y, z])
    }

    pub(super) fn neg(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Neg, &[x])
    }

    pub(super) fn abs(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Abs, &[x])
    }

    pub(super) fn round(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Round, &[x])
    }

    pub(super) fn floor(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Floor, &[x])
    }

    pub(super) fn lt(&mut self, x: B::Value, y: B::Value) -> B::Value {
        self.b.op(ScalarOp::Lt, &[x, y])
    }

    pub(super) fn eq(&mut self, x: B::Value, y: B::Value) -> B::Value {
        self.b.op(ScalarOp::Eq, &[x, y])
    }

    pub(super) fn and(&mut self, x: B::Value, y: B::Value) -> B::Value {
        self.b.op(ScalarOp::And, &[x, y])
    }

    pub(super) fn not(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Not, &[x])
    }

    pub(super) fn or(&mut self, x: B::Value, y: B::Value) -> B::Value {
        self.b.op(ScalarOp::Or, &[x, y])
    }

    pub(super) fn select(&mut self, condition: B::Value, x: B::Value, y: B::Value) -> B::Value {
        self.b.op(ScalarOp::Select, &[condition, x, y])
    }

    /// At least `low`; NaN stays. (One comparison and one blend, where [`ScalarOp::Max`] must mind signed zeros.)
    pub(super) fn at_least(&mut self, x: B::Value, low: f64) -> B::Value {
        let low = self.c(low);
        let below = self.lt(x, low);
        self.select(below, low, x)
    }

    /// At most `high`; NaN stays.
    pub(super) fn at_most(&mut self, x: B::Value, high: f64) -> B::Value {
        let high = self.c(high);
        let above = self.lt(high, x);
        self.select(above, high, x)
    }

    /// Between `low` and `high`; NaN stays.
    pub(super) fn clamp(&mut self, x: B::Value, low: f64, high: f64) -> B::Value {
        let x = self.at_least(x, low);
        self.at_most(x, high)
    }

    /// Float to int, saturating; NaN is 0.
    pub(super) fn int(&mut self, x: B::Value) -> B::Value {
        let to = self.int_dtype();
        self.b.op(ScalarOp::Cast(to), &[x])
    }

    /// Int to float.
    pub(super) fn float(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Cast(self.float), &[x])
    }

    /// The bits of a float as an int.
    pub(super) fn bits(&mut self, x: B::Value) -> B::Value {
        let to = self.int_dtype();
        self.b.op(ScalarOp::Bitcast(to), &[x])
    }

    /// The float of these bits.
    pub(super) fn of_bits(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Bitcast(self.float), &[x])
    }

    pub(super) fn shl(&mut self, x: B::Value, by: i64) -> B::Value {
        let by = self.k(by);
        self.b.op(ScalarOp::Shl, &[x, by])
    }

    /// Arithmetic.
    pub(super) fn shr(&mut self, x: B::Value, by: i64) -> B::Value {
        let by = self.k(by);
        self.b.op(ScalarOp::Shr, &[x, by])
    }

    /// Zeros come in.
    pub(super) fn shr_logical(&mut self, x: B::Value, by: i64) -> B::Value {
        let by = self.k(by);
        self.b.op(ScalarOp::ShrLogical, &[x, by])
    }

    /// `2^n` for an int `n` within the exponents of normal floats.
    pub(super) fn power_of_two(&mut self, n: B::Value) -> B::Value {
        let fraction = self.fraction_bits();
        let one = self.one_bits();
        let raised = self.shl(n, fraction);
        let bits = self.add(raised, one);
        self.of_bits(bits)
    }

    /// The bits of 1.0.
    pub(super) fn one_bits(&mut self) -> B::Value {
        let bits = Literal::from_f64(self.float, 1.0).bits as i64;
        self.k(bits)
    }

    /// `c[0] + c[1] x + c[2] x^2 + ...` by Horner's rule with multiply-adds.
    pub(super) fn polynomial(&mut self, x: B::Value, coefficients: &[f64]) -> B::Value {
        let Some((&last, rest)) = coefficients.split_last() else { return self.c(0.0) };
        let mut sum = self.c(last);
        for &coefficient in rest.iter().rev() {
            let constant = self.c(coefficient);
            sum = self.fma(sum, x, constant);
        }
        sum
    }

    /// `magnitude`, which is not negative, with the sign bit of `sign`.
    pub(super) fn copysign(&mut self, magnitude: B::Value, sign: B::Value) -> B::Value {
        let bits = self.bits(sign);
        let minus_zero = Literal::from_f64(self.float, -0.0).bits as i64;
        let mask = self.k(minus_zero);
        let sign = self.and(bits, mask);
        let bits = self.bits(magnitude);
        let bits = self.or(bits, sign);
        self.of_bits(bits)
    }

    /// `result`, but `x` itself where it is zero: keeps the zero's sign.
    pub(super) fn keep_zero(&mut self, x: B::Value, result: B::Value) -> B::Value {
        let zero = self.c(0.0);
        let is_zero = self.eq(x, zero);
        self.select(is_zero, x, result)
    }
}
