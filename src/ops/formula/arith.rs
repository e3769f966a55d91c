//! The words in which formulas are written: f64 and i64 arithmetic over a scalar builder.

use crate::base::{DType, Literal};
use crate::ops::scalar::{ScalarBuilder, ScalarOp};

/// A scalar builder with arithmetic by name. Values are f64 unless a method says otherwise.
pub(super) struct Arith<'b, B: ScalarBuilder> {
    /// Takes the operations.
    pub b: &'b mut B,
}

impl<B: ScalarBuilder> Arith<'_, B> {
    /// An f64 constant.
    pub(super) fn c(&mut self, value: f64) -> B::Value {
        self.b.constant(Literal::new(DType::F64, value.to_bits()))
    }

    /// An i64 constant.
    pub(super) fn k(&mut self, value: i64) -> B::Value {
        self.b.constant(Literal::new(DType::I64, value as u64))
    }

    pub(super) fn widen(&mut self, x: B::Value) -> B::Value {
        match self.b.dtype(x) {
            DType::F64 => x,
            _ => self.b.op(ScalarOp::Cast(DType::F64), &[x]),
        }
    }

    /// Rounded to `dtype`; f16 and bf16 by way of f32.
    pub(super) fn narrow(&mut self, x: B::Value, dtype: DType) -> B::Value {
        match dtype {
            DType::F64 => x,
            DType::F32 => self.b.op(ScalarOp::Cast(DType::F32), &[x]),
            _ => {
                let single = self.b.op(ScalarOp::Cast(DType::F32), &[x]);
                self.b.op(ScalarOp::Cast(dtype), &[single])
            }
        }
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

    /// Between `low` and `high`; NaN stays.
    pub(super) fn clamp(&mut self, x: B::Value, low: f64, high: f64) -> B::Value {
        let (low, high) = (self.c(low), self.c(high));
        let x = self.b.op(ScalarOp::Max, &[x, low]);
        self.b.op(ScalarOp::Min, &[x, high])
    }

    /// f64 to i64, saturating; NaN is 0.
    pub(super) fn int(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Cast(DType::I64), &[x])
    }

    /// i64 to f64.
    pub(super) fn float(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Cast(DType::F64), &[x])
    }

    /// The bits of an f64 as i64.
    pub(super) fn bits(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Bitcast(DType::I64), &[x])
    }

    /// The f64 of these bits.
    pub(super) fn of_bits(&mut self, x: B::Value) -> B::Value {
        self.b.op(ScalarOp::Bitcast(DType::F64), &[x])
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

    /// `2^n` for an i64 `n` in `-1022..=1023`.
    pub(super) fn power_of_two(&mut self, n: B::Value) -> B::Value {
        let bias = self.k(1023);
        let biased = self.add(n, bias);
        let bits = self.shl(biased, 52);
        self.of_bits(bits)
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

    /// `magnitude` with the sign bit of `sign`.
    pub(super) fn copysign(&mut self, magnitude: B::Value, sign: B::Value) -> B::Value {
        let bits = self.bits(sign);
        let mask = self.k(i64::MIN);
        let sign = self.and(bits, mask);
        let bits = self.bits(magnitude);
        let cleared = self.k(i64::MAX);
        let bits = self.and(bits, cleared);
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
