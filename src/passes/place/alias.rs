//! What a kernel does to its buffers, whatever they are bound to: R3, R4, and whether it fills them.

use crate::ir::kernel::{Atom, Block, Body, Index, Inst, InstKind, Kernel};
use std::collections::BTreeSet;

/// Facts about one kernel.
#[derive(Debug)]
pub(super) struct Aliasing {
    /// Per buffer: stores fill every element (false where it is not stored).
    pub(super) fills: Vec<bool>,
    /// R3 holds for every store.
    pub(super) once: bool,
    /// R4 holds for (loaded, stored).
    pub(super) in_place: BTreeSet<(usize, usize)>,
    /// Buffers that are loaded.
    pub(super) loaded: BTreeSet<usize>,
}

impl Aliasing {
    /// Reads the kernel.
    pub(super) fn new(kernel: &Kernel) -> Self {
        let (block, finish, stores) = match &kernel.body {
            Body::Map { block, stores } => (None, block, stores),
            Body::Reduce { block, finish, stores, .. } => (Some(block), finish, stores),
        };
        let count = kernel.buffers.len();
        let mut found =
            Self { fills: vec![false; count], once: true, in_place: BTreeSet::new(), loaded: BTreeSet::new() };
        let points = if kernel.extents.contains(&0) { 0 } else { kernel.extents.iter().product::<u64>() };
        let empty = points == 0;
        let mut stored = BTreeSet::new();
        for store in stores {
            let injective = empty || injective(&store.index, &kernel.extents, finish);
            found.once &= injective && stored.insert(store.buffer);
            let elements = kernel.buffers.get(store.buffer).map(|info| info.elements);
            if let Some(fills) = found.fills.get_mut(store.buffer) {
                *fills = injective && elements == Some(points);
            }
        }
        let reduced = block.map(|block| block.insts.as_slice()).unwrap_or_default();
        let outside: BTreeSet<usize> = loads(reduced).map(|(buffer, _)| buffer).collect();
        found.loaded = loads(&finish.insts).map(|(buffer, _)| buffer).chain(outside.iter().copied()).collect();
        let width = |buffer: usize| kernel.buffers.get(buffer).map(|info| info.dtype.bytes());
        for &loaded in found.loaded.difference(&outside) {
            for store in stores {
                let same = loads(&finish.insts).all(|(buffer, index)| buffer != loaded || *index == store.index);
                if same && width(loaded) == width(store.buffer) {
                    found.in_place.insert((loaded, store.buffer));
                }
            }
        }
        found
    }
}

fn loads(insts: &[crate::ir::kernel::InstData]) -> impl Iterator<Item = (usize, &Index)> {
    insts.iter().filter_map(|inst| match &inst.kind {
        InstKind::Load { buffer, index, .. } => Some((*buffer, index)),
        _ => None,
    })
}

/// Whether no two points have one value: each stride is greater than all that smaller strides reach.
fn injective(index: &Index, extents: &[u64], block: &Block) -> bool {
    let mut strides = Vec::new();
    for (at, &extent) in extents.iter().enumerate() {
        let found = index.terms.iter().find(|(atom, _)| *atom == Atom::Var(at as u32));
        if extent > 1 {
            strides.push((found.map_or(0, |(_, by)| u128::from(by.unsigned_abs())), u128::from(extent)));
        }
    }
    let fixed = index.terms.iter().all(|(atom, _)| match atom {
        Atom::Var(_) => true,
        Atom::Value(inst) => uniform(*inst, block),
        Atom::Div(..) | Atom::Mod(..) => false,
    });
    strides.sort_unstable();
    let mut reach = 0u128;
    fixed
        && strides.into_iter().all(|(stride, extent)| {
            let apart = stride > reach;
            reach = reach.saturating_add(stride.saturating_mul(extent - 1));
            apart
        })
}

/// Whether an instruction gives the same value at every point.
fn uniform(inst: Inst, block: &Block) -> bool {
    let mut fixed = vec![false; block.insts.len()];
    for (at, inst) in block.insts.iter().enumerate() {
        let known = |inst: &Inst| fixed.get(inst.0 as usize).copied().unwrap_or(false);
        let value = match &inst.kind {
            InstKind::Const(_) => true,
            InstKind::Load { index, guard, .. } => steady(index, &known) && guard.as_ref().is_none_or(known),
            InstKind::Index(index) => steady(index, &known),
            InstKind::Op(_, operands) => operands.iter().all(known),
            InstKind::Reduced => false,
        };
        if let Some(slot) = fixed.get_mut(at) {
            *slot = value;
        }
    }
    fixed.get(inst.0 as usize).copied().unwrap_or(false)
}

fn steady(index: &Index, known: &dyn Fn(&Inst) -> bool) -> bool {
    index.terms.iter().all(|(atom, _)| match atom {
        Atom::Var(_) => false,
        Atom::Value(inst) => known(inst),
        Atom::Div(inner, _) | Atom::Mod(inner, _) => steady(inner, known),
    })
}
