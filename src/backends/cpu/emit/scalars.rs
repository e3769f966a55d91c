//! Scalar operations as instructions, over one element or four at once.
//!
//! Their meaning is `ops::evaluate`. Invariant: none traps, whatever the operands; what vectors have no instruction
//! for is done lane by lane with the same code as for one element, so that both give the same bits.

use super::lanes::{Lanes, Val};
use crate::base::{DType, Literal};
use crate::ops::scalar::ScalarOp;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{InstBuilder, Value};

impl Lanes<'_> {
    /// One operation.
    pub(in crate::backends::cpu) fn op(&mut self, op: ScalarOp, operands: &[Val]) -> Val {
        let Some(&a) = operands.first() else { return self.constant(Literal::from_bool(false)) };
        match (op, operands) {
            (ScalarOp::Select, &[condition, x, y]) => return self.select(condition, x, y),
            (ScalarOp::Cast(to), _) => return self.cast(a, to),
            (ScalarOp::Bitcast(to), _) => return self.bitcast(a, to),
            (ScalarOp::Shl | ScalarOp::Shr | ScalarOp::ShrLogical, &[x, by]) => return self.shift(op, x, by),
            _ => {}
        }
        let wide = operands.iter().any(|operand| operand.wide);
        let by_lane = match op {
            ScalarOp::FloorDiv | ScalarOp::Mod | ScalarOp::Rem => true,
            ScalarOp::Fma => !self.helpers.fma && a.dtype.is_float(),
            _ => false,
        };
        if wide && by_lane {
            return self.by_lane(op, operands);
        }
        let operands: Vec<Val> =
            if wide { operands.iter().map(|&val| self.widen(val)).collect() } else { operands.to_vec() };
        let a = operands.first().copied().unwrap_or(a);
        let b = operands.get(1).copied().unwrap_or(a);
        let c = operands.get(2).copied().unwrap_or(a);
        match a.dtype {
            DType::Bool => self.boolean(op, a, b),
            dtype if dtype.is_float() => self.float(op, a, b, c),
            _ => self.integer(op, a, b),
        }
    }

    /// Four elements one after the other.
    fn by_lane(&mut self, op: ScalarOp, operands: &[Val]) -> Val {
        let ones = [0, 1, 2, 3].map(|lane| {
            let ones: Vec<Val> = operands.iter().map(|&val| self.lane(val, lane)).collect();
            self.op(op, &ones)
        });
        self.gather(ones)
    }

    fn boolean(&mut self, op: ScalarOp, a: Val, b: Val) -> Val {
        let not = |l: &mut Self, x: Val| {
            let ones = l.b.func.dfg.value_type(x.only());
            let ones = l.splat_int(ones, if x.wide { -1 } else { 1 });
            Val::new(DType::Bool, x.wide, l.b.ins().bxor(x.only(), ones))
        };
        let (x, y) = (a.only(), b.only());
        let value = match op {
            ScalarOp::Add | ScalarOp::Or | ScalarOp::Max => self.b.ins().bor(x, y),
            ScalarOp::Mul | ScalarOp::And | ScalarOp::Min => self.b.ins().band(x, y),
            ScalarOp::Xor | ScalarOp::Ne => self.b.ins().bxor(x, y),
            ScalarOp::Not => return not(self, a),
            ScalarOp::Eq => {
                let differ = Val::new(DType::Bool, a.wide, self.b.ins().bxor(x, y));
                return not(self, differ);
            }
            // false < true.
            ScalarOp::Lt => {
                let falls = not(self, a);
                self.b.ins().band(falls.only(), y)
            }
            ScalarOp::Le => {
                let falls = not(self, a);
                self.b.ins().bor(falls.only(), y)
            }
            _ => return a,
        };
        Val::new(DType::Bool, a.wide, value)
    }

    fn float(&mut self, op: ScalarOp, a: Val, b: Val, c: Val) -> Val {
        let condition = match op {
            ScalarOp::Eq => Some(FloatCC::Equal),
            ScalarOp::Ne => Some(FloatCC::NotEqual),
            ScalarOp::Lt => Some(FloatCC::LessThan),
            ScalarOp::Le => Some(FloatCC::LessThanOrEqual),
            _ => None,
        };
        if let Some(condition) = condition {
            let compared = self.both(a, b, |l, x, y| l.b.ins().fcmp(condition, x, y));
            return self.bools(a, compared.parts);
        }
        let mut thirds = c.parts.into_iter();
        let result = self.both(a, b, |l, x, y| {
            let z = thirds.next().unwrap_or(x);
            match op {
                ScalarOp::Add => l.b.ins().fadd(x, y),
                ScalarOp::Sub => l.b.ins().fsub(x, y),
                ScalarOp::Mul => l.b.ins().fmul(x, y),
                ScalarOp::Div => l.b.ins().fdiv(x, y),
                ScalarOp::Rem => l.fmod(a.dtype, x, y),
                ScalarOp::Fma => l.b.ins().fma(x, y, z),
                ScalarOp::Max => l.b.ins().fmax(x, y),
                ScalarOp::Min => l.b.ins().fmin(x, y),
                ScalarOp::Neg => l.b.ins().fneg(x),
                ScalarOp::Abs => l.b.ins().fabs(x),
                ScalarOp::Floor => l.b.ins().floor(x),
                ScalarOp::Ceil => l.b.ins().ceil(x),
                ScalarOp::Round => l.b.ins().nearest(x),
                ScalarOp::Trunc => l.b.ins().trunc(x),
                ScalarOp::Sqrt => l.b.ins().sqrt(x),
                _ => x,
            }
        });
        let exact = matches!(
            op,
            ScalarOp::Neg
                | ScalarOp::Abs
                | ScalarOp::Max
                | ScalarOp::Min
                | ScalarOp::Floor
                | ScalarOp::Ceil
                | ScalarOp::Round
                | ScalarOp::Trunc
        );
        match a.dtype {
            DType::F16 | DType::Bf16 if !exact => self.each(result, a.dtype, |l, x| l.round_half(a.dtype, x)),
            _ => result,
        }
    }

    fn fmod(&mut self, dtype: DType, x: Value, y: Value) -> Value {
        let double = usize::from(dtype == DType::F64);
        let function = match self.fmod[double] {
            Some(function) => function,
            None => {
                let function = self.helpers.declare_fmod(self.b.func, double == 1);
                self.fmod[double] = Some(function);
                function
            }
        };
        let call = self.b.ins().call(function, &[x, y]);
        self.b.inst_results(call).first().copied().unwrap_or(x)
    }

    fn integer(&mut self, op: ScalarOp, a: Val, b: Val) -> Val {
        let signed = a.dtype.is_signed_int();
        let condition = match op {
            ScalarOp::Eq => Some(IntCC::Equal),
            ScalarOp::Ne => Some(IntCC::NotEqual),
            ScalarOp::Lt if signed => Some(IntCC::SignedLessThan),
            ScalarOp::Lt => Some(IntCC::UnsignedLessThan),
            ScalarOp::Le if signed => Some(IntCC::SignedLessThanOrEqual),
            ScalarOp::Le => Some(IntCC::UnsignedLessThanOrEqual),
            _ => None,
        };
        if let Some(condition) = condition {
            let compared = self.both(a, b, |l, x, y| l.b.ins().icmp(condition, x, y));
            return self.bools(a, compared.parts);
        }
        let result = self.both(a, b, |l, x, y| match op {
            ScalarOp::Add => l.b.ins().iadd(x, y),
            ScalarOp::Sub => l.b.ins().isub(x, y),
            ScalarOp::Mul => l.b.ins().imul(x, y),
            ScalarOp::FloorDiv | ScalarOp::Mod => l.divide(op, signed, x, y),
            ScalarOp::Max | ScalarOp::Min => {
                let condition = match (op, signed) {
                    (ScalarOp::Max, true) => IntCC::SignedGreaterThan,
                    (ScalarOp::Max, false) => IntCC::UnsignedGreaterThan,
                    (_, true) => IntCC::SignedLessThan,
                    (_, false) => IntCC::UnsignedLessThan,
                };
                let first = l.b.ins().icmp(condition, x, y);
                l.blend(first, x, y)
            }
            ScalarOp::Neg => l.b.ins().ineg(x),
            ScalarOp::Abs if signed => l.b.ins().iabs(x),
            ScalarOp::And => l.b.ins().band(x, y),
            ScalarOp::Or => l.b.ins().bor(x, y),
            ScalarOp::Xor => l.b.ins().bxor(x, y),
            ScalarOp::Not => l.b.ins().bnot(x),
            _ => x,
        });
        self.wrapped(result)
    }

    /// A `u8` cut to its eight bits.
    pub(super) fn wrapped(&mut self, val: Val) -> Val {
        if val.dtype != DType::U8 {
            return val;
        }
        self.each(val, DType::U8, |l, x| {
            let ty = l.b.func.dfg.value_type(x);
            let mask = l.splat_int(ty, 0xff);
            l.b.ins().band(x, mask)
        })
    }

    /// Floor division or remainder of one element each; 0 for a zero divisor.
    fn divide(&mut self, op: ScalarOp, signed: bool, x: Value, y: Value) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        let (zero, one) = (self.splat_int(ty, 0), self.splat_int(ty, 1));
        let none = self.b.ins().icmp(IntCC::Equal, y, zero);
        if !signed {
            let divisor = self.b.ins().select(none, one, y);
            let result =
                if op == ScalarOp::Mod { self.b.ins().urem(x, divisor) } else { self.b.ins().udiv(x, divisor) };
            return self.b.ins().select(none, zero, result);
        }
        // -1 aside as well: MIN / -1 does not fit.
        let minus = self.splat_int(ty, -1);
        let negates = self.b.ins().icmp(IntCC::Equal, y, minus);
        let odd = self.b.ins().bor(none, negates);
        let divisor = self.b.ins().select(odd, one, y);
        let quotient = self.b.ins().sdiv(x, divisor);
        let product = self.b.ins().imul(quotient, divisor);
        let rest = self.b.ins().isub(x, product);
        let unequal = self.b.ins().icmp(IntCC::NotEqual, rest, zero);
        let signs = self.b.ins().bxor(rest, divisor);
        let apart = self.b.ins().icmp(IntCC::SignedLessThan, signs, zero);
        let below = self.b.ins().band(unequal, apart);
        if op == ScalarOp::Mod {
            let moved = self.b.ins().iadd(rest, divisor);
            // By 1 (in place of 0 and -1) nothing is left.
            return self.b.ins().select(below, moved, rest);
        }
        let lower = self.b.ins().isub(quotient, one);
        let quotient = self.b.ins().select(below, lower, quotient);
        let negated = self.b.ins().ineg(x);
        let quotient = self.b.ins().select(negates, negated, quotient);
        self.b.ins().select(none, zero, quotient)
    }

    /// Shifts; out of range amounts shift everything out.
    fn shift(&mut self, op: ScalarOp, x: Val, by: Val) -> Val {
        let width = 8 * x.dtype.bytes() as i64;
        if by.wide {
            return self.by_lane(op, &[x, by]);
        }
        let arithmetic = op == ScalarOp::Shr && x.dtype.is_signed_int();
        let amount = by.only();
        let ty = self.b.func.dfg.value_type(amount);
        let bound = self.splat_int(ty, width);
        let inside = self.b.ins().icmp(IntCC::UnsignedLessThan, amount, bound);
        let last = self.splat_int(ty, width - 1);
        // All sign bits by the largest shift; otherwise what is outside becomes 0 below.
        let amount = if arithmetic { self.b.ins().select(inside, amount, last) } else { amount };
        let shifted = self.each(x, x.dtype, |l, part| match op {
            ScalarOp::Shl => l.b.ins().ishl(part, amount),
            _ if arithmetic => l.b.ins().sshr(part, amount),
            _ => l.b.ins().ushr(part, amount),
        });
        if arithmetic {
            return shifted;
        }
        // The same for all lanes: a mask of all bits or none.
        let ones = self.splat_int(ty, -1);
        let none = self.splat_int(ty, 0);
        let mask = self.b.ins().select(inside, ones, none);
        let kept = self.each(shifted, x.dtype, |l, part| {
            let whole = l.b.func.dfg.value_type(part);
            let mask = if whole.is_vector() { l.b.ins().splat(whole, mask) } else { mask };
            l.b.ins().band(part, mask)
        });
        self.wrapped(kept)
    }

    fn bitcast(&mut self, x: Val, to: DType) -> Val {
        use DType::{Bf16, Bool, F16, F32, F64, I32, I64, U8, U32};
        match (x.dtype, to) {
            (F16, Bf16) | (Bf16, F16) => self.each(x, to, |l, part| {
                let raw = l.half_bits(x.dtype, part);
                l.half_value(to, raw)
            }),
            (Bool | U8, U8 | Bool) => self.cast(x, to),
            (I32 | U32, F32) | (I64, F64) => self.each(x, to, |l, part| l.float_of(part)),
            (F32, I32 | U32) | (F64, I64) => self.each(x, to, |l, part| l.bits_of(part)),
            _ => Val { dtype: to, ..x },
        }
    }
}
