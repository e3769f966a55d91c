//! Finishing a kernel: loops of one round go, adjacent loops become one where every index stays linear.
//!
//! `for i in 0..4, j in 0..8: store b[8 * i + j]` is `for i in 0..32: store b[i]`.
//! Invariant: the order of the elements (row major, and that of a reduction) and every offset stay what they were.

use crate::ir::kernel::{Atom, Block, Body, Index, InstKind, Kernel};

/// Simplifies the loops of a kernel.
pub(super) fn finish(mut kernel: Kernel) -> Kernel {
    drop_unit_loops(&mut kernel);
    while let Some((outer, extent)) = mergeable(&kernel) {
        merge(&mut kernel, outer, extent);
    }
    kernel
}

fn inner(kernel: &Kernel) -> &[u64] {
    match &kernel.body {
        Body::Map { .. } => &[],
        Body::Reduce { inner, .. } => inner,
    }
}

fn loops(kernel: &Kernel) -> Vec<u64> {
    kernel.extents.iter().chain(inner(kernel)).copied().collect()
}

fn drop_unit_loops(kernel: &mut Kernel) {
    let all = loops(kernel);
    for at in (0..all.len()).rev() {
        if all.get(at) == Some(&1) {
            remove(kernel, at);
            // Its only value is 0; later variables move up.
            map_indexes(kernel, &mut |index| {
                rewrite(index, &|var| match var as usize {
                    var if var == at => None,
                    var if var > at => Some(var as u32 - 1),
                    var => Some(var as u32),
                })
            });
        }
    }
}

fn remove(kernel: &mut Kernel, at: usize) {
    let outer = kernel.extents.len();
    if at < outer {
        kernel.extents.remove(at);
    } else if let Body::Reduce { inner, .. } = &mut kernel.body
        && at - outer < inner.len()
    {
        inner.remove(at - outer);
    }
}

/// A loop that may be put together with the next one, and that one's extent.
fn mergeable(kernel: &Kernel) -> Option<(usize, u64)> {
    let all = loops(kernel);
    let outer = kernel.extents.len();
    (0..all.len().saturating_sub(1)).find_map(|at| {
        let extent = *all.get(at + 1)?;
        all.get(at)?.checked_mul(extent)?;
        let signed = i64::try_from(extent).ok()?;
        let mut linear = at + 1 != outer && extent > 0;
        visit_indexes(kernel, &mut |index| linear &= proportional(index, at as u32, signed));
        linear.then_some((at, extent))
    })
}

/// Whether the coefficient of variable `at` is `extent` times that of the next, at every depth.
fn proportional(index: &Index, at: u32, extent: i64) -> bool {
    let coefficient = |var: u32| index.terms.iter().find(|(atom, _)| *atom == Atom::Var(var)).map_or(0, |term| term.1);
    let inside = |(atom, _): &(Atom, i64)| match atom {
        Atom::Div(inner, _) | Atom::Mod(inner, _) => proportional(inner, at, extent),
        Atom::Var(_) | Atom::Value(_) => true,
    };
    coefficient(at + 1).checked_mul(extent) == Some(coefficient(at)) && index.terms.iter().all(inside)
}

fn merge(kernel: &mut Kernel, at: usize, extent: u64) {
    let outer = kernel.extents.len();
    remove(kernel, at + 1);
    let slot = match &mut kernel.body {
        _ if at < outer => kernel.extents.get_mut(at),
        Body::Reduce { inner, .. } => inner.get_mut(at - outer),
        Body::Map { .. } => None,
    };
    if let Some(slot) = slot {
        *slot = slot.saturating_mul(extent);
    }
    map_indexes(kernel, &mut |index| {
        rewrite(index, &|var| match var as usize {
            // The next variable's coefficient is the new one's.
            var if var == at => None,
            var if var > at => Some(var as u32 - 1),
            var => Some(var as u32),
        })
    });
}

/// Renames loop variables; `None` drops a term.
fn rewrite(index: &Index, rename: &dyn Fn(u32) -> Option<u32>) -> Index {
    let mut terms: Vec<(Atom, i64)> = Vec::with_capacity(index.terms.len());
    for (atom, coefficient) in &index.terms {
        let atom = match atom {
            Atom::Var(var) => match rename(*var) {
                Some(var) => Atom::Var(var),
                None => continue,
            },
            Atom::Value(inst) => Atom::Value(*inst),
            Atom::Div(inner, by) => Atom::Div(Box::new(rewrite(inner, rename)), *by),
            Atom::Mod(inner, by) => Atom::Mod(Box::new(rewrite(inner, rename)), *by),
        };
        match terms.iter_mut().find(|(other, _)| *other == atom) {
            Some(term) => term.1 = term.1.saturating_add(*coefficient),
            None => terms.push((atom, *coefficient)),
        }
    }
    terms.retain(|(_, coefficient)| *coefficient != 0);
    terms.sort();
    Index { terms, constant: index.constant }
}

fn map_indexes(kernel: &mut Kernel, map: &mut dyn FnMut(&Index) -> Index) {
    let mut in_block = |block: &mut Block| {
        for inst in &mut block.insts {
            if let InstKind::Load { index, .. } | InstKind::Index(index) = &mut inst.kind {
                *index = map(index);
            }
        }
    };
    let stores = match &mut kernel.body {
        Body::Map { block, stores } => {
            in_block(block);
            stores
        }
        Body::Reduce { block, finish, stores, .. } => {
            in_block(block);
            in_block(finish);
            stores
        }
    };
    for store in stores {
        store.index = map(&store.index);
    }
}

fn visit_indexes(kernel: &Kernel, visit: &mut dyn FnMut(&Index)) {
    let mut in_block = |block: &Block| {
        for inst in &block.insts {
            if let InstKind::Load { index, .. } | InstKind::Index(index) = &inst.kind {
                visit(index);
            }
        }
    };
    let stores = match &kernel.body {
        Body::Map { block, stores } => {
            in_block(block);
            stores
        }
        Body::Reduce { block, finish, stores, .. } => {
            in_block(block);
            in_block(finish);
            stores
        }
    };
    stores.iter().for_each(|store| visit(&store.index));
}
