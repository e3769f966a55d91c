//! Conversions between dtypes.
//!
//! Float to int saturates and makes NaN 0; int to int wraps; to float rounds to nearest even, to halves by way of
//! `f32`; to bool is `!= 0`.

use super::scalars::{float_type, int_type};
use super::writer::{Class, Val, Writer};
use crate::base::DType;

impl Writer {
    /// The value as another dtype.
    pub(super) fn cast(&mut self, x: &Val, to: DType) -> Val {
        use DType::{Bf16, Bool, F16, F32, F64, I32, I64, U8};
        if x.dtype == to {
            return x.clone();
        }
        let make =
            |w: &mut Self, op: &str, operands: &[&str]| Val { dtype: to, reg: w.make(Class::of(to), op, operands) };
        match (x.dtype, to) {
            (from, Bool) if from.is_float() => {
                let ty = float_type(from);
                let zero = if from == F64 { "0d0000000000000000" } else { "0f00000000" };
                make(self, &format!("setp.neu.{ty}"), &[&x.reg, zero])
            }
            (from, Bool) => make(self, &format!("setp.ne.{}", int_type(from)), &[&x.reg, "0"]),
            (Bool, _) => {
                let counted = Val { dtype: I32, reg: self.make(Class::Word, "selp.b32", &["1", "0", &x.reg]) };
                self.cast(&counted, to)
            }
            (F64, F16 | Bf16) => {
                let single = self.cast(x, F32);
                self.cast(&single, to)
            }
            (F16 | Bf16 | F32, F16 | Bf16) => Val { dtype: to, reg: self.round_half(to, &x.reg) },
            (F16 | Bf16, F32) => Val { dtype: F32, reg: x.reg.clone() },
            (F16 | Bf16 | F32, F64) => make(self, "cvt.f64.f32", &[&x.reg]),
            (F64, F32) => make(self, "cvt.rn.f32.f64", &[&x.reg]),
            (from, _) if from.is_float() => self.float_to_int(x, to),
            (from, F64) => make(self, &format!("cvt.rn.f64.{}", int_type(from)), &[&x.reg]),
            (from, F32) => make(self, &format!("cvt.rn.f32.{}", int_type(from)), &[&x.reg]),
            (_, F16 | Bf16) => {
                let single = self.cast(x, F32);
                self.cast(&single, to)
            }
            (I64, _) => {
                let low = make(self, "cvt.u32.u64", &[&x.reg]);
                self.wrapped(low)
            }
            (I32, I64) => make(self, "cvt.s64.s32", &[&x.reg]),
            (_, I64) => make(self, "cvt.u64.u32", &[&x.reg]),
            (_, U8) => make(self, "and.b32", &[&x.reg, "0xff"]),
            _ => Val { dtype: to, reg: x.reg.clone() },
        }
    }

    /// Towards zero, saturating; NaN is 0.
    fn float_to_int(&mut self, x: &Val, to: DType) -> Val {
        let from = float_type(x.dtype);
        let nan = self.make(Class::Pred, &format!("setp.nan.{from}"), &[&x.reg, &x.reg]);
        let class = Class::of(to);
        let ty = if to == DType::U8 { "s32" } else { int_type(to) };
        let mut value = self.make(class, &format!("cvt.rzi.{ty}.{from}"), &[&x.reg]);
        if to == DType::U8 {
            value = self.make(class, "max.s32", &[&value, "0"]);
            value = self.make(class, "min.s32", &[&value, "255"]);
        }
        let select = if to == DType::I64 { "selp.b64" } else { "selp.b32" };
        Val { dtype: to, reg: self.make(class, select, &["0", &value, &nan]) }
    }

    /// The same bits as another dtype of equal width.
    pub(super) fn bitcast(&mut self, x: &Val, to: DType) -> Val {
        use DType::{Bf16, Bool, F16, F32, F64, I32, I64, U8, U32};
        let reg = match (x.dtype, to) {
            (F16, Bf16) | (Bf16, F16) => {
                let raw = self.half_bits(x.dtype, &x.reg);
                self.half_value(to, &raw)
            }
            (Bool | U8, U8 | Bool) => return self.cast(x, to),
            (I32 | U32, F32) => self.single(&x.reg),
            (F32, I32 | U32) => self.bits(&x.reg),
            (I64, F64) => self.make(Class::Double, "mov.b64", &[&x.reg]),
            (F64, I64) => self.make(Class::Long, "mov.b64", &[&x.reg]),
            _ => x.reg.clone(),
        };
        Val { dtype: to, reg }
    }
}
