//! Slots that share one storage: proposed pair by pair, kept where the flow of values stays what it was.
//!
//! Invariant: after every accepted merge the steps pass R2 to R8.

use super::alias::Aliasing;
use super::flow::{Flow, key};
use crate::ir::kernel::Kernel;
use crate::ir::plan::{PlanParam, Slot, SlotInfo, Step, Storage};

/// A plan in the making.
#[derive(Clone, Debug)]
pub(super) struct Layout<'a> {
    pub(super) params: &'a [PlanParam],
    pub(super) kernels: &'a [Kernel],
    pub(super) aliasing: &'a [Aliasing],
    pub(super) slots: Vec<SlotInfo>,
    pub(super) steps: Vec<Step>,
    /// What leaves the program: these slots hold their values after the last step.
    pub(super) live: Vec<Slot>,
}

impl Layout<'_> {
    /// Whether the flow of values is right, and what the first fault is. What leaves the program in a buffer of its own
    /// is there itself, and not by an exchange of pointers.
    pub(super) fn fault(&self) -> Option<String> {
        let flow = Flow { params: self.params, slots: &self.slots, kernels: self.kernels, aliasing: self.aliasing };
        let complete = match flow.run(&self.steps, &self.live) {
            Ok(complete) => complete,
            Err(fault) => return Some(fault),
        };
        let storages = self.live.iter().map(|&slot| self.storage(slot));
        let elsewhere = storages
            .filter(|storage| !matches!(storage, Storage::Arena(_)))
            .find(|&storage| complete.get(&key(storage)) != Some(&true));
        elsewhere.map(|storage| format!("R9: {storage:?} is not complete"))
    }

    /// Whether the storage holds a complete value of its own at the end.
    pub(super) fn completes(&self, storage: Storage) -> bool {
        let flow = Flow { params: self.params, slots: &self.slots, kernels: self.kernels, aliasing: self.aliasing };
        flow.run(&self.steps, &self.live).is_ok_and(|complete| complete.get(&key(storage)) == Some(&true))
    }

    /// The storage of a slot.
    pub(super) fn storage(&self, slot: Slot) -> Storage {
        self.slots.get(slot.0 as usize).map_or(Storage::Arena(0), |info| info.storage)
    }

    /// Everything that lies where `slot` does lies in `storage` from now on.
    pub(super) fn move_to(&mut self, slot: Slot, storage: Storage) {
        let old = self.storage(slot);
        for info in &mut self.slots {
            if info.storage == old {
                info.storage = storage;
            }
        }
        let slots = &self.slots;
        rename_copies(&mut self.steps, slots);
    }

    /// Lets `slot` share the storage of `with`, if that leaves every value right.
    ///
    /// # Errors
    /// The rule that it would break.
    pub(super) fn merge(&mut self, slot: Slot, with: Slot) -> Result<(), String> {
        let mut trial = self.clone();
        trial.move_to(slot, self.storage(with));
        match trial.fault() {
            Some(fault) => Err(fault),
            None => {
                *self = trial;
                Ok(())
            }
        }
    }
}

/// A copy within one storage is a change of name: the two slots exchange their (equal) pointers.
fn rename_copies(steps: &mut [Step], slots: &[SlotInfo]) {
    for step in steps {
        match step {
            Step::Copy { from, to, .. } => {
                let of = |slot: Slot| slots.get(slot.0 as usize).map(|info| (info.storage, info.bytes));
                if of(*from) == of(*to) {
                    *step = Step::Permute(vec![(*to, *from), (*from, *to)]);
                }
            }
            Step::For { body, .. } => rename_copies(body, slots),
            Step::While { condition, body, .. } => {
                rename_copies(condition, slots);
                rename_copies(body, slots);
            }
            Step::If { then, otherwise, .. } => {
                rename_copies(then, slots);
                rename_copies(otherwise, slots);
            }
            _ => {}
        }
    }
}

/// Pairs `(from, to)` that could share a storage: ends of rounds, then copies, then kernels that may work in place.
pub(super) fn candidates(steps: &[Step], layout: &Layout<'_>, into: &mut [Vec<(Slot, Slot)>; 3]) {
    for step in steps {
        match step {
            Step::Permute(moves) => {
                let back = |(to, from): &&(Slot, Slot)| moves.contains(&(*from, *to)) && to < from;
                into[0].extend(moves.iter().filter(back).map(|&(to, from)| (from, to)));
            }
            Step::Copy { from, to, .. } => into[1].push((*from, *to)),
            Step::Launch { kernel, buffers } => {
                let pairs = layout.aliasing.get(*kernel).map(|facts| &facts.in_place);
                for &(loaded, stored) in pairs.into_iter().flatten() {
                    if let (Some(&from), Some(&to)) = (buffers.get(loaded), buffers.get(stored)) {
                        into[2].push((from, to));
                    }
                }
            }
            Step::For { body, .. } => candidates(body, layout, into),
            Step::While { condition, body, .. } => {
                candidates(condition, layout, into);
                candidates(body, layout, into);
            }
            Step::If { then, otherwise, .. } => {
                candidates(then, layout, into);
                candidates(otherwise, layout, into);
            }
            _ => {}
        }
    }
}
