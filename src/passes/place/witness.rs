//! Why an output cannot be computed in a donated buffer, with elements that show it.

use super::merge::Layout;
use crate::ir::kernel::{Atom, Block, Body, Index, InstKind, Kernel, Store};
use crate::ir::plan::{AlongOp, Slot, Step, Storage};
use std::collections::BTreeSet;

/// Points that are tried in the search for elements.
const TRIED: u64 = 4096;

/// The sentence for `output` in the buffer of argument `param`.
pub(super) fn why(layout: &Layout<'_>, param: usize, output: Slot) -> String {
    let (from, to) = (Storage::Param(param), layout.storage(output));
    if let Some(hazard) = find(layout, &layout.steps, from, to) {
        return hazard;
    }
    let fault = u32::try_from(param).ok().and_then(|param| layout.clone().merge(output, Slot(param)).err());
    if fault.is_some_and(|fault| fault.starts_with("R8")) {
        return checked(layout, &layout.steps, to).unwrap_or_else(|| {
            "something is still checked after the result has begun to be written, and a call that fails must leave the argument as it was".into()
        });
    }
    across(layout, from, to)
        .unwrap_or_else(|| "the argument is still read after the result has begun to be written".into())
}

/// A check in a loop that overwrites: what fails is found out before the first write, or it is not in place.
fn checked(layout: &Layout<'_>, steps: &[Step], to: Storage) -> Option<String> {
    steps.iter().find_map(|step| {
        let body = match step {
            Step::For { body, .. } | Step::While { body, .. } => body,
            Step::If { then, otherwise, .. } => {
                return checked(layout, then, to).or_else(|| checked(layout, otherwise, to));
            }
            _ => return None,
        };
        let stops = body.iter().any(|step| matches!(step, Step::Check { .. }));
        let written = |step: &Step| match step {
            Step::Launch { kernel, buffers } => layout.kernels.get(*kernel).is_some_and(|kernel| {
                let mut stored = buffers.iter().enumerate().filter(|(_, slot)| layout.storage(**slot) == to);
                stored.any(|(buffer, _)| stores(kernel).iter().any(|store| store.buffer == buffer))
            }),
            Step::Scatter { target, .. } => layout.storage(*target) == to,
            _ => false,
        };
        let text = "round 1 may stop at a check after round 0 has overwritten an element";
        (stops && body.iter().any(written)).then(|| text.to_owned()).or_else(|| checked(layout, body, to))
    })
}

/// What one step touches of a storage: elements by the point at which it does, as far as they are tried.
struct Access {
    /// The loop that it is in, if any: its rounds follow each other.
    rounds: Option<usize>,
    reads: Vec<(i64, i64)>,
    writes: Vec<i64>,
}

/// An element that one step overwrites and a later one, or one of the next round, still reads.
fn across(layout: &Layout<'_>, from: Storage, to: Storage) -> Option<String> {
    let mut all = Vec::new();
    accesses(layout, &layout.steps, (from, to), None, &mut all);
    for (at, writer) in all.iter().enumerate() {
        let overwritten: BTreeSet<i64> = writer.writes.iter().copied().collect();
        let hit = |reader: &Access| reader.reads.iter().find(|(element, _)| overwritten.contains(element)).copied();
        if let Some((element, index)) = all.iter().skip(at + 1).find_map(hit) {
            return Some(format!(
                "element {element} is read for index {index} after an earlier step has overwritten it"
            ));
        }
        let again = all.iter().take(at + 1).filter(|reader| reader.rounds.is_some() && reader.rounds == writer.rounds);
        if let Some((element, index)) = again.into_iter().find_map(hit) {
            return Some(format!(
                "element {element} is read for index {index} in a round after the one before has overwritten it"
            ));
        }
    }
    None
}

