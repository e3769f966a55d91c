//! Every small change to a plan that one can think of, each with its kind and what was changed.

use arr::ir::array::ParamKind;
use arr::ir::kernel::{Atom, Body, Index, InstKind, Kernel};
use arr::ir::plan::{OutputSource, Plan, Slot, Step, Storage, Verdict};

/// A changed plan.
pub(crate) struct Corrupt {
    pub(crate) kind: &'static str,
    pub(crate) what: String,
    pub(crate) plan: Plan,
}

/// All of them.
pub(crate) fn all(plan: &Plan) -> Vec<Corrupt> {
    let mut found = Vec::new();
    storages(plan, &mut found);
    steps(plan, &mut found);
    kernels(plan, &mut found);
    announced(plan, &mut found);
    found.retain(|corrupt| corrupt.plan != *plan);
    found
}

fn push(found: &mut Vec<Corrupt>, kind: &'static str, what: String, base: &Plan, change: impl FnOnce(&mut Plan)) {
    let mut plan = base.clone();
    change(&mut plan);
    found.push(Corrupt { kind, what, plan });
}

fn storages(plan: &Plan, found: &mut Vec<Corrupt>) {
    let places: Vec<Storage> = plan.slots.iter().map(|slot| slot.storage).collect();
    for (at, slot) in plan.slots.iter().enumerate() {
        for &place in &places {
            push(found, "storage", format!("s{at} lies in {place}"), plan, |plan| plan.slots[at].storage = place);
        }
        if let Storage::Arena(offset) = slot.storage {
            for moved in [offset + 64, offset.saturating_sub(64), offset + 8, 0] {
                let what = format!("s{at} lies at {moved}");
                push(found, "offset", what, plan, |plan| plan.slots[at].storage = Storage::Arena(moved));
                // The arena grows with it, so that only what is overwritten can tell.
                push(found, "offset", format!("s{at} at {moved}, and room"), plan, |plan| {
                    plan.slots[at].storage = Storage::Arena(moved);
                    plan.arena = plan.arena.max(moved.saturating_add(slot.bytes));
                });
            }
        }
        for bytes in [slot.bytes + 8, slot.bytes.saturating_sub(1), 0] {
            push(found, "size", format!("s{at} has {bytes} bytes"), plan, |plan| plan.slots[at].bytes = bytes);
        }
    }
    for arena in [plan.arena.saturating_sub(64), plan.arena.saturating_sub(1), plan.arena + 64, 0] {
        push(found, "arena", format!("an arena of {arena}"), plan, |plan| plan.arena = arena);
    }
    for at in 0..plan.fresh.len() {
        push(found, "fresh", format!("no fresh {at}"), plan, |plan| _ = plan.fresh.remove(at));
        push(found, "fresh", format!("a larger fresh {at}"), plan, |plan| plan.fresh[at] += 64);
        push(found, "fresh", format!("a smaller fresh {at}"), plan, |plan| plan.fresh[at] -= 1);
    }
    push(found, "fresh", "one more".into(), plan, |plan| plan.fresh.push(64));
}

/// Lists of steps, from the outermost in; `change` sees the `number`th.
fn list(steps: &mut Vec<Step>, number: &mut usize, change: &mut dyn FnMut(&mut Vec<Step>)) {
    if *number == 0 {
        change(steps);
    }
    *number = number.wrapping_sub(1);
    for step in steps {
        match step {
            Step::For { body, .. } => list(body, number, change),
            Step::While { condition, body, .. } => {
                list(condition, number, change);
                list(body, number, change);
            }
            Step::If { then, otherwise, .. } => {
                list(then, number, change);
                list(otherwise, number, change);
            }
            _ => {}
        }
    }
}

fn lists(plan: &Plan) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    loop {
        let (mut here, before) = (all.len(), all.len());
        list(&mut plan.steps.clone(), &mut here, &mut |steps| all.push(steps.clone()));
        if all.len() == before {
            return all;
        }
    }
}

/// The slots of one step, inner lists left out.
fn slots(step: &mut Step) -> Vec<&mut Slot> {
    match step {
        Step::Launch { buffers, .. } => buffers.iter_mut().collect(),
        Step::Copy { from, to, .. } | Step::Along { from, out: to, .. } => vec![from, to],
        Step::Matmul { a, b, out, .. } => vec![&mut a.slot, &mut b.slot, out],
        Step::Scatter { target, index, updates, .. } => vec![target, index, updates],
        Step::Check { bad, .. } => vec![bad],
        Step::For { start, end, step, index, .. } => vec![start, end, step, index],
        Step::While { flag, .. } | Step::If { flag, .. } => vec![flag],
        Step::Permute(moves) => moves.iter_mut().flat_map(|(to, from)| [to, from]).collect(),
    }
}

