//! The frame of every kernel function: its arguments, and the loop over rows of points.
//!
//! A function does the points of a rectangle: rows (all parallel loops but the innermost, as one number) times
//! columns (the innermost loop). Invariant: a row's loop variables are found by division once per call and counted on
//! from there.

use super::super::call::Range;
use super::block::Code;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use std::mem::offset_of;

/// What a kernel function is called with.
#[derive(Clone, Copy)]
pub(in crate::backends::cpu) struct Frame {
    pub(super) scratch: Value,
    pub(super) rows: [Value; 2],
    pub(super) columns: [Value; 2],
    pub(super) chunks: [Value; 2],
    pub(super) pitch: Value,
}

impl Code<'_, '_> {
    /// Opens the function: reads its arguments and the addresses of the buffers.
    pub(in crate::backends::cpu) fn open(&mut self) -> Frame {
        let entry = self.lanes.b.create_block();
        self.lanes.b.append_block_params_for_function_params(entry);
        self.lanes.b.switch_to_block(entry);
        self.lanes.b.seal_block(entry);
        let arguments = self.lanes.b.block_params(entry).to_vec();
        let argument = |at: usize| arguments.get(at).copied();
        let nothing = self.lanes.number(0);
        let (table, scratch, range) =
            (argument(0).unwrap_or(nothing), argument(1).unwrap_or(nothing), argument(2).unwrap_or(nothing));
        for at in 0..self.buffers.len() {
            let pointer = self.lanes.load_word((table, 8 * at as i32));
            self.pointers.push(pointer);
        }
        let mut word = |offset: usize| self.lanes.load_word((range, offset as i32));
        let mut pair = |offset: usize| [word(offset), word(offset + 8)];
        let rows = pair(offset_of!(Range, rows));
        let columns = pair(offset_of!(Range, columns));
        let chunks = pair(offset_of!(Range, chunks));
        let pitch = word(offset_of!(Range, pitch));
        self.prepare_zeros();
        Frame { scratch, rows, columns, chunks, pitch }
    }

    /// `body` for each row, with the number of the row among those of the call. `extents` are those of the row loops.
    pub(in crate::backends::cpu) fn rows(
        &mut self,
        frame: &Frame,
        extents: &[u64],
        body: &mut dyn FnMut(&mut Self, Value),
    ) {
        let row = self.lanes.b.declare_var(I64);
        self.lanes.b.def_var(row, frame.rows[0]);
        let counters: Vec<_> = extents.iter().map(|_| self.lanes.b.declare_var(I64)).collect();
        let mut rest = frame.rows[0];
        for (at, (&extent, &counter)) in extents.iter().zip(&counters).enumerate().rev() {
            let digit = if at == 0 { rest } else { self.lanes.b.ins().urem_imm_u(rest, extent as i64) };
            self.lanes.b.def_var(counter, digit);
            if at > 0 {
                rest = self.lanes.b.ins().udiv_imm_u(rest, extent as i64);
            }
        }
        self.counted(row, frame.rows[1], 1, &mut |code| {
            let at = code.lanes.b.use_var(row);
            for (variable, &counter) in counters.iter().enumerate() {
                let value = code.lanes.b.use_var(counter);
                if let Some(slot) = code.variables.get_mut(variable) {
                    *slot = Some(value);
                }
            }
            let saved = code.enter();
            let number = code.lanes.b.ins().isub(at, frame.rows[0]);
            body(code, number);
            code.leave(saved);
            // Like the wheels of a counter.
            let mut carry = code.lanes.number(1);
            for (at, (&extent, &counter)) in extents.iter().zip(&counters).enumerate().rev() {
                let value = code.lanes.b.use_var(counter);
                let next = code.lanes.b.ins().iadd(value, carry);
                if at == 0 {
                    code.lanes.b.def_var(counter, next);
                    break;
                }
                let (zero, one) = (code.lanes.number(0), code.lanes.number(1));
                let over = code.lanes.b.ins().icmp_imm_s(IntCC::Equal, next, extent as i64);
                let turned = code.lanes.b.ins().select(over, zero, next);
                code.lanes.b.def_var(counter, turned);
                carry = code.lanes.b.ins().select(over, one, zero);
            }
        });
    }

    /// The innermost loop variable, as the code in it sees it.
    pub(super) fn set(&mut self, variable: u32, value: Value) {
        if let Some(slot) = self.variables.get_mut(variable as usize) {
            *slot = Some(value);
        }
    }
}
