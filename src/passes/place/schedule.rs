//! What steps touch, and moving the readers of a buffer before the step that overwrites it.
//!
//! Invariant: two steps change places only if neither writes a slot that the other touches; checks keep their order, so
//! that of two faults the first one of the program is reported; and what uses an index stays behind the checks that
//! stand before it.

use crate::ir::kernel::Kernel;
use crate::ir::plan::{Slot, Step};
use std::collections::BTreeSet;

/// The slots that a step touches, inner steps included.
#[derive(Clone, Debug, Default)]
pub(super) struct Touched {
    pub(super) reads: BTreeSet<Slot>,
    pub(super) writes: BTreeSet<Slot>,
    /// It may fault.
    pub(super) checks: bool,
    /// It uses indices that are in range only behind the checks before it.
    trusts: bool,
}

impl Touched {
    /// Of one step.
    pub(super) fn new(step: &Step, kernels: &[Kernel]) -> Self {
        let mut touched = Self::default();
        touched.add(step, kernels);
        touched
    }

    fn add(&mut self, step: &Step, kernels: &[Kernel]) {
        let mut inner =
            |lists: &[&Vec<Step>]| lists.iter().for_each(|list| list.iter().for_each(|step| self.add(step, kernels)));
        match step {
            Step::For { body, .. } => inner(&[body]),
            Step::While { condition, body, .. } => inner(&[condition, body]),
            Step::If { then, otherwise, .. } => inner(&[then, otherwise]),
            _ => {}
        }
        match step {
            Step::Launch { kernel, buffers } => {
                self.trusts |= kernels.get(*kernel).is_some_and(Kernel::trusts_checks);
                for (slot, info) in buffers.iter().zip(kernels.get(*kernel).map_or(&[][..], |kernel| &kernel.buffers)) {
                    if info.stored {
                        self.writes.insert(*slot)
                    } else {
                        self.reads.insert(*slot)
                    };
                }
            }
            Step::Copy { from, to, .. } | Step::Along { from, out: to, .. } => {
                self.reads.insert(*from);
                self.writes.insert(*to);
            }
            Step::Matmul { a, b, out, .. } => {
                self.reads.extend([a.slot, b.slot]);
                self.writes.insert(*out);
            }
            Step::Scatter { target, index, updates, .. } => {
                self.trusts = true;
                self.reads.extend([*index, *updates]);
                self.writes.insert(*target);
            }
            Step::Check { bad, shown, .. } => {
                self.reads.insert(*bad);
                self.reads.extend(shown.iter().map(|(slot, _)| *slot));
                self.checks = true;
            }
            Step::For { start, end, step, index, .. } => {
                self.reads.extend([*start, *end, *step]);
                self.writes.insert(*index);
            }
            Step::While { flag, .. } | Step::If { flag, .. } => _ = self.reads.insert(*flag),
            Step::Permute(moves) => self.writes.extend(moves.iter().flat_map(|(to, from)| [*to, *from])),
        }
    }

    /// Whether a step that comes later must stay behind this one.
    pub(super) fn conflicts(&self, later: &Self) -> bool {
        let meets = |a: &Self, b: &Self| a.writes.iter().any(|slot| b.writes.contains(slot) || b.reads.contains(slot));
        (self.checks && (later.checks || later.trusts)) || meets(self, later) || meets(later, self)
    }
}

/// The checks and all that they depend on, then everything else.
pub(super) fn checks_first(steps: &[Step], kernels: &[Kernel]) -> Vec<Step> {
    let touched: Vec<Touched> = steps.iter().map(|step| Touched::new(step, kernels)).collect();
    let mut needed: Vec<(usize, &Touched)> = Vec::new();
    for (at, own) in touched.iter().enumerate().rev() {
        if own.checks || needed.iter().any(|(_, later)| own.conflicts(later)) {
            needed.push((at, own));
        }
    }
    let needed: BTreeSet<usize> = needed.into_iter().map(|(at, _)| at).collect();
    let (early, late): (Vec<_>, Vec<_>) = steps.iter().enumerate().partition(|(at, _)| needed.contains(at));
    early.into_iter().chain(late).map(|(_, step)| step.clone()).collect()
}

/// The steps with every one that `wanted` names, and what it depends on, moved before the first that `writes` names,
/// as far as it does not depend on that one.
pub(super) fn before(
    steps: &[Step],
    kernels: &[Kernel],
    writes: &dyn Fn(&Touched) -> bool,
    wanted: &dyn Fn(&Touched) -> bool,
) -> Vec<Step> {
    let touched: Vec<Touched> = steps.iter().map(|step| Touched::new(step, kernels)).collect();
    let Some(writer) = touched.iter().position(writes) else { return steps.to_vec() };
    let mut moved: BTreeSet<usize> = BTreeSet::new();
    for (at, own) in touched.iter().enumerate().skip(writer + 1) {
        if !wanted(own) || moved.contains(&at) {
            continue;
        }
        // What it needs of the steps between, transitively.
        let mut needed = BTreeSet::from([at]);
        for earlier in (writer..at).rev().filter(|earlier| !moved.contains(earlier)) {
            let depends = |later: &usize| match (touched.get(earlier), touched.get(*later)) {
                (Some(earlier), Some(later)) => earlier.conflicts(later),
                _ => true,
            };
            if needed.iter().any(depends) {
                needed.insert(earlier);
            }
        }
        if !needed.contains(&writer) {
            moved.extend(needed);
        }
    }
    let early = (writer..steps.len()).filter(|at| moved.contains(at));
    let late = (writer..steps.len()).filter(|at| !moved.contains(at));
    (0..writer).chain(early).chain(late).filter_map(|at| steps.get(at).cloned()).collect()
}