fn steps(plan: &Plan, found: &mut Vec<Corrupt>) {
    for (number, steps) in lists(plan).into_iter().enumerate() {
        let within = |change: &mut dyn FnMut(&mut Vec<Step>)| {
            let mut plan = plan.clone();
            list(&mut plan.steps, &mut number.clone(), change);
            plan
        };
        let mut add = |kind, what: String, change: &mut dyn FnMut(&mut Vec<Step>)| {
            found.push(Corrupt { kind, what: format!("list {number}: {what}"), plan: within(change) });
        };
        for (at, step) in steps.iter().enumerate() {
            for other in at + 1..steps.len() {
                add("swap steps", format!("{at} and {other}"), &mut |steps| steps.swap(at, other));
            }
            add("drop step", format!("{at}"), &mut |steps| _ = steps.remove(at));
            add("double step", format!("{at}"), &mut |steps| steps.insert(at, step.clone()));
            add("last step", format!("{at}"), &mut |steps| {
                let step = steps.remove(at);
                steps.push(step);
            });
            for place in 0..slots(&mut step.clone()).len() {
                for slot in 0..plan.slots.len() {
                    let kind = if matches!(step, Step::Permute(_)) { "permute" } else { "slot" };
                    add(kind, format!("{at}, operand {place} is s{slot}"), &mut |steps| {
                        *slots(&mut steps[at])[place] = Slot(slot as u32);
                    });
                }
            }
            match step {
                Step::Permute(moves) => {
                    for one in 0..moves.len() {
                        add("permute", format!("{at} without {one}"), &mut |steps| {
                            if let Step::Permute(moves) = &mut steps[at] {
                                moves.remove(one);
                            }
                        });
                        for other in one + 1..moves.len() {
                            add("permute", format!("{at}, {one} and {other} exchanged"), &mut |steps| {
                                if let Step::Permute(moves) = &mut steps[at] {
                                    (moves[one].1, moves[other].1) = (moves[other].1, moves[one].1);
                                }
                            });
                        }
                    }
                }
                Step::Copy { bytes, .. } => {
                    for less in [bytes.saturating_sub(4), bytes + 4] {
                        add("copy", format!("{at} of {less} bytes"), &mut |steps| {
                            if let Step::Copy { bytes, .. } = &mut steps[at] {
                                *bytes = less;
                            }
                        });
                    }
                }
                _ => {}
            }
        }
    }
}

/// The index expressions of a kernel. Those that use values from memory rest on the program's own checks and are not
/// changed.
fn indices(kernel: &mut Kernel) -> Vec<(&'static str, &mut Index)> {
    let (blocks, stores) = match &mut kernel.body {
        Body::Map { block, stores } => (vec![block], stores),
        Body::Reduce { block, finish, stores, .. } => (vec![block, finish], stores),
    };
    let insts = blocks.into_iter().flat_map(|block| &mut block.insts);
    let loads = insts.filter_map(|inst| match &mut inst.kind {
        InstKind::Load { index, .. } => Some(("load", index)),
        _ => None,
    });
    let known = |index: &Index| !index.terms.iter().any(|(atom, _)| matches!(atom, Atom::Value(_)));
    let all = loads.chain(stores.iter_mut().map(|store| ("store", &mut store.index)));
    all.filter(|(_, index)| known(index)).collect()
}

fn kernels(plan: &Plan, found: &mut Vec<Corrupt>) {
    for (number, kernel) in plan.kernels.iter().enumerate() {
        for (at, (kind, index)) in indices(&mut kernel.clone()).into_iter().enumerate() {
            let mut changed = Vec::new();
            for by in [1, -1] {
                changed.push(Index { constant: index.constant + by, ..index.clone() });
                for term in 0..index.terms.len() {
                    let mut other = index.clone();
                    other.terms[term].1 += by;
                    other.terms.retain(|(_, by)| *by != 0);
                    changed.push(other);
                }
            }
            for one in 0..index.terms.len() {
                let (mut back, mut gone) = (index.clone(), index.clone());
                if let (Atom::Var(var), by) = &mut back.terms[one]
                    && let Some(&extent) = kernel.extents.get(*var as usize)
                {
                    back.constant += *by * (extent as i64 - 1);
                    *by = -*by;
                    changed.push(back);
                }
                gone.terms.remove(one);
                changed.push(gone);
                for other in one + 1..index.terms.len() {
                    let mut turned = index.clone();
                    (turned.terms[one].1, turned.terms[other].1) = (turned.terms[other].1, turned.terms[one].1);
                    changed.push(turned);
                }
            }
            for index in changed {
                let what = format!("kernel {number}, {kind} {at}: {index}");
                push(found, if kind == "load" { "load map" } else { "store map" }, what, plan, |plan| {
                    *indices(&mut plan.kernels[number])[at].1 = index;
                });
            }
        }
        for at in 0..kernel.extents.len() {
            for by in [1, u64::MAX] {
                let what = format!("kernel {number}, extent {at}");
                push(found, "extent", what, plan, |plan| {
                    let extent = &mut plan.kernels[number].extents[at];
                    *extent = extent.wrapping_add(by);
                });
            }
        }
        for at in 0..kernel.buffers.len() {
            push(found, "buffer", format!("kernel {number}, b{at} stored or not"), plan, |plan| {
                plan.kernels[number].buffers[at].stored ^= true;
            });
            push(found, "buffer", format!("kernel {number}, b{at} longer"), plan, |plan| {
                plan.kernels[number].buffers[at].elements += 1;
            });
        }
    }
}

