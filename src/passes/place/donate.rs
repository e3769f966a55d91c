//! Which output takes over which donated argument.
//!
//! Buffers of one size are matched so that as many as possible are taken over, and of such matchings one with as many
//! as possible computed in place. Arguments that are returned as they are come first.
//! Invariant: every donated argument gets exactly one verdict.

use super::merge::{Layout, candidates};
use super::plan::Target;
use super::schedule;
use super::split;
use super::witness;
use crate::ir::array::ParamKind;
use crate::ir::plan::{Donation, Refusal, Slot, Storage, Verdict};

/// Decides, and moves outputs into the arguments that they are computed in. `sizes`: elements and bytes per output.
pub(super) fn assign(layout: &mut Layout<'_>, targets: &[Target], sizes: &[(u64, u64)]) -> Vec<Donation> {
    let donors: Vec<usize> = (0..layout.params.len())
        .filter(|&at| layout.params.get(at).is_some_and(|param| param.kind == ParamKind::Array { donated: true }))
        .collect();
    let mut taken: Vec<Option<usize>> = vec![None; targets.len()];
    let mut verdicts: Vec<(usize, Option<Verdict>)> = donors.iter().map(|&donor| (donor, None)).collect();
    for (donor, verdict) in &mut verdicts {
        if let Some(output) = targets.iter().position(|target| *target == Target::Passed(*donor)) {
            *verdict = Some(Verdict::InPlace { output });
            if let Some(slot) = taken.get_mut(output) {
                *slot = Some(*donor);
            }
        }
    }
    let bytes = |layout: &Layout<'_>, donor: usize| layout.params.get(donor).map_or(0, |param| param.bytes);
    let open: Vec<(usize, Slot)> = targets
        .iter()
        .enumerate()
        .filter_map(|(at, target)| if let Target::Computed(slot) = target { Some((at, *slot)) } else { None })
        .collect();
    let free: Vec<usize> = verdicts.iter().filter(|(_, verdict)| verdict.is_none()).map(|(donor, _)| *donor).collect();
    // Alternatives of each argument in which the output is computed in place.
    let mut edges: Vec<(usize, Vec<usize>)> = Vec::new();
    for &donor in &free {
        let fits = open.iter().filter(|(at, _)| sizes.get(*at).map(|size| size.1) == Some(bytes(layout, donor)));
        let mut good: Vec<(bool, usize)> = fits
            .filter(|(_, slot)| in_place(layout, donor, *slot).is_some())
            .map(|(at, slot)| (!becomes(layout, donor, *slot), *at))
            .collect();
        good.sort_unstable();
        edges.push((donor, good.into_iter().map(|(_, at)| at).collect()));
    }
    let mut matched: Vec<Option<usize>> = taken.clone();
    for at in 0..edges.len() {
        let mut seen = vec![false; targets.len()];
        augment(at, &edges, &mut matched, &mut seen);
    }
    // What is right for each argument may be wrong for two at once: then another output is tried for the later one.
    let chosen = open.iter().filter_map(|(at, slot)| Some((matched.get(*at).copied().flatten()?, *at, *slot)));
    let others = free.iter().flat_map(|&donor| open.iter().map(move |&(at, slot)| (donor, at, slot)));
    for (donor, output, slot) in chosen.chain(others).collect::<Vec<_>>() {
        let decided = verdicts.iter().any(|(other, verdict)| *other == donor && verdict.is_some());
        let fits = sizes.get(output).map(|size| size.1) == Some(bytes(layout, donor));
        let place = taken.get_mut(output).filter(|place| place.is_none() && fits && !decided);
        if let Some(place) = place
            && let Some(better) = in_place(layout, donor, slot)
        {
            *layout = better;
            *place = Some(donor);
            decide(&mut verdicts, donor, Verdict::InPlace { output });
        }
    }
    for &donor in &free {
        if verdicts.iter().any(|(other, verdict)| *other == donor && verdict.is_some()) {
            continue;
        }
        let size = bytes(layout, donor);
        let fits = |at: &usize| sizes.get(*at).map(|size| size.1) == Some(size);
        let left = open.iter().find(|(at, _)| fits(at) && taken.get(*at) == Some(&None));
        let verdict = match left {
            Some((output, slot)) => {
                if let Some(place) = taken.get_mut(*output) {
                    *place = Some(donor);
                }
                Verdict::HandedOver { output: *output, why: witness::why(layout, donor, *slot) }
            }
            None => Verdict::Refused(refusal(layout, donor, targets, sizes)),
        };
        decide(&mut verdicts, donor, verdict);
    }
    let verdict = |verdict: Option<Verdict>| verdict.unwrap_or(Verdict::Refused(Refusal::Shape));
    verdicts.into_iter().map(|(param, found)| Donation { param, verdict: verdict(found) }).collect()
}

