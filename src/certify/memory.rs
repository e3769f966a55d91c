//! Walks the steps of a plan and keeps, for each slot, which bytes it points to and whether they are still its own.
//!
//! A slot is *intact* while its bytes hold what was last written through it. Writing through one slot takes that from
//! every other slot whose bytes meet the written ones; reading asks for it. Pointers move only in loops: the walk keeps
//! one record per arrangement of pointers and goes round until none is new and none loses an intact slot.
//! Invariant: whatever path a run takes, its state is covered by one of the records.

use super::access::Access;
use super::{Launch, Rule, Violation, need};
use crate::ir::array::ParamKind;
use crate::ir::plan::{AlongOp, MatmulOperand, Plan, Slot, Step, Storage};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Arrangements of pointers beyond which a plan is not followed.
const MOST: usize = 512;

/// First byte of something: which memory, and how far into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    memory: Memory,
    offset: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Memory {
    Param(usize),
    Fresh(usize),
    Arena,
}

/// Where a storage begins.
pub(super) fn place(storage: Storage) -> Place {
    let (memory, offset) = match storage {
        Storage::Param(at) => (Memory::Param(at), 0),
        Storage::Fresh(at) => (Memory::Fresh(at), 0),
        Storage::Arena(offset) => (Memory::Arena, offset),
    };
    Place { memory, offset }
}

/// What is known for one arrangement of pointers.
#[derive(Clone, Debug, PartialEq)]
struct Facts {
    /// By slot.
    intact: Vec<bool>,
    /// A donated argument has been written.
    dirty: bool,
}

/// By arrangement: where each slot points.
type Records = BTreeMap<Vec<Place>, Facts>;

/// The records after the last step.
pub(super) struct Ends(Records);

impl Ends {
    /// Whether, on every path, the value of `slot` lies at `at`.
    pub(super) fn holds(&self, slot: Slot, at: Place) -> bool {
        let slot = slot.0 as usize;
        self.0.iter().all(|(places, facts)| places.get(slot) == Some(&at) && facts.intact.get(slot) == Some(&true))
    }
}

/// The walk over one plan.
pub(super) struct Walk<'a> {
    plan: &'a Plan,
    access: Vec<Access>,
    /// Which slot's write took each slot its bytes, for messages.
    blame: Vec<Option<Slot>>,
    /// By the address of the step, since a loop comes by more than once.
    seen: BTreeSet<*const Step>,
    pub(super) launches: Vec<Launch>,
    pub(super) steps: usize,
    pub(super) arrangements: usize,
}

impl<'a> Walk<'a> {
    /// Takes the kernels apart.
    pub(super) fn new(plan: &'a Plan) -> Result<Self, Violation> {
        let access = plan.kernels.iter().map(Access::new).collect::<Result<_, _>>()?;
        Ok(Self {
            plan,
            access,
            blame: vec![None; plan.slots.len()],
            seen: BTreeSet::new(),
            launches: Vec::new(),
            steps: 0,
            arrangements: 1,
        })
    }

    /// From the call to its end.
    pub(super) fn run(&mut self) -> Result<Ends, Violation> {
        let plan = self.plan;
        let places = plan.slots.iter().map(|slot| place(slot.storage)).collect();
        let intact = (0..plan.slots.len()).map(|at| at < plan.params.len()).collect();
        let start = Records::from([(places, Facts { intact, dirty: false })]);
        self.list(&plan.steps, start).map(Ends)
    }

    fn list(&mut self, steps: &'a [Step], mut records: Records) -> Result<Records, Violation> {
        for step in steps {
            records = self.step(step, records)?;
        }
        Ok(records)
    }

