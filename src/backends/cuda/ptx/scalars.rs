//! Scalar operations as instructions; their meaning is `ops::evaluate`.
//!
//! Invariant: none faults, whatever the operands.

use super::writer::{Class, Val, Writer};
use crate::base::{DType, Literal};
use crate::ops::scalar::ScalarOp;

/// `s32`, `u64`...: the type under which an int dtype is computed with.
pub(super) fn int_type(dtype: DType) -> &'static str {
    match dtype {
        DType::I32 => "s32",
        DType::I64 => "s64",
        _ => "u32",
    }
}

fn bits_type(dtype: DType) -> &'static str {
    if dtype == DType::I64 { "b64" } else { "b32" }
}

/// `f32` or `f64`.
pub(super) fn float_type(dtype: DType) -> &'static str {
    if dtype == DType::F64 { "f64" } else { "f32" }
}

impl Writer {
    /// A constant.
    pub(super) fn constant(&mut self, literal: Literal) -> Val {
        let dtype = literal.dtype;
        let reg = match dtype {
            DType::Bool => {
                let word = self.make(Class::Word, "mov.u32", &[if literal.bits == 0 { "0" } else { "1" }]);
                self.make(Class::Pred, "setp.ne.u32", &[&word, "0"])
            }
            DType::F64 => self.make(Class::Double, "mov.f64", &[&format!("0d{:016X}", literal.bits)]),
            dtype if dtype.is_float() => {
                let single = literal.to_f64() as f32;
                self.make(Class::Single, "mov.f32", &[&format!("0f{:08X}", single.to_bits())])
            }
            DType::I64 => self.make(Class::Long, "mov.u64", &[&format!("0x{:x}", literal.bits)]),
            _ => self.make(Class::Word, "mov.u32", &[&format!("0x{:x}", literal.bits & 0xffff_ffff)]),
        };
        Val { dtype, reg }
    }

    fn val(&mut self, dtype: DType, op: &str, operands: &[&str]) -> Val {
        Val { dtype, reg: self.make(Class::of(dtype), op, operands) }
    }

    /// One operation.
    pub(super) fn op(&mut self, op: ScalarOp, operands: &[Val]) -> Val {
        let Some(a) = operands.first() else { return self.constant(Literal::from_bool(false)) };
        let b = operands.get(1).unwrap_or(a);
        let c = operands.get(2).unwrap_or(a);
        match op {
            ScalarOp::Select => self.select(a, b, c),
            ScalarOp::Cast(to) => self.cast(a, to),
            ScalarOp::Bitcast(to) => self.bitcast(a, to),
            _ if a.dtype == DType::Bool => self.boolean(op, a, b),
            _ if a.dtype.is_float() => self.float(op, a, b, c),
            ScalarOp::Shl | ScalarOp::Shr | ScalarOp::ShrLogical => self.shift(op, a, b),
            ScalarOp::FloorDiv | ScalarOp::Mod => self.divide(op, a, b),
            _ => self.integer(op, a, b),
        }
    }

    /// `if condition { x } else { y }`.
    pub(super) fn select(&mut self, condition: &Val, x: &Val, y: &Val) -> Val {
        let (c, x_reg, y_reg) = (&condition.reg, &x.reg, &y.reg);
        match Class::of(x.dtype) {
            Class::Pred => {
                let yes = self.make(Class::Pred, "and.pred", &[c, x_reg]);
                let otherwise = self.make(Class::Pred, "not.pred", &[c]);
                let no = self.make(Class::Pred, "and.pred", &[&otherwise, y_reg]);
                self.val(DType::Bool, "or.pred", &[&yes, &no])
            }
            Class::Word => self.val(x.dtype, "selp.b32", &[x_reg, y_reg, c]),
            Class::Long => self.val(x.dtype, "selp.b64", &[x_reg, y_reg, c]),
            Class::Single => self.val(x.dtype, "selp.f32", &[x_reg, y_reg, c]),
            Class::Double => self.val(x.dtype, "selp.f64", &[x_reg, y_reg, c]),
        }
    }

