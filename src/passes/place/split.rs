//! A loop that checks something in each round becomes a loop that does only that and one that does the rest.
//!
//! `for i in 0..n { p[i] = 0.0 }` checks each `i`, and nothing may fail once a donated `p` has been written (R8): with
//! all indices checked first it can be computed in place. Invariant: the loop of checks writes scalars only, and each
//! round of either loop finds what a round of the original found; the order of checks stays.

use super::schedule::Touched;
use crate::ir::kernel::Kernel;
use crate::ir::plan::{Slot, SlotInfo, Step};
use std::collections::BTreeSet;

/// Bytes of what the loop of checks may compute: more would cost twice.
const SMALL: u64 = 64;

/// The steps with every `for` of the outermost list split where that can be done.
pub(super) fn split(steps: &[Step], slots: &[SlotInfo], kernels: &[Kernel]) -> Vec<Step> {
    let mut result = Vec::with_capacity(steps.len());
    for (at, step) in steps.iter().enumerate() {
        let after = steps.get(at + 1..).unwrap_or_default();
        match two_loops(step, after, slots, kernels) {
            Some(both) => result.extend(both),
            None => result.push(step.clone()),
        }
    }
    result
}

fn two_loops(of: &Step, after: &[Step], slots: &[SlotInfo], kernels: &[Kernel]) -> Option<[Step; 2]> {
    let Step::For { start, end, step, index, body } = of else { return None };
    let touched: Vec<Touched> = body.iter().map(|step| Touched::new(step, kernels)).collect();
    // The checks and what they need of the same round.
    let mut needed: Vec<usize> = Vec::new();
    for (at, own) in touched.iter().enumerate().rev() {
        let meets = |later: &usize| touched.get(*later).is_some_and(|later| own.conflicts(later));
        if own.checks || needed.iter().any(meets) {
            needed.push(at);
        }
    }
    needed.sort_unstable();
    let writes: BTreeSet<Slot> =
        needed.iter().filter_map(|at| touched.get(*at)).flat_map(|own| &own.writes).copied().collect();
    let small = |slot: &Slot| slots.get(slot.0 as usize).is_some_and(|info| info.bytes <= SMALL);
    let exchanged = needed.iter().any(|at| matches!(body.get(*at), Some(Step::Permute(_))));
    if needed.is_empty() || exchanged || !writes.iter().all(small) {
        return None;
    }
    // Nothing goes from one round to the next by way of the checks: neither into them nor out of them.
    let mut written: BTreeSet<Slot> = BTreeSet::from([*index]);
    let all: BTreeSet<Slot> = touched.iter().flat_map(|own| &own.writes).copied().collect();
    for (at, own) in touched.iter().enumerate() {
        let of_checks = needed.contains(&at);
        let stale = |slot: &&Slot| {
            !written.contains(slot) && if of_checks { all.contains(slot) } else { writes.contains(slot) }
        };
        if own.reads.iter().any(|slot| stale(&slot)) {
            return None;
        }
        written.extend(&own.writes);
    }
    if writes.contains(index) || [start, end, step].into_iter().any(|slot| all.contains(slot)) {
        return None;
    }
    let first: Vec<Step> = needed.iter().filter_map(|at| body.get(*at).cloned()).collect();
    // The rest, without what was computed for the checks alone.
    let mut read: BTreeSet<Slot> = after.iter().flat_map(|step| Touched::new(step, kernels).reads).collect();
    let mut rest = Vec::new();
    for (at, step) in body.iter().enumerate().rev() {
        let Some(step) = unchecked(step) else { continue };
        let own = Touched::new(&step, kernels);
        if needed.contains(&at) && !own.writes.iter().any(|slot| read.contains(slot)) {
            continue;
        }
        read.extend(own.reads);
        rest.push(step);
    }
    rest.reverse();
    let again = |body| Step::For { start: *start, end: *end, step: *step, index: *index, body };
    Some([again(first), again(rest)])
}

/// The step without the checks in it; nothing if that is all it is.
fn unchecked(step: &Step) -> Option<Step> {
    let list = |steps: &[Step]| steps.iter().filter_map(unchecked).collect();
    Some(match step {
        Step::Check { .. } => return None,
        Step::For { start, end, step, index, body } => {
            Step::For { start: *start, end: *end, step: *step, index: *index, body: list(body) }
        }
        Step::While { condition, flag, body } => {
            Step::While { condition: list(condition), flag: *flag, body: list(body) }
        }
        Step::If { flag, then, otherwise } => Step::If { flag: *flag, then: list(then), otherwise: list(otherwise) },
        plain => plain.clone(),
    })
}