    fn step(&mut self, step: &'a Step, records: Records) -> Result<Records, Violation> {
        let first = self.seen.insert(step);
        self.steps += usize::from(first);
        match step {
            Step::For { start, end, step, index, body } => {
                for (places, facts) in &records {
                    self.read(facts, places, &[(*start, 8), (*end, 8), (*step, 8)])?;
                }
                let mut before = records;
                loop {
                    let mut round = before.clone();
                    for (places, facts) in &mut round {
                        self.write(facts, places, *index, 8, true)?;
                    }
                    let after = self.list(body, round)?;
                    let all = self.join(before.clone(), after)?;
                    if all == before {
                        return Ok(all);
                    }
                    before = all;
                }
            }
            Step::While { condition, flag, body } => {
                let mut before = records;
                loop {
                    let decided = self.list(condition, before.clone())?;
                    for (places, facts) in &decided {
                        self.read(facts, places, &[(*flag, 1)])?;
                    }
                    let after = self.list(body, decided.clone())?;
                    let all = self.join(before.clone(), after)?;
                    if all == before {
                        return Ok(decided);
                    }
                    before = all;
                }
            }
            Step::If { flag, then, otherwise } => {
                for (places, facts) in &records {
                    self.read(facts, places, &[(*flag, 1)])?;
                }
                let yes = self.list(then, records.clone())?;
                let no = self.list(otherwise, records)?;
                self.join(yes, no)
            }
            Step::Permute(moves) => {
                let mut moved = Records::new();
                for (places, facts) in records {
                    let one = self.permute(moves, &places, &facts)?;
                    moved = self.join(moved, Records::from([one]))?;
                }
                Ok(moved)
            }
            plain => {
                let mut records = records;
                for (at, (places, facts)) in records.iter_mut().enumerate() {
                    let launch = self.plain(plain, places, facts)?;
                    if first && at == 0 {
                        self.launches.extend(launch);
                    }
                }
                Ok(records)
            }
        }
    }

    /// What holds for both, per arrangement.
    fn join(&mut self, mut one: Records, other: Records) -> Result<Records, Violation> {
        for (places, facts) in other {
            match one.get_mut(&places) {
                Some(known) => {
                    known.dirty |= facts.dirty;
                    known.intact.iter_mut().zip(facts.intact).for_each(|(known, also)| *known &= also);
                }
                None => _ = one.insert(places, facts),
            }
        }
        self.arrangements = self.arrangements.max(one.len());
        need(one.len() <= MOST, Rule::Pointers, || format!("more than {MOST} arrangements of pointers"))?;
        Ok(one)
    }

    fn permute(
        &self,
        moves: &[(Slot, Slot)],
        places: &[Place],
        facts: &Facts,
    ) -> Result<(Vec<Place>, Facts), Violation> {
        let to: BTreeSet<Slot> = moves.iter().map(|(to, _)| *to).collect();
        let from: BTreeSet<Slot> = moves.iter().map(|(_, from)| *from).collect();
        let permuted = to == from && to.len() == moves.len();
        need(permuted, Rule::Pointers, || format!("{moves:?} is no permutation"))?;
        let (mut moved, mut changed) = (places.to_vec(), facts.clone());
        for (to, from) in moves {
            let same = self.bytes(*to)? == self.bytes(*from)?;
            need(same, Rule::Pointers, || format!("{to} and {from} differ in size"))?;
            let (at, source) = (to.0 as usize, from.0 as usize);
            if let (Some(place), Some(&new)) = (moved.get_mut(at), places.get(source)) {
                *place = new;
            }
            if let (Some(intact), Some(&new)) = (changed.intact.get_mut(at), facts.intact.get(source)) {
                *intact = new;
            }
        }
        Ok((moved, changed))
    }

    fn plain(&mut self, step: &Step, places: &[Place], facts: &mut Facts) -> Result<Option<Launch>, Violation> {
        match step {
            Step::Launch { kernel, buffers } => return self.launch(*kernel, buffers, places, facts).map(Some),
            Step::Copy { from, to, bytes } => self.compute(facts, places, &[(*from, *bytes)], *to, *bytes)?,
            Step::Matmul { a, b, out, sizes, dtype } => {
                let &[batch, m, k, n] = sizes;
                let width = dtype.bytes() as u64;
                let reads = [(a.slot, reach(a, [batch, m, k], width)?), (b.slot, reach(b, [batch, k, n], width)?)];
                self.compute(facts, places, &reads, *out, product(&[batch, m, n, width])?)?;
            }
            Step::Along { op, from, out, sizes: [outer, extent, inner], dtype } => {
                let width = dtype.bytes() as u64;
                let result = if *op == AlongOp::Argsort { 4 } else { width };
                let reads = [(*from, product(&[*outer, *extent, *inner, width])?)];
                self.compute(facts, places, &reads, *out, product(&[*outer, *extent, *inner, result])?)?;
            }
            Step::Scatter { target, index, updates, sizes: [outer, extent, count, inner], dtype } => {
                let width = dtype.bytes() as u64;
                let reads = [(*index, product(&[*count, 8])?), (*updates, product(&[*outer, *count, *inner, width])?)];
                self.read(facts, places, &reads)?;
                self.apart(places, &reads, *target)?;
                self.write(facts, places, *target, product(&[*outer, *extent, *inner, width])?, false)?;
            }
            Step::Check { check, bad, shown } => {
                let known = *check < self.plan.checks.len();
                need(known, Rule::Bounds, || format!("there is no check {check}"))?;
                need(!facts.dirty, Rule::Fault, || format!("check {check} after a donated argument was written"))?;
                self.read(facts, places, &[(*bad, 1)])?;
                for (slot, dtype) in shown {
                    self.read(facts, places, &[(*slot, dtype.bytes() as u64)])?;
                }
            }
            Step::For { .. } | Step::While { .. } | Step::If { .. } | Step::Permute(_) => {}
        }
        Ok(None)
    }

