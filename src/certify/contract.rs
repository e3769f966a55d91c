//! What a plan announces: sizes of storages, outputs in their buffers, donations, bytes allocated.
//!
//! Invariant: fresh buffers and outputs that take over nothing correspond one to one.

use super::memory::{Ends, place};
use super::{Match, Rule, Violation, need};
use crate::ir::array::ParamKind;
use crate::ir::plan::{OutputSource, Plan, Storage, Verdict};

/// Offsets in the arena are multiples of it.
const ALIGNED: u64 = 64;

/// Every slot inside its storage, slot `k` at argument `k`, the arena as large as what lies in it.
pub(super) fn storages(plan: &Plan) -> Result<(), Violation> {
    let mut reach = 0;
    for (at, slot) in plan.slots.iter().enumerate() {
        let room = match slot.storage {
            Storage::Param(param) => plan.params.get(param).map(|param| param.bytes),
            Storage::Fresh(fresh) => plan.fresh.get(fresh).copied(),
            Storage::Arena(offset) => {
                need(offset % ALIGNED == 0, Rule::Bounds, || format!("s{at} begins at arena + {offset}"))?;
                if slot.bytes > 0 {
                    reach = reach.max(offset.saturating_add(slot.bytes));
                }
                plan.arena.checked_sub(offset)
            }
        };
        let fits = slot.bytes == 0 || room.is_some_and(|room| slot.bytes <= room);
        need(fits, Rule::Bounds, || format!("s{at} has {} bytes in {}", slot.bytes, slot.storage))?;
    }
    for (at, param) in plan.params.iter().enumerate() {
        let own =
            plan.slots.get(at).is_some_and(|slot| slot.storage == Storage::Param(at) && slot.bytes == param.bytes);
        need(own, Rule::Bounds, || format!("s{at} is not {}", param.name))?;
    }
    need(reach == plan.arena, Rule::Allocation, || {
        format!("an arena of {} bytes, of which {reach} are used", plan.arena)
    })
}

/// Outputs against the memory at the end, then the donations and what is allocated.
pub(super) fn outputs(plan: &Plan, ends: &Ends) -> Result<Vec<Match>, Violation> {
    let mut fresh_used = vec![0usize; plan.fresh.len()];
    let mut taken_over = vec![0usize; plan.params.len()];
    for (at, output) in plan.outputs.iter().enumerate() {
        let elements = output.extents.iter().try_fold(1u64, |product, &extent| product.checked_mul(extent));
        let elements = if output.extents.contains(&0) { Some(0) } else { elements };
        let bytes = elements.and_then(|elements| elements.checked_mul(output.dtype.bytes() as u64));
        let slot = plan.slots.get(output.slot.0 as usize);
        let sized = bytes == Some(output.bytes) && slot.is_some_and(|slot| slot.bytes == output.bytes);
        need(sized, Rule::Output, || format!("output {at} has {} bytes", output.bytes))?;
        let param = |param: usize| plan.params.get(param).filter(|param| param.bytes == output.bytes).map(|p| p.kind);
        let mut take = |param_at: usize| {
            let count =
                taken_over.get_mut(param_at).filter(|_| param(param_at) == Some(ParamKind::Array { donated: true }));
            count.map(|count| *count += 1)
        };
        let mut use_fresh = |fresh: usize| {
            let count = fresh_used.get_mut(fresh).filter(|_| plan.fresh.get(fresh) == Some(&output.bytes));
            count.map(|count| *count += 1)
        };
        let lies = match output.source {
            OutputSource::Fresh(fresh) => use_fresh(fresh).map(|()| Storage::Fresh(fresh)),
            OutputSource::HandedOver { fresh, param } => {
                use_fresh(fresh).and(take(param)).map(|()| Storage::Fresh(fresh))
            }
            OutputSource::InPlace(param) => take(param).map(|()| Storage::Param(param)),
            OutputSource::Shared(lent) => {
                let shared = param(lent) == Some(ParamKind::Array { donated: false }) && output.slot.0 as usize == lent;
                shared.then_some(Storage::Param(lent))
            }
            OutputSource::Same(earlier) => {
                let same = plan.outputs.get(earlier).filter(|other| earlier < at && other.slot == output.slot);
                need(same.is_some(), Rule::Output, || format!("output {at} is not output {earlier}"))?;
                continue;
            }
        };
        let lies = lies.ok_or_else(|| {
            Violation::new(
                Rule::Allocation,
                format!("output {at} ({}) has no buffer of {} bytes there", output.source, output.bytes),
            )
        })?;
        let there = output.bytes == 0 || ends.holds(output.slot, place(lies));
        need(there, Rule::Output, || {
            format!("output {at} is the value of {}, which is not in {lies} at the end", output.slot)
        })?;
    }
    for (at, count) in fresh_used.iter().enumerate() {
        need(*count == 1, Rule::Allocation, || format!("fresh {at} is the buffer of {count} outputs"))?;
    }
    donations(plan, &taken_over)
}

fn donations(plan: &Plan, taken_over: &[usize]) -> Result<Vec<Match>, Violation> {
    let mut matching = Vec::new();
    for (at, param) in plan.params.iter().enumerate() {
        let mut verdicts = plan.donations.iter().filter(|donation| donation.param == at);
        let (verdict, more) = (verdicts.next(), verdicts.next());
        let wanted = usize::from(param.kind == ParamKind::Array { donated: true });
        let found = usize::from(verdict.is_some()) + usize::from(more.is_some());
        need(found == wanted, Rule::Donation, || format!("{found} verdicts on {}", param.name))?;
        let Some(donation) = verdict else { continue };
        let source = |output: usize| plan.outputs.get(output).map(|output| output.source);
        let (output, agrees) = match donation.verdict {
            Verdict::InPlace { output } => (Some((output, true)), source(output) == Some(OutputSource::InPlace(at))),
            Verdict::HandedOver { output, .. } => {
                let handed = |source| matches!(source, OutputSource::HandedOver { param, .. } if param == at);
                (Some((output, false)), source(output).is_some_and(handed))
            }
            // Whatever the reason: an output of the size that takes over nothing would have done.
            Verdict::Refused(_) => {
                let free = |source| matches!(source, OutputSource::Fresh(_));
                (None, !plan.outputs.iter().any(|output| output.bytes == param.bytes && free(output.source)))
            }
        };
        let once = taken_over.get(at) == Some(&usize::from(output.is_some()));
        need(agrees && once, Rule::Donation, || format!("the verdict on {} is not what the outputs say", param.name))?;
        matching.push(Match { param: param.name.clone(), output });
    }
    let known = plan.donations.iter().all(|donation| donation.param < plan.params.len());
    need(known, Rule::Donation, || "a verdict on an argument that does not exist".into())?;
    Ok(matching)
}
