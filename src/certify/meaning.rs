//! Whether a plan computes what was meant: the same terms, step by step, whatever the order of the steps.
//!
//! Both lists of steps are evaluated over terms in which every slot is a variable of its own: a launch makes a term of
//! what it reads, a copy or an exchange of pointers hands terms on. Equal terms get equal numbers, so that outputs and
//! checks are compared by number. A loop makes, for each slot that it changes, a term of the values that this one
//! depends on from round to round; what a round leaves in slots that nobody reads does not matter.
//! Invariant: steps with equal terms compute equal bits.

use super::access::Access;
use super::{Rule, Violation, need};
use crate::base::{DType, Span};
use crate::ir::array::Check;
use crate::ir::kernel::Kernel;
use crate::ir::plan::{MatmulOperand, Plan, PlanParam, Slot, Step};
use std::collections::{BTreeMap, BTreeSet};

/// A program as kernels and steps before anything shared memory: every slot is a variable.
#[derive(Clone, Copy, Debug)]
pub struct Meant<'a> {
    /// Arguments; slot `k` is argument `k`.
    pub params: &'a [PlanParam],
    /// Size of each slot.
    pub bytes: &'a [u64],
    /// Loop nests.
    pub kernels: &'a [Kernel],
    /// In order.
    pub steps: &'a [Step],
    /// Faults.
    pub checks: &'a [(Check, Span)],
    /// Results.
    pub outputs: &'a [(Slot, DType, Vec<u64>)],
}

type Id = u32;

/// What makes a value, and of what.
type Term = (String, Vec<Id>);

/// Compares a plan with what was meant.
///
/// # Errors
/// The first output, check or table that differs.
pub(super) fn same(plan: &Plan, meant: &Meant<'_>) -> Result<(), Violation> {
    let differs = |what: &str| Violation::new(Rule::Meaning, format!("the plan has other {what}"));
    let sizes = plan.slots.get(..meant.bytes.len()).ok_or_else(|| differs("slots"))?;
    need(sizes.iter().map(|slot| slot.bytes).eq(meant.bytes.iter().copied()), Rule::Meaning, || "other sizes".into())?;
    need(plan.params == meant.params, Rule::Meaning, || "other arguments".into())?;
    need(plan.kernels == meant.kernels, Rule::Meaning, || "other kernels".into())?;
    need(plan.checks == meant.checks, Rule::Meaning, || "other checks".into())?;
    need(plan.outputs.len() == meant.outputs.len(), Rule::Meaning, || "other outputs".into())?;
    let access = plan.kernels.iter().map(Access::new).collect::<Result<Vec<_>, _>>()?;
    let bytes: Vec<u64> = plan.slots.iter().map(|slot| slot.bytes).collect();
    let mut terms = Terms { access: &access, bytes: &bytes, known: BTreeMap::new(), list: Vec::new() };
    let start: Vec<Id> = (0..bytes.len()).map(|slot| terms.term(format!("at first s{slot}"), vec![])).collect();
    let (mut wanted, mut found) = (start.clone(), start);
    let (mut wanted_checks, mut found_checks) = (Vec::new(), Vec::new());
    terms.steps(meant.steps, &mut wanted, &mut wanted_checks);
    terms.steps(&plan.steps, &mut found, &mut found_checks);
    need(wanted_checks == found_checks, Rule::Meaning, || "checks are made of other values".into())?;
    let (mut must, mut does) = (Behind::default(), Behind::default());
    must.list(&access, meant.steps);
    does.list(&access, &plan.steps);
    for (user, checks) in &must.users {
        let passed = does.users.get(user);
        let early = checks.iter().find(|check| passed.is_some_and(|passed| !passed.contains(check)));
        need(early.is_none(), Rule::Meaning, || format!("{user:?} uses an index before check {early:?}"))?;
    }
    for (at, (output, (slot, dtype, extents))) in plan.outputs.iter().zip(meant.outputs).enumerate() {
        let typed = output.dtype == *dtype && output.extents == *extents;
        let value = |env: &[Id], slot: Slot| env.get(slot.0 as usize).copied();
        let equal = typed && value(&found, output.slot) == value(&wanted, *slot);
        need(equal, Rule::Meaning, || format!("output {at} is {}, where {slot} is another value", output.slot))?;
    }
    Ok(())
}

struct Terms<'a> {
    access: &'a [Access],
    bytes: &'a [u64],
    known: BTreeMap<Term, Id>,
    list: Vec<Term>,
}

/// A step whose indices come from memory: a launch by its kernel, a scatter by its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum User {
    Launch(usize),
    Scatter(Slot),
}

/// The checks that stand before each use of an index, in the order of the text.
#[derive(Default)]
struct Behind {
    passed: BTreeSet<usize>,
    users: BTreeMap<User, BTreeSet<usize>>,
}

