//! What is known of a plan's steps before they run: that they name what exists, and what they may touch.
//!
//! Invariant: a plan that passes `verify` gives every step slots that are large enough for what it does through them.

use crate::base::Broken;
use crate::ir::array::ParamKind;
use crate::ir::kernel::verify::verify as verify_kernel;
use crate::ir::plan::{AlongOp, MatmulOperand, Plan, Slot, Step, Storage};

fn need(holds: bool, invariant: &str) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken::new("cpu", invariant)) }
}

/// Whether every step keeps to its slots. That slots do not overlap where they must not is the checker's matter.
pub(super) fn verify(plan: &Plan) -> Result<(), Broken> {
    plan.kernels.iter().try_for_each(|kernel| verify_kernel(kernel, "cpu"))?;
    for slot in &plan.slots {
        let size = match slot.storage {
            Storage::Param(at) => plan.params.get(at).map(|param| param.bytes),
            Storage::Fresh(at) => plan.fresh.get(at).copied(),
            Storage::Arena(offset) => plan.arena.checked_sub(offset),
        };
        need(slot.bytes == 0 || size.is_some_and(|size| slot.bytes <= size), "a slot fits its storage")?;
    }
    every(&plan.steps, &mut |step| check(plan, step))
}

fn every(steps: &[Step], see: &mut dyn FnMut(&Step) -> Result<(), Broken>) -> Result<(), Broken> {
    for step in steps {
        see(step)?;
        match step {
            Step::For { body, .. } => every(body, see)?,
            Step::While { condition, body, .. } => {
                every(condition, see)?;
                every(body, see)?;
            }
            Step::If { then, otherwise, .. } => {
                every(then, see)?;
                every(otherwise, see)?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn holds(plan: &Plan, slot: Slot, bytes: Option<u64>) -> Result<(), Broken> {
    let info = plan.slots.get(slot.0 as usize);
    let fits = bytes.zip(info).is_some_and(|(bytes, info)| bytes <= info.bytes);
    need(fits, "a step keeps to its slots")
}

fn size(extents: &[u64], bytes: usize) -> Option<u64> {
    extents.iter().try_fold(bytes as u64, |size, &extent| size.checked_mul(extent))
}

fn check(plan: &Plan, step: &Step) -> Result<(), Broken> {
    match step {
        Step::Launch { kernel, buffers } => {
            let kernel = plan.kernels.get(*kernel).ok_or_else(|| Broken::new("cpu", "a launch has a kernel"))?;
            need(kernel.buffers.len() == buffers.len(), "each buffer of a kernel is bound")?;
            for (info, &slot) in kernel.buffers.iter().zip(buffers) {
                holds(plan, slot, size(&[info.elements], info.dtype.bytes()))?;
            }
            Ok(())
        }
        Step::Copy { from, to, bytes } => {
            holds(plan, *from, Some(*bytes))?;
            holds(plan, *to, Some(*bytes))
        }
        Step::Matmul { a, b, out, sizes, dtype } => {
            let [batches, m, k, n] = *sizes;
            operand(plan, a, [batches, m, k], dtype.bytes())?;
            operand(plan, b, [batches, k, n], dtype.bytes())?;
            holds(plan, *out, size(&[batches, m, n], dtype.bytes()))
        }
        Step::Along { op, from, out, sizes, dtype } => {
            holds(plan, *from, size(sizes, dtype.bytes()))?;
            holds(plan, *out, size(sizes, if *op == AlongOp::Argsort { 4 } else { dtype.bytes() }))
        }
        Step::Scatter { target, index, updates, sizes: [outer, extent, count, inner], dtype } => {
            holds(plan, *target, size(&[*outer, *extent, *inner], dtype.bytes()))?;
            holds(plan, *index, size(&[*count], 8))?;
            holds(plan, *updates, size(&[*outer, *count, *inner], dtype.bytes()))
        }
        Step::Check { bad, shown, .. } => {
            holds(plan, *bad, Some(1))?;
            shown.iter().try_for_each(|(slot, dtype)| holds(plan, *slot, Some(dtype.bytes() as u64)))
        }
        Step::For { start, end, step, index, .. } => {
            [start, end, step, index].into_iter().try_for_each(|slot| holds(plan, *slot, Some(8)))
        }
        Step::While { flag, .. } | Step::If { flag, .. } => holds(plan, *flag, Some(1)),
        Step::Permute(moves) => moves.iter().try_for_each(|(to, from)| {
            let bytes = |slot: &Slot| plan.slots.get(slot.0 as usize).map(|info| info.bytes);
            need(bytes(to).is_some() && bytes(to) == bytes(from), "a permutation is among slots of one size")
        }),
    }
}

/// Whether all of a strided operand lies in its slot.
fn operand(plan: &Plan, of: &MatmulOperand, extents: [u64; 3], bytes: usize) -> Result<(), Broken> {
    if extents.contains(&0) {
        return holds(plan, of.slot, Some(0));
    }
    let (mut low, mut high) = (i128::from(of.offset), i128::from(of.offset));
    for (extent, stride) in extents.into_iter().zip(of.strides) {
        let reach = i128::from(extent - 1) * i128::from(stride);
        if reach < 0 { low += reach } else { high += reach }
    }
    need(low >= 0, "an operand begins in its slot")?;
    holds(plan, of.slot, u64::try_from(high + 1).ok().and_then(|elements| elements.checked_mul(bytes as u64)))
}

/// The slots that a step reads or writes.
fn slots(step: &Step, see: &mut dyn FnMut(Slot)) {
    match step {
        Step::Launch { buffers, .. } => buffers.iter().for_each(|&slot| see(slot)),
        Step::Copy { from, to, .. } => [*from, *to].into_iter().for_each(see),
        Step::Matmul { a, b, out, .. } => [a.slot, b.slot, *out].into_iter().for_each(see),
        Step::Along { from, out, .. } => [*from, *out].into_iter().for_each(see),
        Step::Scatter { target, index, updates, .. } => [*target, *index, *updates].into_iter().for_each(see),
        Step::Check { bad, shown, .. } => {
            see(*bad);
            shown.iter().for_each(|&(slot, _)| see(slot));
        }
        Step::For { start, end, step, index, .. } => [*start, *end, *step, *index].into_iter().for_each(see),
        Step::While { flag, .. } | Step::If { flag, .. } => see(*flag),
        Step::Permute(moves) => moves.iter().for_each(|&(to, from)| {
            see(to);
            see(from);
        }),
    }
}

/// Per parameter, whether a step may touch it.
pub(super) fn touched_params(plan: &Plan) -> Vec<bool> {
    let mut touched = vec![false; plan.params.len()];
    let outcome = every(&plan.steps, &mut |step| {
        slots(step, &mut |slot| {
            if let Some(Storage::Param(at)) = plan.slots.get(slot.0 as usize).map(|info| info.storage)
                && let Some(flag) = touched.get_mut(at)
            {
                *flag = true;
            }
        });
        Ok(())
    });
    debug_assert!(outcome.is_ok(), "nothing is refused here");
    touched
}

/// Per slot, whether it may point into a donated argument at some time.
pub(super) fn donated_slots(plan: &Plan) -> Vec<bool> {
    let is_donated = |at: usize| {
        plan.params.get(at).is_some_and(|param| param.kind == ParamKind::Array { donated: true } && param.bytes > 0)
    };
    let mut donated: Vec<bool> =
        plan.slots.iter().map(|slot| matches!(slot.storage, Storage::Param(at) if is_donated(at))).collect();
    loop {
        let mut grown = false;
        let outcome = every(&plan.steps, &mut |step| {
            if let Step::Permute(moves) = step {
                for (to, from) in moves {
                    let comes = donated.get(from.0 as usize).copied().unwrap_or(false);
                    if let Some(flag) = donated.get_mut(to.0 as usize)
                        && comes
                        && !*flag
                    {
                        *flag = true;
                        grown = true;
                    }
                }
            }
            Ok(())
        });
        debug_assert!(outcome.is_ok(), "nothing is refused here");
        if !grown {
            return donated;
        }
    }
}