    fn boolean(&mut self, op: ScalarOp, a: &Val, b: &Val) -> Val {
        let not = |w: &mut Self, x: &str| w.make(Class::Pred, "not.pred", &[x]);
        let (x, y) = (a.reg.as_str(), b.reg.as_str());
        match op {
            ScalarOp::Add | ScalarOp::Or | ScalarOp::Max => self.val(DType::Bool, "or.pred", &[x, y]),
            ScalarOp::Mul | ScalarOp::And | ScalarOp::Min => self.val(DType::Bool, "and.pred", &[x, y]),
            ScalarOp::Xor | ScalarOp::Ne => self.val(DType::Bool, "xor.pred", &[x, y]),
            ScalarOp::Not => self.val(DType::Bool, "not.pred", &[x]),
            ScalarOp::Eq => {
                let differ = self.make(Class::Pred, "xor.pred", &[x, y]);
                self.val(DType::Bool, "not.pred", &[&differ])
            }
            // false < true.
            ScalarOp::Lt => {
                let falls = not(self, x);
                self.val(DType::Bool, "and.pred", &[&falls, y])
            }
            ScalarOp::Le => {
                let falls = not(self, x);
                self.val(DType::Bool, "or.pred", &[&falls, y])
            }
            _ => a.clone(),
        }
    }

    fn float(&mut self, op: ScalarOp, a: &Val, b: &Val, c: &Val) -> Val {
        let ty = float_type(a.dtype);
        let (x, y) = (a.reg.as_str(), b.reg.as_str());
        let compare = match op {
            ScalarOp::Eq => Some("eq"),
            ScalarOp::Ne => Some("neu"),
            ScalarOp::Lt => Some("lt"),
            ScalarOp::Le => Some("le"),
            _ => None,
        };
        if let Some(compare) = compare {
            return self.val(DType::Bool, &format!("setp.{compare}.{ty}"), &[x, y]);
        }
        let arithmetic = match op {
            ScalarOp::Add => Some("add.rn"),
            ScalarOp::Sub => Some("sub.rn"),
            ScalarOp::Mul => Some("mul.rn"),
            ScalarOp::Div => Some("div.rn"),
            _ => None,
        };
        let rounded = match (op, arithmetic) {
            (_, Some(name)) => self.val(a.dtype, &format!("{name}.{ty}"), &[x, y]),
            (ScalarOp::Fma, _) => self.val(a.dtype, &format!("fma.rn.{ty}"), &[x, y, &c.reg]),
            (ScalarOp::Sqrt, _) => self.val(a.dtype, &format!("sqrt.rn.{ty}"), &[x]),
            (ScalarOp::Rem, _) => self.remainder(a, b),
            _ => return self.exact_float(op, a, b),
        };
        match a.dtype {
            DType::F16 | DType::Bf16 => Val { dtype: a.dtype, reg: self.round_half(a.dtype, &rounded.reg) },
            _ => rounded,
        }
    }

    /// Operations whose result needs no rounding.
    fn exact_float(&mut self, op: ScalarOp, a: &Val, b: &Val) -> Val {
        let ty = float_type(a.dtype);
        let x = a.reg.as_str();
        match op {
            ScalarOp::Floor => self.val(a.dtype, &format!("cvt.rmi.{ty}.{ty}"), &[x]),
            ScalarOp::Ceil => self.val(a.dtype, &format!("cvt.rpi.{ty}.{ty}"), &[x]),
            ScalarOp::Round => self.val(a.dtype, &format!("cvt.rni.{ty}.{ty}"), &[x]),
            ScalarOp::Trunc => self.val(a.dtype, &format!("cvt.rzi.{ty}.{ty}"), &[x]),
            ScalarOp::Max => self.extreme("max", a, b),
            ScalarOp::Min => self.extreme("min", a, b),
            ScalarOp::Neg => self.sign_bit("xor", a, ["0x80000000", "0x8000000000000000"]),
            ScalarOp::Abs => self.sign_bit("and", a, ["0x7fffffff", "0x7fffffffffffffff"]),
            _ => a.clone(),
        }
    }