/// The argument that output `at` is handed over for.
pub(super) fn handed_over(donations: &[Donation], at: usize) -> Option<usize> {
    donations.iter().find_map(|donation| match donation.verdict {
        Verdict::HandedOver { output, .. } if output == at => Some(donation.param),
        _ => None,
    })
}

fn decide(verdicts: &mut [(usize, Option<Verdict>)], donor: usize, verdict: Verdict) {
    if let Some(entry) = verdicts.iter_mut().find(|(other, _)| *other == donor) {
        entry.1 = Some(verdict);
    }
}

/// Finds an output for argument `at` by moving others to their alternatives.
fn augment(at: usize, edges: &[(usize, Vec<usize>)], matched: &mut Vec<Option<usize>>, seen: &mut [bool]) -> bool {
    let Some((donor, outputs)) = edges.get(at) else { return false };
    // One that nobody has, before one that another argument would have to leave.
    let (free, held): (Vec<usize>, Vec<usize>) =
        outputs.iter().partition(|output| matched.get(**output).is_some_and(Option::is_none));
    for output in free.into_iter().chain(held) {
        match seen.get_mut(output) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        let free = match matched.get(output).copied().flatten() {
            None => true,
            Some(other) => edges
                .iter()
                .position(|(donor, _)| *donor == other)
                .is_some_and(|other| augment(other, edges, matched, seen)),
        };
        if free {
            if let Some(slot) = matched.get_mut(output) {
                *slot = Some(*donor);
            }
            return true;
        }
    }
    false
}

/// Whether the output begins as the argument, or is computed from it element by element.
fn becomes(layout: &Layout<'_>, donor: usize, output: Slot) -> bool {
    let mut pairs = [Vec::new(), Vec::new(), Vec::new()];
    candidates(&layout.steps, layout, &mut pairs);
    let (from, to) = (Storage::Param(donor), layout.storage(output));
    pairs.iter().flatten().any(|pair| layout.storage(pair.0) == from && layout.storage(pair.1) == to)
}

/// The layout in which `output` lies in the argument's buffer, readers of it and checks moved forward where that is
/// needed.
fn in_place<'a>(layout: &Layout<'a>, donor: usize, output: Slot) -> Option<Layout<'a>> {
    let param = Slot(u32::try_from(donor).ok()?);
    let storage = layout.storage(output);
    let early = |mut layout: Layout<'a>| {
        let writes = |touched: &schedule::Touched| touched.writes.iter().any(|slot| layout.storage(*slot) == storage);
        layout.steps = schedule::before(&layout.steps, layout.kernels, &writes, &|touched| {
            touched.checks || touched.reads.contains(&param)
        });
        layout
    };
    let apart = || {
        let mut apart = layout.clone();
        apart.steps = split::split(&layout.steps, &layout.slots, layout.kernels);
        (apart.steps != layout.steps).then(|| early(apart))
    };
    let trials = [Some(layout.clone()), Some(early(layout.clone()))].into_iter().chain(std::iter::once_with(apart));
    trials.flatten().find_map(|mut trial| {
        trial.merge(output, param).ok()?;
        trial.completes(trial.storage(output)).then_some(trial)
    })
}

fn refusal(layout: &Layout<'_>, donor: usize, targets: &[Target], sizes: &[(u64, u64)]) -> Refusal {
    let Some(param) = layout.params.get(donor) else { return Refusal::Shape };
    let elements = if param.extents.contains(&0) { 0 } else { param.extents.iter().product() };
    let own = |target: &Target| !matches!(target, Target::Shared(_) | Target::Same(_));
    let mut outputs = targets.iter().zip(sizes).filter(|(target, _)| own(target)).map(|(_, size)| size);
    if outputs.clone().any(|size| size.1 == param.bytes) {
        Refusal::NoOutputLeft
    } else if outputs.any(|size| size.0 == elements) {
        Refusal::DType
    } else {
        Refusal::Shape
    }
}
