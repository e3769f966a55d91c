//! Values in registers: one element, or four neighbours in vectors of 128 bits.
//!
//! A bool is 0 or 1 in an `i8`, or a mask of 32-bit lanes; `u8` lives zero-extended in 32 bits; f16 and bf16 live as
//! the `f32` of the same value; 64-bit elements take two vectors. Invariant: what a register holds is in the range of
//! its dtype (a `u8` is below 256, a half is exact).

use super::super::call::Helpers;
use crate::base::{DType, Literal};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::immediates::V128Imm;
use cranelift_codegen::ir::types::{F32, F32X4, F64, F64X2, I8, I8X16, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{ConstantData, Endianness, FuncRef, InstBuilder, MemFlagsData, Type, Value};
use cranelift_frontend::FunctionBuilder;

/// Elements in a vector value.
pub(in crate::backends::cpu) const WIDTH: i64 = 4;

/// A value of a dtype: one element, or four in one vector (in two if they have 64 bits).
#[derive(Clone, Copy, Debug)]
pub(in crate::backends::cpu) struct Val {
    pub(in crate::backends::cpu) dtype: DType,
    /// Whether it is four elements.
    pub(in crate::backends::cpu) wide: bool,
    /// The second is the first again unless it is four elements of 64 bits.
    pub(in crate::backends::cpu) parts: [Value; 2],
}

impl Val {
    /// Of one register.
    pub(in crate::backends::cpu) fn new(dtype: DType, wide: bool, value: Value) -> Self {
        Self { dtype, wide, parts: [value, value] }
    }

    /// One element.
    pub(in crate::backends::cpu) fn one(dtype: DType, value: Value) -> Self {
        Self::new(dtype, false, value)
    }

    /// The register of one element.
    pub(in crate::backends::cpu) fn only(self) -> Value {
        self.parts[0]
    }

    fn double(self) -> bool {
        self.wide && bits(self.dtype) == 64
    }
}

/// Bits in a register per element.
pub(super) fn bits(dtype: DType) -> u32 {
    if matches!(dtype, DType::I64 | DType::F64) { 64 } else { 32 }
}

/// The register type of one element.
pub(in crate::backends::cpu) fn single(dtype: DType) -> Type {
    match dtype {
        DType::Bool => I8,
        DType::U8 | DType::U32 | DType::I32 => I32,
        DType::I64 => I64,
        DType::F16 | DType::Bf16 | DType::F32 => F32,
        DType::F64 => F64,
    }
}

/// The register type of (half of) four elements.
pub(super) fn vector(dtype: DType) -> Type {
    match dtype {
        DType::Bool | DType::U8 | DType::U32 | DType::I32 => I32X4,
        DType::I64 => I64X2,
        DType::F16 | DType::Bf16 | DType::F32 => F32X4,
        DType::F64 => F64X2,
    }
}

/// The integer vector of the same lanes.
fn integer(of: Type) -> Type {
    match of {
        F32X4 => I32X4,
        F64X2 => I64X2,
        F32 => I32,
        F64 => I64,
        other => other,
    }
}

/// Code under construction, in terms of values of elements.
pub(in crate::backends::cpu) struct Lanes<'f> {
    pub(in crate::backends::cpu) b: FunctionBuilder<'f>,
    /// Functions outside of the kernel, declared in this one on first use.
    pub(in crate::backends::cpu) helpers: Helpers,
    pub(super) fmod: [Option<FuncRef>; 2],
}

/// Lanes change their number with a fixed byte order.
pub(super) fn reinterpreted() -> MemFlagsData {
    MemFlagsData::new().with_endianness(Endianness::Little)
}

impl<'f> Lanes<'f> {
    /// Begins with nothing in it.
    pub(in crate::backends::cpu) fn new(b: FunctionBuilder<'f>, helpers: Helpers) -> Self {
        Self { b, helpers, fmod: [None; 2] }
    }

    /// An `i64`.
    pub(in crate::backends::cpu) fn number(&mut self, value: i64) -> Value {
        self.b.ins().iconst(I64, value)
    }