    /// Works on the bits, so that a NaN keeps its own.
    fn sign_bit(&mut self, op: &str, a: &Val, [single, double]: [&str; 2]) -> Val {
        if a.dtype == DType::F64 {
            let bits = self.make(Class::Long, "mov.b64", &[&a.reg]);
            let bits = self.make(Class::Long, &format!("{op}.b64"), &[&bits, double]);
            return self.val(a.dtype, "mov.b64", &[&bits]);
        }
        let bits = self.bits(&a.reg);
        let bits = self.make(Class::Word, &format!("{op}.b32"), &[&bits, single]);
        self.val(a.dtype, "mov.b32", &[&bits])
    }

    /// The larger or smaller; NaN wins. The instruction itself orders the zeros, and drops NaN.
    fn extreme(&mut self, name: &str, a: &Val, b: &Val) -> Val {
        let ty = float_type(a.dtype);
        let nan = self.make(Class::Pred, &format!("setp.nan.{ty}"), &[&a.reg, &b.reg]);
        let sum = self.val(a.dtype, &format!("add.rn.{ty}"), &[&a.reg, &b.reg]);
        let found = self.val(a.dtype, &format!("{name}.{ty}"), &[&a.reg, &b.reg]);
        self.val(a.dtype, &format!("selp.{ty}"), &[&sum.reg, &found.reg, &nan])
    }

    fn remainder(&mut self, a: &Val, b: &Val) -> Val {
        if a.dtype == DType::F64 {
            return Val { dtype: a.dtype, reg: self.fmod(&a.reg, &b.reg) };
        }
        let x = self.make(Class::Double, "cvt.f64.f32", &[&a.reg]);
        let y = self.make(Class::Double, "cvt.f64.f32", &[&b.reg]);
        let rest = self.fmod(&x, &y);
        self.val(a.dtype, "cvt.rn.f32.f64", &[&rest])
    }

    fn integer(&mut self, op: ScalarOp, a: &Val, b: &Val) -> Val {
        let (ty, bits) = (int_type(a.dtype), bits_type(a.dtype));
        let (x, y) = (a.reg.as_str(), b.reg.as_str());
        let compare = match op {
            ScalarOp::Eq => Some("eq"),
            ScalarOp::Ne => Some("ne"),
            ScalarOp::Lt => Some("lt"),
            ScalarOp::Le => Some("le"),
            _ => None,
        };
        if let Some(compare) = compare {
            return self.val(DType::Bool, &format!("setp.{compare}.{ty}"), &[x, y]);
        }
        let result = match op {
            ScalarOp::Add => self.val(a.dtype, &format!("add.{ty}"), &[x, y]),
            ScalarOp::Sub => self.val(a.dtype, &format!("sub.{ty}"), &[x, y]),
            ScalarOp::Mul => self.val(a.dtype, &format!("mul.lo.{ty}"), &[x, y]),
            ScalarOp::Max => self.val(a.dtype, &format!("max.{ty}"), &[x, y]),
            ScalarOp::Min => self.val(a.dtype, &format!("min.{ty}"), &[x, y]),
            ScalarOp::Neg => self.negated(a),
            ScalarOp::Abs if a.dtype.is_signed_int() => {
                let negated = self.negated(a);
                let below = self.make(Class::Pred, &format!("setp.lt.{ty}"), &[x, "0"]);
                self.val(a.dtype, &format!("selp.{bits}"), &[&negated.reg, x, &below])
            }
            ScalarOp::And => self.val(a.dtype, &format!("and.{bits}"), &[x, y]),
            ScalarOp::Or => self.val(a.dtype, &format!("or.{bits}"), &[x, y]),
            ScalarOp::Xor => self.val(a.dtype, &format!("xor.{bits}"), &[x, y]),
            ScalarOp::Not => self.val(a.dtype, &format!("not.{bits}"), &[x]),
            _ => a.clone(),
        };
        self.wrapped(result)
    }

    fn negated(&mut self, a: &Val) -> Val {
        let zero = self.constant(Literal::new(a.dtype, 0));
        self.val(a.dtype, &format!("sub.{}", int_type(a.dtype)), &[&zero.reg, &a.reg])
    }

