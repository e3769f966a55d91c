//! Fewer and longer loops: adjacent loops that every index runs through as through one become one.
//!
//! `for i in 0..32, j in 0..64 { b1[64 * i + j] = b0[64 * i + j] }` is a loop over 2048. Invariant: the points, their
//! order (row major) and what each does stay the same; no loop of one round is left.

use crate::ir::kernel::{Atom, Block, Body, Index, InstKind, Kernel, Store};
use std::collections::BTreeMap;

/// The kernel with as few loops as this pass knows how to leave. Of outer and of inner loops there is one at least.
pub(super) fn collapse(kernel: &Kernel) -> Kernel {
    let mut kernel = kernel.clone();
    while let Some((at, change)) = next(&kernel) {
        apply(&mut kernel, at, &change);
    }
    if kernel.extents.is_empty() {
        // A loop of one round that no index names, so that there is always an innermost one.
        shift(&mut kernel);
        kernel.extents.push(1);
    }
    if let Body::Reduce { inner, .. } = &mut kernel.body
        && inner.is_empty()
    {
        inner.push(1);
    }
    kernel
}

enum Change {
    /// The loop has one round.
    Drop,
    /// The loop and the one within are one, that of this many rounds.
    Merge(u64),
}

fn next(kernel: &Kernel) -> Option<(u32, Change)> {
    let outer = kernel.extents.len();
    let inner: &[u64] = match &kernel.body {
        Body::Map { .. } => &[],
        Body::Reduce { inner, .. } => inner,
    };
    for (first, extents) in [(0, kernel.extents.as_slice()), (outer, inner)] {
        for (at, &extent) in extents.iter().enumerate() {
            let variable = (first + at) as u32;
            if extent == 1 {
                return Some((variable, Change::Drop));
            }
            let Some(&within) = extents.get(at + 1) else { continue };
            let Some(together) = extent.checked_mul(within).filter(|&n| i64::try_from(n).is_ok()) else { continue };
            let Ok(by) = i64::try_from(within) else { continue };
            let mut all = true;
            visit(kernel, &mut |index| all &= runs_through(index, variable, by));
            if all {
                return Some((variable, Change::Merge(together)));
            }
        }
    }
    None
}

/// Whether the index sees two loops only as `by * i + j`.
fn runs_through(index: &Index, variable: u32, by: i64) -> bool {
    let coefficient = |wanted: u32| {
        let found = index.terms.iter().find(|(atom, _)| *atom == Atom::Var(wanted));
        found.map_or(0, |(_, coefficient)| *coefficient)
    };
    let here = coefficient(variable + 1).checked_mul(by) == Some(coefficient(variable));
    here && index.terms.iter().all(|(atom, _)| match atom {
        Atom::Div(inner, _) | Atom::Mod(inner, _) => runs_through(inner, variable, by),
        Atom::Var(_) | Atom::Value(_) => true,
    })
}

fn apply(kernel: &mut Kernel, variable: u32, change: &Change) {
    let outer = kernel.extents.len();
    let at = variable as usize;
    let extents = match &mut kernel.body {
        Body::Reduce { inner, .. } if at >= outer => inner,
        _ => &mut kernel.extents,
    };
    let at = if at >= outer { at - outer } else { at };
    extents.remove(at);
    if let (Change::Merge(together), Some(slot)) = (change, extents.get_mut(at)) {
        *slot = *together;
    }
    // The variable itself goes: as 0 where it had one round, and what it counted is in the next one otherwise.
    rename(kernel, &|of| match of.cmp(&variable) {
        std::cmp::Ordering::Less => Some(of),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(of - 1),
    });
}

fn shift(kernel: &mut Kernel) {
    rename(kernel, &|of| Some(of + 1));
}

fn rename(kernel: &mut Kernel, to: &dyn Fn(u32) -> Option<u32>) {
    let block = |block: &mut Block| {
        for inst in &mut block.insts {
            if let InstKind::Load { index, .. } | InstKind::Index(index) = &mut inst.kind {
                *index = renamed(index, to);
            }
        }
    };
    let all = |stores: &mut Vec<Store>| stores.iter_mut().for_each(|store| store.index = renamed(&store.index, to));
    match &mut kernel.body {
        Body::Map { block: code, stores } => {
            block(code);
            all(stores);
        }
        Body::Reduce { block: code, finish, stores, .. } => {
            block(code);
            block(finish);
            all(stores);
        }
    }
}

fn renamed(index: &Index, to: &dyn Fn(u32) -> Option<u32>) -> Index {
    let mut terms = BTreeMap::new();
    for (atom, coefficient) in &index.terms {
        let atom = match atom {
            Atom::Var(variable) => match to(*variable) {
                Some(variable) => Atom::Var(variable),
                None => continue,
            },
            Atom::Value(inst) => Atom::Value(*inst),
            Atom::Div(inner, by) => Atom::Div(Box::new(renamed(inner, to)), *by),
            Atom::Mod(inner, by) => Atom::Mod(Box::new(renamed(inner, to)), *by),
        };
        *terms.entry(atom).or_insert(0i64) += *coefficient;
    }
    terms.retain(|_, coefficient| *coefficient != 0);
    Index { terms: terms.into_iter().collect(), constant: index.constant }
}

/// Every index expression of the kernel.
fn visit(kernel: &Kernel, see: &mut dyn FnMut(&Index)) {
    let (blocks, stores): (Vec<&Block>, &Vec<Store>) = match &kernel.body {
        Body::Map { block, stores } => (vec![block], stores),
        Body::Reduce { block, finish, stores, .. } => (vec![block, finish], stores),
    };
    for inst in blocks.into_iter().flat_map(|block| &block.insts) {
        if let InstKind::Load { index, .. } | InstKind::Index(index) = &inst.kind {
            see(index);
        }
    }
    stores.iter().for_each(|store| see(&store.index));
}
