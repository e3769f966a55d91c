//! Conversions between dtypes.
//!
//! Float to int saturates and makes NaN 0; int to int wraps; to float rounds to nearest even, to halves by way of
//! `f32`; to bool is `!= 0`. Invariant: the same bits for one element and for four.

use super::lanes::{Lanes, Val, reinterpreted};
use crate::base::DType;
use crate::ops::scalar::ScalarOp;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I8X16, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{BlockArg, InstBuilder, Value};

/// Within plus or minus this, an integer in an f64 is found in its low bits after adding `SHIFTER`.
const SHIFTABLE: f64 = 2_251_799_813_685_248.0;
/// 1.5 * 2^52.
const SHIFTER: f64 = 6_755_399_441_055_744.0;

impl Lanes<'_> {
    /// The value as another dtype.
    pub(in crate::backends::cpu) fn cast(&mut self, x: Val, to: DType) -> Val {
        use DType::{Bf16, Bool, F16, F32, F64, I64};
        if x.dtype == to {
            return x;
        }
        match (x.dtype, to) {
            (_, Bool) => self.nonzero(x),
            (Bool, _) => {
                let bits = self.zero_or_one(x);
                let counted = Val::new(DType::I32, x.wide, bits);
                if to == DType::I32 { counted } else { self.cast(counted, to) }
            }
            (F64, F16 | Bf16) => {
                let single = self.cast(x, F32);
                self.cast(single, to)
            }
            (F16 | Bf16 | F32, F16 | Bf16) => self.each(x, to, |l, part| l.round_half(to, part)),
            (F16 | Bf16, F32) => Val { dtype: F32, ..x },
            (F16 | Bf16 | F32, F64) => self.promote(x),
            (F64, F32) => self.demote(x),
            (F64, _) => self.double_to_int(x, to),
            (F16 | Bf16 | F32, _) => self.single_to_int(x, to),
            (_, F64) => self.int_to_double(x),
            (_, F32) => self.int_to_single(x),
            (_, F16 | Bf16) => {
                let single = self.cast(x, F32);
                self.cast(single, to)
            }
            (I64, _) => {
                let low = match x.wide {
                    true => self.pack(x.parts),
                    false => self.b.ins().ireduce(I32, x.only()),
                };
                self.wrapped(Val::new(to, x.wide, low))
            }
            (_, I64) => self.widen_int(x),
            _ => self.wrapped(Val { dtype: to, ..x }),
        }
    }

    fn nonzero(&mut self, x: Val) -> Val {
        let compared = self.each(x, x.dtype, |l, part| {
            let ty = l.b.func.dfg.value_type(part);
            if x.dtype.is_float() {
                let zero = l.splat_float(ty, 0.0);
                l.b.ins().fcmp(FloatCC::NotEqual, part, zero)
            } else {
                let zero = l.splat_int(ty, 0);
                l.b.ins().icmp(IntCC::NotEqual, part, zero)
            }
        });
        self.bools(x, compared.parts)
    }

    /// A bool as 0 or 1 in 32-bit lanes.
    pub(super) fn zero_or_one(&mut self, x: Val) -> Value {
        if x.wide {
            let one = self.splat_int(I32X4, 1);
            self.b.ins().band(x.only(), one)
        } else {
            self.b.ins().uextend(I32, x.only())
        }
    }

    /// Lanes 2 and 3 in the place of 0 and 1.
    fn high_half(&mut self, x: Value) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        let bytes = self.b.ins().bitcast(I8X16, reinterpreted(), x);
        let moved = self.shuffle(bytes, bytes, [2, 3, 2, 3]);
        self.b.ins().bitcast(ty, reinterpreted(), moved)
    }

    fn promote(&mut self, x: Val) -> Val {
        if !x.wide {
            return Val::one(DType::F64, self.b.ins().fpromote(F64, x.only()));
        }
        let low = self.b.ins().fvpromote_low(x.only());
        let high = self.high_half(x.only());
        let high = self.b.ins().fvpromote_low(high);
        Val { dtype: DType::F64, wide: true, parts: [low, high] }
    }

    fn demote(&mut self, x: Val) -> Val {
        if !x.wide {
            return Val::one(DType::F32, self.b.ins().fdemote(F32, x.only()));
        }
        let halves = x.parts.map(|part| {
            let half = self.b.ins().fvdemote(part);
            self.b.ins().bitcast(I8X16, reinterpreted(), half)
        });
        let all = self.shuffle(halves[0], halves[1], [0, 1, 4, 5]);
        Val::new(DType::F32, true, self.b.ins().bitcast(F32X4, reinterpreted(), all))
    }

    fn lane_by_lane(&mut self, x: Val, to: DType) -> Val {
        let ones = [0, 1, 2, 3].map(|lane| {
            let one = self.lane(x, lane);
            self.op(ScalarOp::Cast(to), &[one])
        });
        self.gather(ones)
    }

    fn single_to_int(&mut self, x: Val, to: DType) -> Val {
        let ty = if x.wide { I32X4 } else { I32 };
        let value = match to {
            DType::I64 if x.wide => {
                let double = self.promote(x);
                return self.double_to_int(double, to);
            }
            DType::I64 => self.b.ins().fcvt_to_sint_sat(I64, x.only()),
            DType::I32 => self.b.ins().fcvt_to_sint_sat(ty, x.only()),
            DType::U8 => {
                // The signed one is cheaper in vectors, and as good below 256.
                let value = self.b.ins().fcvt_to_sint_sat(ty, x.only());
                let (zero, most) = (self.splat_int(ty, 0), self.splat_int(ty, 255));
                let value = self.b.ins().smax(value, zero);
                self.b.ins().smin(value, most)
            }
            _ => self.b.ins().fcvt_to_uint_sat(ty, x.only()),
        };
        Val::new(to, x.wide, value)
    }

    fn double_to_int(&mut self, x: Val, to: DType) -> Val {
        if x.wide {
            return if to == DType::I64 { self.doubles_to_longs(x) } else { self.lane_by_lane(x, to) };
        }
        let value = match to {
            DType::I64 => self.b.ins().fcvt_to_sint_sat(I64, x.only()),
            DType::I32 => self.b.ins().fcvt_to_sint_sat(I32, x.only()),
            _ => self.b.ins().fcvt_to_uint_sat(I32, x.only()),
        };
        if to == DType::U8 {
            let most = self.splat_int(I32, 255);
            return Val::one(to, self.b.ins().umin(value, most));
        }
        Val::one(to, value)
    }

    /// Four at once as long as all are of moderate size, which they are wherever formulas ask.
    fn doubles_to_longs(&mut self, x: Val) -> Val {
        let [fast, slow, done] = [0; 3].map(|_| self.b.create_block());
        let bound = self.splat_float(F64X2, SHIFTABLE);
        let fits = x.parts.map(|part| {
            let magnitude = self.b.ins().fabs(part);
            self.b.ins().fcmp(FloatCC::LessThan, magnitude, bound)
        });
        let fits = self.b.ins().band(fits[0], fits[1]);
        let fits = self.b.ins().vall_true(fits);
        self.b.ins().brif(fits, fast, &[], slow, &[]);
        self.b.switch_to_block(fast);
        self.b.seal_block(fast);
        let shifter = self.splat_float(F64X2, SHIFTER);
        let base = self.bits_of(shifter);
        let quick = x.parts.map(|part| {
            let whole = self.b.ins().trunc(part);
            let shifted = self.b.ins().fadd(whole, shifter);
            let raw = self.bits_of(shifted);
            BlockArg::from(self.b.ins().isub(raw, base))
        });
        self.b.ins().jump(done, &quick);
        self.b.switch_to_block(slow);
        self.b.seal_block(slow);
        let general = self.lane_by_lane(x, DType::I64).parts.map(BlockArg::from);
        self.b.ins().jump(done, &general);
        self.b.switch_to_block(done);
        let parts = [self.b.append_block_param(done, I64X2), self.b.append_block_param(done, I64X2)];
        self.b.seal_block(done);
        Val { dtype: DType::I64, wide: true, parts }
    }

    fn int_to_double(&mut self, x: Val) -> Val {
        if x.dtype == DType::I64 {
            let ty = if x.wide { F64X2 } else { F64 };
            return self.each(x, DType::F64, |l, part| l.b.ins().fcvt_from_sint(ty, part));
        }
        let unsigned = x.dtype == DType::U32;
        if !x.wide {
            let value = if unsigned {
                self.b.ins().fcvt_from_uint(F64, x.only())
            } else {
                self.b.ins().fcvt_from_sint(F64, x.only())
            };
            return Val::one(DType::F64, value);
        }
        let high = self.high_half(x.only());
        let parts = [x.only(), high].map(|half| {
            if unsigned {
                let wide = self.b.ins().uwiden_low(half);
                self.b.ins().fcvt_from_uint(F64X2, wide)
            } else {
                let wide = self.b.ins().swiden_low(half);
                self.b.ins().fcvt_from_sint(F64X2, wide)
            }
        });
        Val { dtype: DType::F64, wide: true, parts }
    }

    fn int_to_single(&mut self, x: Val) -> Val {
        if x.dtype == DType::I64 && x.wide {
            return self.lane_by_lane(x, DType::F32);
        }
        let ty = if x.wide { F32X4 } else { F32 };
        let value = if x.dtype == DType::U32 {
            self.b.ins().fcvt_from_uint(ty, x.only())
        } else {
            self.b.ins().fcvt_from_sint(ty, x.only())
        };
        Val::new(DType::F32, x.wide, value)
    }

    fn widen_int(&mut self, x: Val) -> Val {
        let signed = x.dtype == DType::I32;
        let value = x.only();
        let parts = match (x.wide, signed) {
            (false, true) => [self.b.ins().sextend(I64, value); 2],
            (false, false) => [self.b.ins().uextend(I64, value); 2],
            (true, true) => [self.b.ins().swiden_low(value), self.b.ins().swiden_high(value)],
            (true, false) => [self.b.ins().uwiden_low(value), self.b.ins().uwiden_high(value)],
        };
        Val { dtype: DType::I64, wide: x.wide, parts }
    }
}