    /// A `u8` cut to its eight bits.
    pub(super) fn wrapped(&mut self, val: Val) -> Val {
        match val.dtype {
            DType::U8 => self.val(DType::U8, "and.b32", &[&val.reg, "0xff"]),
            _ => val,
        }
    }

    /// Floor division or remainder; 0 for a zero divisor.
    fn divide(&mut self, op: ScalarOp, a: &Val, b: &Val) -> Val {
        let (ty, bits) = (int_type(a.dtype), bits_type(a.dtype));
        let class = Class::of(a.dtype);
        let (x, y) = (a.reg.as_str(), b.reg.as_str());
        let select = format!("selp.{bits}");
        let (zero, one) = (self.constant(Literal::new(a.dtype, 0)).reg, self.constant(Literal::new(a.dtype, 1)).reg);
        let none = self.make(Class::Pred, &format!("setp.eq.{ty}"), &[y, "0"]);
        if !a.dtype.is_signed_int() {
            let divisor = self.make(class, &select, &[&one, y, &none]);
            let name = if op == ScalarOp::Mod { "rem" } else { "div" };
            let result = self.make(class, &format!("{name}.{ty}"), &[x, &divisor]);
            return self.val(a.dtype, &select, &[&zero, &result, &none]);
        }
        // -1 aside as well: MIN / -1 does not fit.
        let negates = self.make(Class::Pred, &format!("setp.eq.{ty}"), &[y, "-1"]);
        let odd = self.make(Class::Pred, "or.pred", &[&none, &negates]);
        let divisor = self.make(class, &select, &[&one, y, &odd]);
        let quotient = self.make(class, &format!("div.{ty}"), &[x, &divisor]);
        let product = self.make(class, &format!("mul.lo.{ty}"), &[&quotient, &divisor]);
        let rest = self.make(class, &format!("sub.{ty}"), &[x, &product]);
        let unequal = self.make(Class::Pred, &format!("setp.ne.{ty}"), &[&rest, "0"]);
        let signs = self.make(class, &format!("xor.{bits}"), &[&rest, &divisor]);
        let apart = self.make(Class::Pred, &format!("setp.lt.{ty}"), &[&signs, "0"]);
        let below = self.make(Class::Pred, "and.pred", &[&unequal, &apart]);
        if op == ScalarOp::Mod {
            // By 1 (in place of 0 and -1) nothing is left.
            let moved = self.make(class, &format!("add.{ty}"), &[&rest, &divisor]);
            return self.val(a.dtype, &select, &[&moved, &rest, &below]);
        }
        let lower = self.make(class, &format!("sub.{ty}"), &[&quotient, &one]);
        let quotient = self.make(class, &select, &[&lower, &quotient, &below]);
        let negated = self.make(class, &format!("sub.{ty}"), &[&zero, x]);
        let quotient = self.make(class, &select, &[&negated, &quotient, &negates]);
        self.val(a.dtype, &select, &[&zero, &quotient, &none])
    }

    /// Shifts; amounts out of range shift everything out, which is what the instructions do with amounts up to 2^32.
    fn shift(&mut self, op: ScalarOp, x: &Val, by: &Val) -> Val {
        let amount = match by.dtype {
            DType::I64 => {
                let least = self.make(Class::Long, "min.u64", &[&by.reg, "64"]);
                self.make(Class::Word, "cvt.u32.u64", &[&least])
            }
            _ => by.reg.clone(),
        };
        let wide = x.dtype == DType::I64;
        let name = match (op, x.dtype.is_signed_int(), wide) {
            (ScalarOp::Shl, _, false) => "shl.b32",
            (ScalarOp::Shl, _, true) => "shl.b64",
            (ScalarOp::Shr, true, false) => "shr.s32",
            (ScalarOp::Shr, true, true) => "shr.s64",
            (_, _, false) => "shr.u32",
            (_, _, true) => "shr.u64",
        };
        let shifted = self.val(x.dtype, name, &[&x.reg, &amount]);
        self.wrapped(shifted)
    }
}