impl Behind {
    fn list(&mut self, access: &[Access], steps: &[Step]) {
        for step in steps {
            let user = match step {
                Step::Launch { kernel, .. } => {
                    access.get(*kernel).filter(|access| access.from_memory).map(|_| User::Launch(*kernel))
                }
                Step::Scatter { target, .. } => Some(User::Scatter(*target)),
                _ => None,
            };
            if let Some(user) = user {
                let passed = self.passed.clone();
                self.users.entry(user).and_modify(|known| known.retain(|at| passed.contains(at))).or_insert(passed);
            }
            match step {
                Step::Check { check, .. } => _ = self.passed.insert(*check),
                Step::For { body, .. } => self.list(access, body),
                Step::While { condition, body, .. } => {
                    self.list(access, condition);
                    self.list(access, body);
                }
                Step::If { then, otherwise, .. } => {
                    self.list(access, then);
                    self.list(access, otherwise);
                }
                _ => {}
            }
        }
    }
}

/// The values of the slots.
type Env = Vec<Id>;

/// A loop of either kind: `head` and, while it goes on, `body`.
struct Loop<'s> {
    name: String,
    head: &'s [Step],
    body: &'s [Step],
    /// Where a `for` puts its count, and the term of that.
    number: Option<(Slot, Id)>,
    /// What a `while` asks.
    flag: Option<Slot>,
    /// Start, end and step of a `for`.
    counted: Vec<Id>,
}

