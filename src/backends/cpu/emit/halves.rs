//! f16 and bf16 in `f32` registers: rounding to them, and their 16 bits from and to memory.
//!
//! All without branches, over one `f32` or four, in integer arithmetic: nearest, ties to even, subnormals exact,
//! NaN stays NaN and is quiet. Invariant: a half in a register is the `f32` of exactly its value.

use super::lanes::Lanes;
use crate::base::DType;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};

/// The bits of the `f32` 0.5: there the last place is 2^-24, the least f16.
const HALF: i64 = 0x3f00_0000;
/// The bits of 2^-14, the least normal f16.
const NORMAL: i64 = 0x3880_0000;
/// What the exponent fields of f32 and f16 differ by, in place.
const REBIAS: i64 = 112 << 23;
const INFINITY: i64 = 0x7f80_0000;
const QUIET: i64 = 0x0040_0000;

impl Lanes<'_> {
    fn imm(&mut self, like: Value, value: i64) -> Value {
        let ty = self.b.func.dfg.value_type(like);
        self.splat_int(ty, value)
    }

    fn band_const(&mut self, x: Value, mask: i64) -> Value {
        let mask = self.imm(x, mask);
        self.b.ins().band(x, mask)
    }

    fn bor_const(&mut self, x: Value, mask: i64) -> Value {
        let mask = self.imm(x, mask);
        self.b.ins().bor(x, mask)
    }

    fn add_const(&mut self, x: Value, value: i64) -> Value {
        let value = self.imm(x, value);
        self.b.ins().iadd(x, value)
    }

    /// A comparison with a constant; both are non-negative as `i32`.
    fn above(&mut self, x: Value, bound: i64) -> Value {
        let bound = self.imm(x, bound);
        self.b.ins().icmp(IntCC::SignedGreaterThan, x, bound)
    }

    /// Bits of `|x|` as `i32` plus the bits of the float 0.5 -> the float sum's bits.
    fn plus_half(&mut self, magnitude: Value, sign: f64) -> Value {
        let float = self.float_of(magnitude);
        let ty = self.b.func.dfg.value_type(float);
        let half = self.splat_float(ty, sign * 0.5);
        let sum = self.b.ins().fadd(float, half);
        self.bits_of(sum)
    }

    /// The nearest value of the half dtype, of `f32`s.
    pub(super) fn round_half(&mut self, dtype: DType, x: Value) -> Value {
        let raw = self.bits_of(x);
        let magnitude = self.band_const(raw, 0x7fff_ffff);
        let sign = self.b.ins().bxor(raw, magnitude);
        let drop = if dtype == DType::F16 { 13 } else { 16 };
        let shifted = self.b.ins().ushr_imm_u(magnitude, drop);
        let odd = self.band_const(shifted, 1);
        let rounded = self.add_const(magnitude, (1 << (drop - 1)) - 1);
        let rounded = self.b.ins().iadd(rounded, odd);
        let mut rounded = self.band_const(rounded, -(1 << drop));
        if dtype == DType::F16 {
            let infinity = self.imm(rounded, INFINITY);
            // 65536 and more, what 65520 rounds to.
            let over = self.above(rounded, 0x477f_ffff);
            rounded = self.blend(over, infinity, rounded);
            let up = self.plus_half(magnitude, 1.0);
            let small = self.plus_half(up, -1.0);
            let normal = self.above(magnitude, NORMAL - 1);
            rounded = self.blend(normal, rounded, small);
        }
        let nan = self.above(magnitude, INFINITY);
        let quiet = self.bor_const(magnitude, QUIET);
        let quiet = self.band_const(quiet, -(1 << drop));
        let magnitude = self.blend(nan, quiet, rounded);
        let all = self.b.ins().bor(magnitude, sign);
        self.float_of(all)
    }

    /// The 16 bits (in `i32`s) of halves in `f32` registers.
    pub(super) fn half_bits(&mut self, dtype: DType, x: Value) -> Value {
        let raw = self.bits_of(x);
        if dtype == DType::Bf16 {
            return self.b.ins().ushr_imm_u(raw, 16);
        }
        let magnitude = self.band_const(raw, 0x7fff_ffff);
        let sign = self.b.ins().bxor(raw, magnitude);
        let sign = self.b.ins().ushr_imm_u(sign, 16);
        let normal = self.add_const(magnitude, -REBIAS);
        let normal = self.b.ins().ushr_imm_u(normal, 13);
        let small = self.plus_half(magnitude, 1.0);
        let small = self.add_const(small, -HALF);
        let large = self.above(magnitude, INFINITY - 1);
        let special = self.b.ins().ushr_imm_u(magnitude, 13);
        let special = self.band_const(special, 0x3ff);
        let special = self.bor_const(special, 0x7c00);
        let is_normal = self.above(magnitude, NORMAL - 1);
        let bits = self.blend(is_normal, normal, small);
        let bits = self.blend(large, special, bits);
        self.b.ins().bor(bits, sign)
    }

    /// The `f32`s of 16 bits (in `i32`s).
    pub(super) fn half_value(&mut self, dtype: DType, bits: Value) -> Value {
        if dtype == DType::Bf16 {
            let raw = self.b.ins().ishl_imm_u(bits, 16);
            return self.float_of(raw);
        }
        let magnitude = self.band_const(bits, 0x7fff);
        let sign = self.b.ins().bxor(bits, magnitude);
        let sign = self.b.ins().ishl_imm_u(sign, 16);
        let wide = self.b.ins().ishl_imm_u(magnitude, 13);
        let normal = self.add_const(wide, REBIAS);
        let special = self.bor_const(wide, INFINITY);
        let small = self.add_const(magnitude, HALF);
        let small = self.plus_half(small, -1.0);
        let is_normal = self.above(magnitude, 0x3ff);
        let is_special = self.above(magnitude, 0x7bff);
        let raw = self.blend(is_normal, normal, small);
        let raw = self.blend(is_special, special, raw);
        let raw = self.b.ins().bor(raw, sign);
        self.float_of(raw)
    }
}
