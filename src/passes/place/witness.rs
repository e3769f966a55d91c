//! Why an output cannot be computed in a donated buffer, with elements that show it.

use super::merge::Layout;
use crate::ir::kernel::{Atom, Block, Body, Index, InstKind, Kernel};
use crate::ir::plan::{AlongOp, Slot, Step, Storage};

/// Points that are tried in the search for elements.
const TRIED: u64 = 4096;

/// The sentence for `output` in the buffer of argument `param`.
pub(super) fn why(layout: &Layout<'_>, param: usize, output: Slot) -> String {
    let (from, to) = (Storage::Param(param), layout.storage(output));
    find(layout, &layout.steps, from, to).unwrap_or_else(|| {
        let fault = u32::try_from(param).ok().and_then(|param| layout.clone().merge(output, Slot(param)).err());
        match fault {
            Some(fault) if fault.starts_with("R8") => {
                "something is still checked after the result has begun to be written, and a call that fails must leave the argument as it was".into()
            }
            _ => "the argument is still read after the result has begun to be written".into(),
        }
    })
}

fn find(layout: &Layout<'_>, steps: &[Step], from: Storage, to: Storage) -> Option<String> {
    steps.iter().find_map(|step| match step {
        Step::For { body, .. } => find(layout, body, from, to),
        Step::While { condition, body, .. } => {
            find(layout, condition, from, to).or_else(|| find(layout, body, from, to))
        }
        Step::If { then, otherwise, .. } => {
            find(layout, then, from, to).or_else(|| find(layout, otherwise, from, to))
        }
        Step::Launch { kernel, buffers } => {
            let kernel = layout.kernels.get(*kernel)?;
            let places = |storage| buffers.iter().enumerate().filter(move |(_, slot)| layout.storage(**slot) == storage);
            places(from).find_map(|(load, _)| places(to).find_map(|(store, _)| elements(kernel, load, store)))
        }
        Step::Matmul { a, b, out, .. } => {
            let reads = layout.storage(a.slot) == from || layout.storage(b.slot) == from;
            (reads && layout.storage(*out) == to)
                .then(|| "the matrix product reads whole rows and columns: element 0 is read for index 1 after index 0 has overwritten it".into())
        }
        Step::Along { op, from: read, out, .. } => {
            let name = match op {
                AlongOp::Cumsum => "cumsum",
                AlongOp::Sort => "sort",
                AlongOp::Argsort => "argsort",
            };
            (layout.storage(*read) == from && layout.storage(*out) == to).then(|| {
                format!("{name} reads a whole row: element 0 is read for index 1 after index 0 has overwritten it")
            })
        }
        _ => None,
    })
}

/// An element that is read for a later index than the one that has overwritten it.
fn elements(kernel: &Kernel, load: usize, store: usize) -> Option<String> {
    let (block, stores, inner): (&Block, _, &[u64]) = match &kernel.body {
        Body::Map { block, stores } => (block, stores, &[]),
        Body::Reduce { block, stores, inner, .. } => (block, stores, inner),
    };
    let stored = &stores.iter().find(|found| found.buffer == store)?.index;
    let loaded = block.insts.iter().filter_map(|inst| match &inst.kind {
        InstKind::Load { buffer, index, .. } if *buffer == load => Some(index),
        _ => None,
    });
    let extents: Vec<u64> = kernel.extents.iter().chain(inner).copied().collect();
    let count = extents.iter().try_fold(1u64, |count, &extent| count.checked_mul(extent))?;
    for index in loaded {
        // From both ends of the loops: a reversal shows at the last points, a shift at the first.
        for turn in 0..count.min(TRIED) {
            for point in [turn, count.checked_sub(turn + 1)?] {
                let at = coordinates(point, &extents);
                let (read, written) = (value(index, &at)?, value(stored, &at)?);
                if (0..written).contains(&read) {
                    return Some(format!(
                        "element {read} is read for index {written} after index {read} has overwritten it"
                    ));
                }
            }
        }
    }
    None
}

fn coordinates(mut point: u64, extents: &[u64]) -> Vec<i64> {
    let mut at = vec![0; extents.len()];
    for (coordinate, extent) in at.iter_mut().zip(extents).rev() {
        *coordinate = (point % (*extent).max(1)) as i64;
        point /= (*extent).max(1);
    }
    at
}

fn value(index: &Index, at: &[i64]) -> Option<i64> {
    index.terms.iter().try_fold(index.constant, |sum, (atom, by)| {
        let atom = match atom {
            Atom::Var(var) => at.get(*var as usize).copied()?,
            Atom::Value(_) => return None,
            Atom::Div(inner, by) => value(inner, at)?.checked_div_euclid(i64::try_from(*by).ok()?)?,
            Atom::Mod(inner, by) => value(inner, at)?.checked_rem_euclid(i64::try_from(*by).ok()?)?,
        };
        sum.checked_add(atom.checked_mul(*by)?)
    })
}