impl Terms<'_> {
    fn term(&mut self, what: String, of: Vec<Id>) -> Id {
        let next = self.list.len() as Id;
        let term = (what, of);
        if let Some(&id) = self.known.get(&term) {
            return id;
        }
        self.list.push(term.clone());
        self.known.insert(term, next);
        next
    }

    fn steps(&mut self, steps: &[Step], env: &mut Env, checks: &mut Vec<Id>) {
        for step in steps {
            self.step(step, env, checks);
        }
    }

    fn step(&mut self, step: &Step, env: &mut Env, checks: &mut Vec<Id>) {
        match step {
            Step::Launch { kernel, buffers } => self.launch(*kernel, buffers, env),
            Step::Copy { from, to, bytes } => {
                let (source, before) = (get(env, *from), get(env, *to));
                let whole = self.bytes.get(to.0 as usize) == Some(bytes);
                let copied = if whole { source } else { self.term(format!("copy {bytes}"), vec![source, before]) };
                set(env, *to, copied);
            }
            Step::Matmul { a, b, out, sizes, dtype } => {
                let shape = |of: &MatmulOperand| format!("{} {:?}", of.offset, of.strides);
                let what = format!("matmul {dtype} {} {} {sizes:?}", shape(a), shape(b));
                let made = self.term(what, vec![get(env, a.slot), get(env, b.slot)]);
                set(env, *out, made);
            }
            Step::Along { op, from, out, sizes, dtype } => {
                let made = self.term(format!("{op:?} {dtype} {sizes:?}"), vec![get(env, *from)]);
                set(env, *out, made);
            }
            Step::Scatter { target, index, updates, sizes, dtype } => {
                let of = [target, index, updates].map(|slot| get(env, *slot)).to_vec();
                let made = self.term(format!("scatter {dtype} {sizes:?}"), of);
                set(env, *target, made);
            }
            Step::Check { check, bad, shown } => {
                let of = [*bad].into_iter().chain(shown.iter().map(|(slot, _)| *slot)).map(|slot| get(env, slot));
                let dtypes: Vec<DType> = shown.iter().map(|(_, dtype)| *dtype).collect();
                let of = of.collect();
                checks.push(self.term(format!("check {check} {dtypes:?}"), of));
            }
            Step::Permute(moves) => {
                let before = env.clone();
                moves.iter().for_each(|(to, from)| set(env, *to, get(&before, *from)));
            }
            Step::If { flag, then, otherwise } => {
                let flag = get(env, *flag);
                let (mut yes, mut yes_checks) = (env.clone(), Vec::new());
                let (mut no, mut no_checks) = (env.clone(), Vec::new());
                self.steps(then, &mut yes, &mut yes_checks);
                self.steps(otherwise, &mut no, &mut no_checks);
                for (value, (a, b)) in env.iter_mut().zip(yes.into_iter().zip(no)) {
                    *value = if a == b { a } else { self.term("if".into(), vec![flag, a, b]) };
                }
                if !(yes_checks.is_empty() && no_checks.is_empty()) {
                    let (yes, no) = (self.term("all".into(), yes_checks), self.term("all".into(), no_checks));
                    checks.push(self.term("if".into(), vec![flag, yes, no]));
                }
            }
            Step::For { start, end, step, index, body } => {
                let counted = [start, end, step].map(|slot| get(env, *slot)).to_vec();
                let number = Some((*index, self.term(format!("number of {index}"), vec![])));
                let name = format!("for {index}");
                self.repeat(&Loop { name, head: &[], body, number, flag: None, counted }, env, checks);
            }
            Step::While { condition, flag, body } => {
                let name = format!("while {flag}");
                let counted = Vec::new();
                self.repeat(
                    &Loop { name, head: condition, body, number: None, flag: Some(*flag), counted },
                    env,
                    checks,
                );
            }
        }
    }

    fn launch(&mut self, kernel: usize, buffers: &[Slot], env: &mut Env) {
        let Some(access) = self.access.get(kernel) else { return };
        let stored = |at: usize| access.written.iter().find(|written| written.buffer == at);
        let counts = |at: usize| access.reads(at) || stored(at).is_some_and(|written| !written.dense);
        let of: Vec<Id> =
            (buffers.iter().enumerate()).filter(|(at, _)| counts(*at)).map(|(_, slot)| get(env, *slot)).collect();
        let targets: Vec<usize> = access.written.iter().map(|written| written.buffer).collect();
        for at in targets {
            let made = self.term(format!("launch {kernel} b{at}"), of.clone());
            if let Some(slot) = buffers.get(at) {
                set(env, *slot, made);
            }
        }
    }

    /// For each slot that a loop changes, the term of what it ends with.
    fn repeat(&mut self, of: &Loop<'_>, env: &mut Env, checks: &mut Vec<Id>) {
        let name = &of.name;
        let mut changed: BTreeSet<Slot> = of.number.iter().map(|(slot, _)| *slot).collect();
        self.written(of.head, &mut changed);
        self.written(of.body, &mut changed);
        let (mut carried, mut ends, mut round, mut inner);
        loop {
            round = env.clone();
            carried = BTreeMap::new();
            for &slot in &changed {
                let id = self.term(format!("{name} carries {slot}"), vec![]);
                carried.insert(id, slot);
                set(&mut round, slot, id);
            }
            inner = Vec::new();
            self.steps(of.head, &mut round, &mut inner);
            // Where it ends is after the head.
            ends = round.clone();
            if let Some((slot, id)) = of.number {
                set(&mut round, slot, id);
            }
            self.steps(of.body, &mut round, &mut inner);
            // What comes back as it went in has not changed: exchanged twice, say.
            let before = changed.len();
            changed.retain(|slot| carried.get(&get(&round, *slot)) != Some(slot));
            if changed.len() == before {
                break;
            }
        }
        let goes_on: Vec<Id> = of.flag.iter().map(|flag| get(&ends, *flag)).collect();
        let before = env.clone();
        let close = |terms: &mut Self, what: &str, values: Vec<Id>| {
            let from = terms.depends(values.iter().chain(&goes_on), &carried, &round);
            let mut made = [of.counted.as_slice(), &goes_on, &values].concat();
            made.extend(from.iter().flat_map(|slot| [get(&before, *slot), get(&round, *slot)]));
            terms.term(format!("{name} {what} {from:?}"), made)
        };
        for &slot in &changed {
            let value = close(self, "gives", vec![get(&ends, slot)]);
            set(env, slot, value);
        }
        if !inner.is_empty() {
            checks.push(close(self, "checks", inner));
        }
    }

    /// Slots that get new values.
    fn written(&self, steps: &[Step], into: &mut BTreeSet<Slot>) {
        for step in steps {
            match step {
                Step::Launch { kernel, buffers } => {
                    let access = self.access.get(*kernel).map_or(&[][..], |access| &access.written);
                    into.extend(access.iter().filter_map(|written| buffers.get(written.buffer)));
                }
                Step::Copy { to, .. } | Step::Along { out: to, .. } | Step::Matmul { out: to, .. } => {
                    into.insert(*to);
                }
                Step::Scatter { target, .. } => _ = into.insert(*target),
                Step::Check { .. } => {}
                Step::Permute(moves) => into.extend(moves.iter().map(|(to, _)| *to)),
                Step::For { index, body, .. } => {
                    into.insert(*index);
                    self.written(body, into);
                }
                Step::While { condition, body, .. } => {
                    self.written(condition, into);
                    self.written(body, into);
                }
                Step::If { then, otherwise, .. } => {
                    self.written(then, into);
                    self.written(otherwise, into);
                }
            }
        }
    }

    /// The carried slots that values depend on, directly or by way of later rounds.
    fn depends<'i>(
        &self,
        roots: impl Iterator<Item = &'i Id>,
        carried: &BTreeMap<Id, Slot>,
        round: &Env,
    ) -> BTreeSet<Slot> {
        let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
        let mut pending: Vec<Id> = roots.copied().collect();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            if let Some(&slot) = carried.get(&id) {
                found.insert(slot);
                pending.push(get(round, slot));
            }
            pending.extend(self.list.get(id as usize).map_or(&[][..], |term| &term.1));
        }
        found
    }
}

fn get(env: &Env, slot: Slot) -> Id {
    // A slot that does not exist is found by the walk over memory.
    env.get(slot.0 as usize).copied().unwrap_or(Id::MAX)
}

fn set(env: &mut Env, slot: Slot, value: Id) {
    if let Some(place) = env.get_mut(slot.0 as usize) {
        *place = value;
    }
}