    fn launch(
        &mut self,
        number: usize,
        buffers: &[Slot],
        places: &[Place],
        facts: &mut Facts,
    ) -> Result<Launch, Violation> {
        let plan = self.plan;
        let found = plan.kernels.get(number).filter(|kernel| kernel.buffers.len() == buffers.len());
        let kernel = found.ok_or_else(|| Violation::new(Rule::Bounds, format!("a launch of kernel {number}")))?;
        let mut launch = Launch { kernel: kernel.name.clone(), dense: 0, sparse: 0, in_place: 0, trusted: 0 };
        let mut extents = Vec::new();
        for (at, (&slot, info)) in buffers.iter().zip(&kernel.buffers).enumerate() {
            let bytes = product(&[info.elements, info.dtype.bytes() as u64])?;
            self.room(slot, bytes)?;
            if self.access.get(number).is_some_and(|access| access.reads(at)) {
                self.read(facts, places, &[(slot, bytes)])?;
            }
            extents.push((slot, bytes));
        }
        let Some(access) = self.access.get(number) else { return Ok(launch) };
        launch.trusted = access.trusted;
        let mut stores = Vec::new();
        for written in &access.written {
            let Some(&(target, bytes)) = extents.get(written.buffer) else { continue };
            for (at, &(slot, other)) in extents.iter().enumerate() {
                let itself = at == written.buffer;
                let touched = access.reads(at) || access.written.iter().any(|written| written.buffer == at);
                let meets = itself || meet(&range(places, target, bytes)?, &range(places, slot, other)?);
                if !touched || !meets || (itself && !access.reads(at)) {
                    continue;
                }
                let begins = range(places, target, bytes)?.0 == range(places, slot, other)?.0;
                let twice = !itself && access.written.iter().any(|written| written.buffer == at);
                let own = begins && !twice && access.own_element(at, written);
                need(own, Rule::Conflict, || {
                    let both = shown(places, slot);
                    format!("{} touches {slot} at {both} elsewhere than where the point stores {target}", kernel.name)
                })?;
                launch.in_place += 1;
            }
            launch.dense += usize::from(written.dense);
            launch.sparse += usize::from(!written.dense);
            stores.push((target, bytes, written.dense));
        }
        for (target, bytes, dense) in stores {
            self.write(facts, places, target, bytes, dense)?;
        }
        Ok(launch)
    }

    /// A dense result that meets nothing it is computed from.
    fn compute(
        &mut self,
        facts: &mut Facts,
        places: &[Place],
        reads: &[(Slot, u64)],
        to: Slot,
        bytes: u64,
    ) -> Result<(), Violation> {
        self.read(facts, places, reads)?;
        self.apart(places, reads, to)?;
        self.write(facts, places, to, bytes, true)
    }

    fn apart(&self, places: &[Place], reads: &[(Slot, u64)], to: Slot) -> Result<(), Violation> {
        let target = range(places, to, self.bytes(to)?)?;
        for &(slot, _) in reads {
            let apart = !meet(&target, &range(places, slot, self.bytes(slot)?)?);
            need(apart, Rule::Conflict, || format!("{to} is computed where {slot} is read, {}", shown(places, slot)))?;
        }
        Ok(())
    }

    fn read(&self, facts: &Facts, places: &[Place], reads: &[(Slot, u64)]) -> Result<(), Violation> {
        for &(slot, bytes) in reads {
            self.room(slot, bytes)?;
            let intact = self.bytes(slot)? == 0 || facts.intact.get(slot.0 as usize) == Some(&true);
            need(intact, Rule::Overwritten, || {
                let at = shown(places, slot);
                match self.blame.get(slot.0 as usize).copied().flatten() {
                    Some(by) => format!("{slot} is read at {at} after {by} was written there"),
                    None => format!("{slot} is read at {at}, which holds no value of it"),
                }
            })?;
        }
        Ok(())
    }