fn announced(plan: &Plan, found: &mut Vec<Corrupt>) {
    let mut sources: Vec<OutputSource> = plan.outputs.iter().map(|output| output.source).collect();
    for param in 0..plan.params.len() {
        sources.extend([OutputSource::InPlace(param), OutputSource::Shared(param)]);
        sources.extend((0..plan.fresh.len()).map(|fresh| OutputSource::HandedOver { fresh, param }));
    }
    sources.extend((0..plan.fresh.len()).map(OutputSource::Fresh));
    sources.extend((0..plan.outputs.len()).map(OutputSource::Same));
    for at in 0..plan.outputs.len() {
        for &source in &sources {
            push(found, "source", format!("output {at} is {source}"), plan, |plan| plan.outputs[at].source = source);
        }
        for slot in 0..plan.slots.len() {
            let what = format!("output {at} is the value of s{slot}");
            push(found, "output slot", what, plan, |plan| plan.outputs[at].slot = Slot(slot as u32));
        }
        push(found, "output size", format!("output {at}"), plan, |plan| plan.outputs[at].bytes += 4);
        push(found, "output size", format!("output {at}, extents"), plan, |plan| plan.outputs[at].extents.push(2));
        for other in at + 1..plan.outputs.len() {
            push(found, "source", format!("outputs {at} and {other} exchanged"), plan, |plan| {
                let first = plan.outputs[at].source;
                plan.outputs[at].source = plan.outputs[other].source;
                plan.outputs[other].source = first;
            });
        }
    }
    for at in 0..plan.donations.len() {
        push(found, "verdict", format!("no verdict {at}"), plan, |plan| _ = plan.donations.remove(at));
        push(found, "verdict", format!("verdict {at} twice"), plan, |plan| {
            plan.donations.push(plan.donations[at].clone());
        });
        let refused = Verdict::Refused(arr::ir::plan::Refusal::NoOutputLeft);
        let mut verdicts = vec![refused];
        for output in 0..plan.outputs.len() {
            verdicts.extend([Verdict::InPlace { output }, Verdict::HandedOver { output, why: String::new() }]);
        }
        let now = |verdict: &Verdict| match (&plan.donations[at].verdict, verdict) {
            (Verdict::HandedOver { output, .. }, Verdict::HandedOver { output: other, .. }) => output == other,
            (one, other) => one == other,
        };
        verdicts.retain(|verdict| !now(verdict));
        for verdict in verdicts {
            let what = format!("verdict {at} is {verdict:?}");
            push(found, "verdict", what, plan, |plan| plan.donations[at].verdict = verdict);
        }
        // The lie told all the way: what is handed over is announced as in place, and nothing is allocated.
        if let Verdict::HandedOver { output, .. } = plan.donations[at].verdict {
            push(found, "verdict", format!("verdict {at} and its output in place"), plan, |plan| {
                plan.donations[at].verdict = Verdict::InPlace { output };
                plan.outputs[output].source = OutputSource::InPlace(plan.donations[at].param);
            });
            if let OutputSource::HandedOver { fresh, param } = plan.outputs[output].source
                && fresh + 1 == plan.fresh.len()
            {
                push(found, "verdict", format!("verdict {at}, its output and its slots in place"), plan, |plan| {
                    plan.donations[at].verdict = Verdict::InPlace { output };
                    plan.outputs[output].source = OutputSource::InPlace(param);
                    plan.fresh.pop();
                    let moved = plan.slots.iter_mut().filter(|slot| slot.storage == Storage::Fresh(fresh));
                    moved.for_each(|slot| slot.storage = Storage::Param(param));
                });
            }
        }
    }
    for at in 0..plan.params.len() {
        if let ParamKind::Array { donated } = plan.params[at].kind {
            push(found, "lent", format!("param {at} {}", if donated { "lent" } else { "donated" }), plan, |plan| {
                plan.params[at].kind = ParamKind::Array { donated: !donated };
            });
        }
    }
}