    /// The register of one element, of these bits.
    pub(in crate::backends::cpu) fn constant(&mut self, literal: Literal) -> Val {
        let ty = single(literal.dtype);
        let value = match literal.dtype {
            DType::Bool => self.b.ins().iconst(ty, i64::from(literal.bits != 0)),
            DType::U8 | DType::U32 => self.b.ins().iconst(ty, literal.bits as i64),
            DType::I32 | DType::I64 => self.b.ins().iconst(ty, literal.to_i64()),
            DType::F16 | DType::Bf16 => self.b.ins().f32const(literal.to_f64() as f32),
            DType::F32 => self.b.ins().f32const(f32::from_bits(literal.bits as u32)),
            DType::F64 => self.b.ins().f64const(f64::from_bits(literal.bits)),
        };
        Val::one(literal.dtype, value)
    }

    /// A constant in a register of this type, lane by lane.
    pub(super) fn splat_int(&mut self, ty: Type, value: i64) -> Value {
        if ty.is_vector() {
            let one = self.b.ins().iconst(ty.lane_type(), value);
            self.b.ins().splat(ty, one)
        } else {
            self.b.ins().iconst(ty, value)
        }
    }

    /// Likewise of floats.
    pub(super) fn splat_float(&mut self, ty: Type, value: f64) -> Value {
        let one = match ty.lane_type() {
            F32 => self.b.ins().f32const(value as f32),
            _ => self.b.ins().f64const(value),
        };
        if ty.is_vector() { self.b.ins().splat(ty, one) } else { one }
    }

    /// A vector of these bytes.
    pub(super) fn vector_constant(&mut self, ty: Type, bytes: [u8; 16]) -> Value {
        let constant = self.b.func.dfg.constants.insert(ConstantData::from(V128Imm(bytes)));
        self.b.ins().vconst(ty, constant)
    }

    /// The same value four times, unless it is four already.
    pub(in crate::backends::cpu) fn widen(&mut self, val: Val) -> Val {
        if val.wide {
            return val;
        }
        let one = if val.dtype == DType::Bool { self.mask_of(val.only()) } else { val.only() };
        let all = self.b.ins().splat(vector(val.dtype), one);
        Val::new(val.dtype, true, all)
    }

    /// 0 or 1 as no or all bits of an `i32`.
    fn mask_of(&mut self, flag: Value) -> Value {
        let wide = self.b.ins().uextend(I32, flag);
        self.b.ins().ineg(wide)
    }

    /// Element `lane` of four.
    pub(in crate::backends::cpu) fn lane(&mut self, val: Val, lane: usize) -> Val {
        if !val.wide {
            return val;
        }
        let (part, at) = if val.double() { (val.parts[lane / 2 % 2], lane % 2) } else { (val.parts[0], lane) };
        let one = self.b.ins().extractlane(part, at as u8);
        let one = if val.dtype == DType::Bool { self.b.ins().icmp_imm_s(IntCC::NotEqual, one, 0) } else { one };
        Val::one(val.dtype, one)
    }

    /// Four elements from one each.
    pub(in crate::backends::cpu) fn gather(&mut self, ones: [Val; 4]) -> Val {
        let dtype = ones[0].dtype;
        let ty = vector(dtype);
        let values = ones.map(|one| if dtype == DType::Bool { self.mask_of(one.only()) } else { one.only() });
        let mut build = |values: &[Value]| {
            let mut sum: Option<Value> = None;
            for (at, &value) in values.iter().enumerate() {
                sum = Some(match sum {
                    None => self.b.ins().scalar_to_vector(ty, value),
                    Some(sum) => self.b.ins().insertlane(sum, value, at as u8),
                });
            }
            sum
        };
        let [a, b, c, d] = values;
        let parts = if bits(dtype) == 64 {
            [build(&[a, b]), build(&[c, d])]
        } else {
            let all = build(&values);
            [all, all]
        };
        Val { dtype, wide: true, parts: parts.map(|part| part.unwrap_or(a)) }
    }

    /// Each register through `f`.
    pub(super) fn each(&mut self, val: Val, dtype: DType, mut f: impl FnMut(&mut Self, Value) -> Value) -> Val {
        let first = f(self, val.parts[0]);
        let second = if val.double() { f(self, val.parts[1]) } else { first };
        Val { dtype, wide: val.wide, parts: [first, second] }
    }