    /// Writes `bytes` through a slot. When these are not all of it, the rest must be its own already.
    fn write(
        &mut self,
        facts: &mut Facts,
        places: &[Place],
        slot: Slot,
        bytes: u64,
        dense: bool,
    ) -> Result<(), Violation> {
        self.room(slot, bytes)?;
        let size = self.bytes(slot)?;
        if !dense || bytes < size {
            self.read(facts, places, &[(slot, bytes)])?;
        }
        let written = range(places, slot, size)?;
        if let Memory::Param(at) = written.0.memory {
            let donated = self.plan.params.get(at).filter(|param| param.kind == ParamKind::Array { donated: true });
            need(donated.is_some(), Rule::Lent, || format!("{slot} is written in argument {at}, which is lent"))?;
            facts.dirty = true;
        }
        for at in 0..self.plan.slots.len() {
            let other = Slot(at as u32);
            if other != slot && meet(&written, &range(places, other, self.bytes(other)?)?) {
                if let Some(blame) = self.blame.get_mut(at).filter(|_| facts.intact.get(at) == Some(&true)) {
                    *blame = Some(slot);
                }
                if let Some(intact) = facts.intact.get_mut(at) {
                    *intact = false;
                }
            }
        }
        if let Some(intact) = facts.intact.get_mut(slot.0 as usize) {
            *intact = true;
        }
        Ok(())
    }

    fn bytes(&self, slot: Slot) -> Result<u64, Violation> {
        let info = self.plan.slots.get(slot.0 as usize);
        info.map(|info| info.bytes).ok_or_else(|| Violation::new(Rule::Bounds, format!("there is no {slot}")))
    }

    fn room(&self, slot: Slot, bytes: u64) -> Result<(), Violation> {
        let has = self.bytes(slot)?;
        need(bytes <= has, Rule::Bounds, || format!("{bytes} bytes are touched through {slot}, which has {has}"))
    }
}

/// Where a slot's bytes begin, and how many.
fn range(places: &[Place], slot: Slot, bytes: u64) -> Result<(Place, u64), Violation> {
    let place = places.get(slot.0 as usize).copied();
    place.map(|place| (place, bytes)).ok_or_else(|| Violation::new(Rule::Bounds, format!("there is no {slot}")))
}

fn meet(a: &(Place, u64), b: &(Place, u64)) -> bool {
    let bytes = |(place, bytes): &(Place, u64)| Range { start: place.offset, end: place.offset.saturating_add(*bytes) };
    let (x, y) = (bytes(a), bytes(b));
    a.0.memory == b.0.memory && x.start.max(y.start) < x.end.min(y.end)
}

fn shown(places: &[Place], slot: Slot) -> String {
    places.get(slot.0 as usize).map_or_else(String::new, |place| match place.memory {
        Memory::Param(at) => format!("byte {} of argument {at}", place.offset),
        Memory::Fresh(at) => format!("byte {} of fresh {at}", place.offset),
        Memory::Arena => format!("byte {} of the arena", place.offset),
    })
}

/// Bytes from the slot's first to the last that a strided operand touches.
fn reach(operand: &MatmulOperand, sizes: [u64; 3], width: u64) -> Result<u64, Violation> {
    if sizes.contains(&0) {
        return Ok(0);
    }
    let (mut low, mut high) = (i128::from(operand.offset), i128::from(operand.offset));
    for (size, stride) in sizes.into_iter().zip(operand.strides) {
        let by = i128::from(size - 1) * i128::from(stride);
        (low, high) = (low + by.min(0), high + by.max(0));
    }
    let last = u64::try_from(high + 1).ok().and_then(|elements| elements.checked_mul(width)).filter(|_| low >= 0);
    last.ok_or_else(|| Violation::new(Rule::Bounds, format!("a product reads {low} to {high} of {}", operand.slot)))
}

fn product(factors: &[u64]) -> Result<u64, Violation> {
    let product = factors.iter().try_fold(1u64, |product, &factor| product.checked_mul(factor));
    product.ok_or_else(|| Violation::new(Rule::Bounds, "a size beyond 64 bits"))
}