fn accesses(
    layout: &Layout<'_>,
    steps: &[Step],
    (from, to): (Storage, Storage),
    rounds: Option<usize>,
    all: &mut Vec<Access>,
) {
    let is = |slot: &Slot, storage| layout.storage(*slot) == storage;
    let some = |bytes: u64| (0..i64::try_from(bytes.min(TRIED)).unwrap_or(0)).collect::<Vec<_>>();
    let pairs = |elements: Vec<i64>| elements.into_iter().map(|element| (element, element)).collect();
    for step in steps {
        // What reads or writes whole buffers touches the first elements of each.
        let whole = |reads: bool, writes: bool| Access {
            rounds,
            reads: if reads { pairs(some(1)) } else { Vec::new() },
            writes: if writes { some(1) } else { Vec::new() },
        };
        match step {
            Step::Launch { kernel, buffers } => {
                let Some(kernel) = layout.kernels.get(*kernel) else { continue };
                let mut access = Access { rounds, reads: Vec::new(), writes: Vec::new() };
                for (buffer, slot) in buffers.iter().enumerate() {
                    if is(slot, from) {
                        access.reads.extend(touched(kernel, buffer, false));
                    }
                    if is(slot, to) {
                        access.writes.extend(touched(kernel, buffer, true).into_iter().map(|(element, _)| element));
                    }
                }
                all.push(access);
            }
            Step::Copy { from: source, to: target, .. } => all.push(whole(is(source, from), is(target, to))),
            Step::Matmul { a, b, out, .. } => {
                all.push(whole(is(&a.slot, from) || is(&b.slot, from), is(out, to)));
            }
            Step::Along { from: source, out, .. } => all.push(whole(is(source, from), is(out, to))),
            Step::Scatter { target, index, updates, .. } => {
                let reads = is(index, from) || is(updates, from) || is(target, from);
                all.push(whole(reads, is(target, to)));
            }
            Step::For { body, .. } => accesses(layout, body, (from, to), rounds.or(Some(all.len())), all),
            Step::While { condition, body, .. } => {
                let rounds = rounds.or(Some(all.len()));
                accesses(layout, condition, (from, to), rounds, all);
                accesses(layout, body, (from, to), rounds, all);
            }
            Step::If { then, otherwise, .. } => {
                accesses(layout, then, (from, to), rounds, all);
                accesses(layout, otherwise, (from, to), rounds, all);
            }
            Step::Check { .. } | Step::Permute(_) => {}
        }
    }
}

fn stores(kernel: &Kernel) -> &[Store] {
    match &kernel.body {
        Body::Map { stores, .. } | Body::Reduce { stores, .. } => stores,
    }
}

/// Elements of a buffer that a kernel loads or stores at its first and last points, each with the stored index there.
fn touched(kernel: &Kernel, buffer: usize, store: bool) -> Vec<(i64, i64)> {
    let (block, inner): (&Block, &[u64]) = match &kernel.body {
        Body::Map { block, .. } => (block, &[]),
        Body::Reduce { block, inner, .. } => (block, inner),
    };
    let stores = stores(kernel);
    let stored: Vec<&Index> = stores.iter().filter(|s| s.buffer == buffer).map(|s| &s.index).collect();
    let loaded = block.insts.iter().filter_map(|inst| match &inst.kind {
        InstKind::Load { buffer: other, index, .. } if *other == buffer => Some(index),
        _ => None,
    });
    let wanted: Vec<&Index> = if store { stored } else { loaded.collect() };
    let extents: Vec<u64> = kernel.extents.iter().chain(inner).copied().collect();
    let count = extents.iter().try_fold(1u64, |count, &extent| count.checked_mul(extent)).unwrap_or(0);
    let mut found = Vec::new();
    for turn in 0..count.min(TRIED) {
        for point in [turn, count - turn - 1] {
            let at = coordinates(point, &extents);
            let Some(own) = stores.first().and_then(|store| value(&store.index, &at)) else { continue };
            found.extend(wanted.iter().filter_map(|index| Some((value(index, &at)?, own))));
        }
    }
    found
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

/// An element that is read for one index and overwritten by another one: a later one if there is one, else an earlier
/// one, since the order in which indices run is open.
fn elements(kernel: &Kernel, load: usize, store: usize) -> Option<String> {
    let overwritten: BTreeSet<i64> = touched(kernel, store, true).into_iter().map(|(element, _)| element).collect();
    let pairs: Vec<(i64, i64)> = touched(kernel, load, false)
        .into_iter()
        .filter(|(read, own)| read != own && overwritten.contains(read))
        .collect();
    let (read, own) = pairs.iter().find(|(read, own)| read < own).or(pairs.first())?;
    Some(format!("element {read} is read for index {own} after index {read} has overwritten it"))
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
