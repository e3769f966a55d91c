//! Elementwise kernels, and the finish of reductions, which is one.
//!
//! The innermost loop goes in groups of vectors, then in vectors, then by elements: each index exactly once, also in
//! place. Invariant: calls divide columns at multiples of [`COLUMN_STEP`], so that only the last call has a rest.

use super::block::{Code, Reduced};
use super::lanes::WIDTH;
use super::nest::Frame;
use crate::base::DType;
use crate::ir::kernel::Store;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

/// Calls begin at columns that are multiples of this.
pub(in crate::backends::cpu) const COLUMN_STEP: u64 = 64;

/// The whole function. `kept` is how reduced values lie in the scratch, for a finish.
pub(in crate::backends::cpu) fn map(
    code: &mut Code<'_, '_>,
    frame: &Frame,
    extents: &[u64],
    stores: &[Store],
    kept: Option<DType>,
) {
    let Some((&extent, outer)) = extents.split_last() else { return };
    code.advance(0);
    code.rows(frame, outer, &mut |code, row| {
        code.advance(outer.len());
        if let Some(kept) = kept {
            code.reduced = Some(Reduced { row: reduced_row(code, frame, row, kept), kept });
        }
        columns(code, frame, extents.len(), extent, stores);
    });
}

/// Where the reduced value of column 0 of a row would lie.
fn reduced_row(code: &mut Code<'_, '_>, frame: &Frame, row: Value, kept: DType) -> Value {
    let b = &mut code.lanes.b;
    let width = b.ins().isub(frame.columns[1], frame.columns[0]);
    let before = b.ins().imul(row, width);
    let before = b.ins().isub(before, frame.columns[0]);
    let bytes = b.ins().imul_imm_s(before, kept.bytes() as i64);
    b.ins().iadd(frame.scratch, bytes)
}

fn columns(code: &mut Code<'_, '_>, frame: &Frame, depth: usize, extent: u64, stores: &[Store]) {
    let innermost = (depth - 1) as u32;
    let column = code.lanes.b.declare_var(I64);
    code.lanes.b.def_var(column, frame.columns[0]);
    let (weight, guarded) = code.weight();
    let copies = match weight {
        _ if guarded => 1,
        0..=8 => 4,
        9..=24 => 2,
        _ => 1,
    };
    let mut steps: Vec<(i64, bool)> = vec![(copies, true)];
    if copies > 1 {
        steps.push((1, true));
    }
    steps.retain(|(copies, _)| extent >= (copies * WIDTH) as u64);
    if steps.is_empty() || !extent.is_multiple_of(WIDTH as u64) {
        steps.push((1, false));
    }
    for (copies, wide) in steps {
        let lanes = if wide { WIDTH } else { 1 };
        code.counted(column, frame.columns[1], copies * lanes, &mut |code| {
            let at = code.lanes.b.use_var(column);
            code.set(innermost, at);
            code.wide = wide;
            for copy in 0..copies {
                code.shift = copy * lanes;
                let saved = code.enter();
                code.advance(depth);
                stores.iter().for_each(|store| code.store(store));
                code.leave(saved);
            }
            code.wide = false;
            code.shift = 0;
        });
    }
}
