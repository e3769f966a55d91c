//! f16 and bf16 in `f32` registers: rounding to them, and their 16 bits from and to memory, in integer arithmetic.
//!
//! Nearest, ties to even, subnormals exact, NaN stays NaN and is quiet. Invariant: a half in a register is the `f32` of
//! exactly its value.

use super::writer::{Class, Writer};
use crate::base::DType;

/// The bits of the `f32` 0.5: there the last place is 2^-24, the least f16.
const HALF: &str = "0x3f000000";

impl Writer {
    fn word(&mut self, op: &str, a: &str, b: &str) -> String {
        self.make(Class::Word, op, &[a, b])
    }

    /// The bits of an f32.
    pub(super) fn bits(&mut self, x: &str) -> String {
        self.make(Class::Word, "mov.b32", &[x])
    }

    /// The f32 of these bits.
    pub(super) fn single(&mut self, x: &str) -> String {
        self.make(Class::Single, "mov.b32", &[x])
    }

    /// `a` where `x > bound` (both non-negative as s32), else `b`.
    fn above(&mut self, x: &str, bound: &str, a: &str, b: &str) -> String {
        let above = self.make(Class::Pred, "setp.gt.s32", &[x, bound]);
        self.make(Class::Word, "selp.b32", &[a, b, &above])
    }

    /// The bits of the float with the bits `x` plus `half` (0.5 or -0.5).
    fn plus_half(&mut self, x: &str, half: &str) -> String {
        let float = self.single(x);
        let sum = self.make(Class::Single, "add.rn.f32", &[&float, half]);
        self.bits(&sum)
    }

    /// The nearest value of the half dtype.
    pub(super) fn round_half(&mut self, dtype: DType, x: &str) -> String {
        let raw = self.bits(x);
        let magnitude = self.word("and.b32", &raw, "0x7fffffff");
        let sign = self.word("xor.b32", &raw, &magnitude);
        let (drop, most, mask) =
            if dtype == DType::F16 { ("13", "0xfff", "0xffffe000") } else { ("16", "0x7fff", "0xffff0000") };
        let shifted = self.word("shr.u32", &magnitude, drop);
        let odd = self.word("and.b32", &shifted, "1");
        let rounded = self.word("add.s32", &magnitude, most);
        let rounded = self.word("add.s32", &rounded, &odd);
        let mut rounded = self.word("and.b32", &rounded, mask);
        if dtype == DType::F16 {
            // 65536 and more, what 65520 rounds to.
            rounded = self.above(&rounded.clone(), "0x477fffff", "0x7f800000", &rounded);
            let up = self.plus_half(&magnitude, "0f3F000000");
            let small = self.plus_half(&up, "0fBF000000");
            rounded = self.above(&magnitude, "0x387fffff", &rounded, &small);
        }
        let quiet = self.word("or.b32", &magnitude, "0x00400000");
        let quiet = self.word("and.b32", &quiet, mask);
        let magnitude = self.above(&magnitude.clone(), "0x7f800000", &quiet, &rounded);
        let all = self.word("or.b32", &magnitude, &sign);
        self.single(&all)
    }

    /// The 16 bits of a half in an f32 register.
    pub(super) fn half_bits(&mut self, dtype: DType, x: &str) -> String {
        let raw = self.bits(x);
        if dtype == DType::Bf16 {
            return self.word("shr.u32", &raw, "16");
        }
        let magnitude = self.word("and.b32", &raw, "0x7fffffff");
        let sign = self.word("xor.b32", &raw, &magnitude);
        let sign = self.word("shr.u32", &sign, "16");
        let normal = self.word("sub.s32", &magnitude, "0x38000000");
        let normal = self.word("shr.u32", &normal, "13");
        let small = self.plus_half(&magnitude, "0f3F000000");
        let small = self.word("sub.s32", &small, HALF);
        let special = self.word("shr.u32", &magnitude, "13");
        let special = self.word("and.b32", &special, "0x3ff");
        let special = self.word("or.b32", &special, "0x7c00");
        let bits = self.above(&magnitude, "0x387fffff", &normal, &small);
        let bits = self.above(&magnitude, "0x7f7fffff", &special, &bits);
        self.word("or.b32", &bits, &sign)
    }

    /// The f32 of 16 bits.
    pub(super) fn half_value(&mut self, dtype: DType, bits: &str) -> String {
        if dtype == DType::Bf16 {
            let raw = self.word("shl.b32", bits, "16");
            return self.single(&raw);
        }
        let magnitude = self.word("and.b32", bits, "0x7fff");
        let sign = self.word("xor.b32", bits, &magnitude);
        let sign = self.word("shl.b32", &sign, "16");
        let wide = self.word("shl.b32", &magnitude, "13");
        let normal = self.word("add.s32", &wide, "0x38000000");
        let special = self.word("or.b32", &wide, "0x7f800000");
        let small = self.word("add.s32", &magnitude, HALF);
        let small = self.plus_half(&small, "0fBF000000");
        let raw = self.above(&magnitude, "0x3ff", &normal, &small);
        let raw = self.above(&magnitude, "0x7bff", &special, &raw);
        let raw = self.word("or.b32", &raw, &sign);
        self.single(&raw)
    }
}
