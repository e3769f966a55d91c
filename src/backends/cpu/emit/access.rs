//! Elements from memory to registers and back, one or four neighbours.
//!
//! Invariant: exactly the bytes of the elements are touched.

use super::lanes::{Lanes, Val, bits, reinterpreted, single, vector};
use crate::base::DType;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I8X16, I16X8, I32, I32X4, I64, I64X2};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};

/// An address with a constant to be added.
pub(in crate::backends::cpu) type Place = (Value, i32);

/// What memory holds is there; elements lie at multiples of their size, vectors need not.
fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl Lanes<'_> {
    /// The element at a place.
    pub(in crate::backends::cpu) fn load_one(&mut self, dtype: DType, (address, offset): Place) -> Val {
        let value = match dtype {
            DType::Bool => self.b.ins().load(I8, flags(), address, offset),
            DType::U8 => self.b.ins().uload8(I32, flags(), address, offset),
            DType::F16 | DType::Bf16 => {
                let raw = self.b.ins().uload16(I32, flags(), address, offset);
                self.half_value(dtype, raw)
            }
            _ => self.b.ins().load(single(dtype), flags(), address, offset),
        };
        Val::one(dtype, value)
    }

    /// The element at a place and the three after it.
    pub(in crate::backends::cpu) fn load_four(&mut self, dtype: DType, (address, offset): Place) -> Val {
        match dtype {
            DType::Bool | DType::U8 => {
                let raw = self.b.ins().load(I32, flags(), address, offset);
                let raw = self.b.ins().scalar_to_vector(I32X4, raw);
                let raw = self.b.ins().bitcast(I8X16, reinterpreted(), raw);
                let wider = self.b.ins().uwiden_low(raw);
                let widest = self.b.ins().uwiden_low(wider);
                if dtype == DType::U8 {
                    return Val::new(dtype, true, widest);
                }
                let zero = self.splat_int(I32X4, 0);
                let mask = self.b.ins().icmp(IntCC::NotEqual, widest, zero);
                Val::new(dtype, true, mask)
            }
            DType::F16 | DType::Bf16 => {
                let raw = self.b.ins().uload16x4(flags(), address, offset);
                let value = self.half_value(dtype, raw);
                Val::new(dtype, true, value)
            }
            _ => {
                let ty = vector(dtype);
                let first = self.b.ins().load(ty, flags(), address, offset);
                let second = match bits(dtype) {
                    64 => self.b.ins().load(ty, flags(), address, offset.wrapping_add(16)),
                    _ => first,
                };
                Val { dtype, wide: true, parts: [first, second] }
            }
        }
    }

    /// Puts one element at a place.
    pub(in crate::backends::cpu) fn store_one(&mut self, val: Val, (address, offset): Place) {
        let value = val.only();
        match val.dtype {
            DType::U8 => self.b.ins().istore8(flags(), value, address, offset),
            DType::F16 | DType::Bf16 => {
                let raw = self.half_bits(val.dtype, value);
                self.b.ins().istore16(flags(), raw, address, offset)
            }
            _ => self.b.ins().store(flags(), value, address, offset),
        };
    }

    /// Puts four elements at a place and after it.
    pub(in crate::backends::cpu) fn store_four(&mut self, val: Val, (address, offset): Place) {
        match val.dtype {
            DType::Bool | DType::U8 => {
                let bytes = if val.dtype == DType::Bool { self.zero_or_one(val) } else { val.only() };
                let narrow = self.b.ins().unarrow(bytes, bytes);
                let narrow = self.b.ins().unarrow(narrow, narrow);
                let words = self.b.ins().bitcast(I32X4, reinterpreted(), narrow);
                let word = self.b.ins().extractlane(words, 0);
                self.b.ins().store(flags(), word, address, offset);
            }
            DType::F16 | DType::Bf16 => {
                let raw = self.half_bits(val.dtype, val.only());
                let narrow = self.narrow_words(raw);
                let words = self.b.ins().bitcast(I64X2, reinterpreted(), narrow);
                let word = self.b.ins().extractlane(words, 0);
                self.b.ins().store(flags(), word, address, offset);
            }
            _ => {
                self.b.ins().store(flags(), val.parts[0], address, offset);
                if bits(val.dtype) == 64 {
                    self.b.ins().store(flags(), val.parts[1], address, offset.wrapping_add(16));
                }
            }
        }
    }

    /// `i32` lanes of 16 bits each as `i16` lanes, twice.
    fn narrow_words(&mut self, raw: Value) -> Value {
        let narrow = self.b.ins().unarrow(raw, raw);
        debug_assert_eq!(self.b.func.dfg.value_type(narrow), I16X8);
        narrow
    }

    /// A machine word from the tables that the kernel is called with.
    pub(in crate::backends::cpu) fn load_word(&mut self, (address, offset): Place) -> Value {
        self.b.ins().load(I64, flags().with_readonly().with_can_move(), address, offset)
    }
}