    /// Each pair of registers through `f`.
    pub(super) fn both(&mut self, x: Val, y: Val, mut f: impl FnMut(&mut Self, Value, Value) -> Value) -> Val {
        let first = f(self, x.parts[0], y.parts[0]);
        let second = if x.double() { f(self, x.parts[1], y.parts[1]) } else { first };
        Val { dtype: x.dtype, wide: x.wide, parts: [first, second] }
    }

    /// The bools that a comparison of two values gave, register by register.
    pub(super) fn bools(&mut self, of: Val, parts: [Value; 2]) -> Val {
        let one = if of.double() { self.pack(parts) } else { parts[0] };
        Val::new(DType::Bool, of.wide, one)
    }

    /// The low halves of the 64-bit lanes of two vectors, as `i32`s.
    pub(super) fn pack(&mut self, parts: [Value; 2]) -> Value {
        let [low, high] = parts.map(|part| self.b.ins().bitcast(I8X16, reinterpreted(), part));
        let packed = self.shuffle(low, high, [0, 2, 4, 6]);
        self.b.ins().bitcast(I32X4, reinterpreted(), packed)
    }

    /// 32-bit lanes by number, those of the second operand from 4 on; of and into `i8x16`.
    pub(super) fn shuffle(&mut self, low: Value, high: Value, lanes: [u8; 4]) -> Value {
        let mut bytes = [0u8; 16];
        for (at, byte) in bytes.iter_mut().enumerate() {
            let lane = lanes.get(at / 4).copied().unwrap_or(0);
            *byte = lane * 4 + (at % 4) as u8;
        }
        let mask = self.b.func.dfg.immediates.push(ConstantData::from(V128Imm(bytes)));
        self.b.ins().shuffle(low, high, mask)
    }

    /// The elements in the opposite order.
    pub(super) fn reverse(&mut self, val: Val) -> Val {
        let ty = vector(val.dtype);
        let order = if val.double() { [2, 3, 0, 1] } else { [3, 2, 1, 0] };
        let turned = self.each(val, val.dtype, |l, part| {
            let bytes = l.b.ins().bitcast(I8X16, reinterpreted(), part);
            let turned = l.shuffle(bytes, bytes, order);
            l.b.ins().bitcast(ty, reinterpreted(), turned)
        });
        if val.double() { Val { parts: [turned.parts[1], turned.parts[0]], ..turned } } else { turned }
    }

    /// Bit by bit, where the mask (of the integer type of the lanes) is set `x`, else `y`.
    pub(super) fn blend(&mut self, mask: Value, x: Value, y: Value) -> Value {
        let ty = self.b.func.dfg.value_type(x);
        if !ty.is_vector() {
            return self.b.ins().select(mask, x, y);
        }
        let whole = integer(ty);
        if whole == ty {
            return self.b.ins().bitselect(mask, x, y);
        }
        let mask = self.b.ins().bitcast(ty, MemFlagsData::new(), mask);
        self.b.ins().bitselect(mask, x, y)
    }

    /// `if condition { x } else { y }` of whole values.
    pub(super) fn select(&mut self, condition: Val, x: Val, y: Val) -> Val {
        if !condition.wide && !x.wide && !y.wide {
            let one = self.b.ins().select(condition.only(), x.only(), y.only());
            return Val::one(x.dtype, one);
        }
        let (condition, x, y) = (self.widen(condition), self.widen(x), self.widen(y));
        let masks = if bits(x.dtype) == 64 {
            [self.b.ins().swiden_low(condition.only()), self.b.ins().swiden_high(condition.only())]
        } else {
            condition.parts
        };
        let mut masks = masks.into_iter();
        self.both(x, y, |l, x, y| {
            let mask = masks.next().unwrap_or(condition.only());
            l.blend(mask, x, y)
        })
    }

    /// The bits of a float register as integers, and back.
    pub(super) fn bits_of(&mut self, x: Value) -> Value {
        let ty = integer(self.b.func.dfg.value_type(x));
        self.b.ins().bitcast(ty, MemFlagsData::new(), x)
    }

    /// The floats of these bits.
    pub(super) fn float_of(&mut self, x: Value) -> Value {
        let ty = match self.b.func.dfg.value_type(x) {
            I32X4 => F32X4,
            I64X2 => F64X2,
            I64 => F64,
            _ => F32,
        };
        self.b.ins().bitcast(ty, MemFlagsData::new(), x)
    }
}
