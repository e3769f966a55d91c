//! Steps of a region: one per value that is no loop over elements, kernels for the rest, sibling values in one kernel.
//!
//! `m2 = ...; v2 = ...; p2 = f(p, m2, v2)` over one shape is one kernel with three stores.
//! Invariant: a value joins an earlier kernel only if all it loads is there before that kernel runs.

use super::choose::{Choice, strided};
use super::emit::{Context, Emitter};
use super::facts::{Facts, broken};
use super::{index, kernel};
use crate::base::{Broken, Span};
use crate::ir::array::{Check, Op, OpKind, ReduceOp, Region, Value};
use crate::ir::kernel::{Atom, Block, Body, BufferInfo, Index, Inst, InstData, InstKind, Kernel, Store};
use crate::ir::plan::{AlongOp, MatmulOperand, Slot, Step};
use rustc_hash::FxHashMap;

/// Instructions beyond which a kernel takes no further value in.
const FULL: usize = 400;
/// How many kernels back a value looks for one to join.
const LOOK_BACK: usize = 4;

/// What has been lowered so far.
pub(super) struct Lowering<'a> {
    facts: &'a Facts<'a>,
    choice: &'a Choice,
    slots: FxHashMap<Value, Slot>,
    pub(super) bytes: Vec<u64>,
    pub(super) kernels: Vec<Kernel>,
    pub(super) checks: Vec<(Check, Span)>,
}

/// A kernel that values may still join.
struct Group {
    emitter: Emitter,
    roots: Vec<(Value, Inst)>,
    /// Its place among the items.
    at: usize,
}

enum Item {
    Step(Step),
    Group(usize),
}

/// A region under way.
#[derive(Default)]
struct Work {
    items: Vec<Item>,
    groups: Vec<Group>,
    /// Slots of this region, with the item that completes them.
    written: FxHashMap<Slot, usize>,
}

impl<'a> Lowering<'a> {
    /// Nothing yet.
    pub(super) fn new(facts: &'a Facts<'a>, choice: &'a Choice) -> Self {
        let (slots, bytes, kernels, checks) = Default::default();
        Self { facts, choice, slots, bytes, kernels, checks }
    }

    /// A slot for a value.
    pub(super) fn bind(&mut self, value: Value, bytes: u64) -> Slot {
        let slot = self.fresh(bytes);
        self.slots.insert(value, slot);
        slot
    }

    fn fresh(&mut self, bytes: u64) -> Slot {
        self.bytes.push(bytes);
        Slot(self.bytes.len() as u32 - 1)
    }

    /// The slot in which a value lies, through reshapes.
    pub(super) fn slot(&self, value: Value) -> Result<Slot, Broken> {
        let found = self.slots.get(&self.facts.base(value)).copied();
        found.ok_or_else(|| broken(format!("value {} has a slot", value.0)))
    }

    fn result_slot(&mut self, value: Value) -> Slot {
        let bytes = self.facts.bytes(value);
        self.bind(value, bytes)
    }

    /// The steps of a region.
    pub(super) fn region(&mut self, region: &Region) -> Result<Vec<Step>, Broken> {
        let mut work = Work::default();
        for op in &region.ops {
            self.op(op, &mut work)?;
        }
        let mut steps = Vec::with_capacity(work.items.len());
        let mut groups: Vec<Option<Group>> = work.groups.into_iter().map(Some).collect();
        for item in work.items {
            match item {
                Item::Step(step) => steps.push(step),
                Item::Group(at) => {
                    let group =
                        groups.get_mut(at).and_then(Option::take).ok_or_else(|| broken("a kernel is placed once"))?;
                    steps.push(self.close(group)?);
                }
            }
        }
        Ok(steps)
    }

    fn op(&mut self, op: &Op, work: &mut Work) -> Result<(), Broken> {
        let facts = self.facts;
        let operand = |at: usize| op.operands.get(at).copied().ok_or_else(|| broken("an operand is there"));
        let result = op.results.first().copied();
        let defined = result.ok_or_else(|| broken("an operation has a result"));
        match &op.kind {
            OpKind::Check(check) => {
                self.checks.push((check.clone(), op.span));
                let bad = self.slot(operand(0)?)?;
                let shown = op.operands.iter().skip(1).map(|&value| Ok((self.slot(value)?, facts.dtype(value))));
                let shown = shown.collect::<Result<Vec<_>, Broken>>()?;
                work.push(Step::Check { check: self.checks.len() - 1, bad, shown });
            }
            OpKind::Copy => {
                let (from, bytes) = (self.slot(operand(0)?)?, facts.bytes(operand(0)?));
                let to = self.result_slot(defined?);
                work.push(Step::Copy { from, to, bytes });
                work.wrote(to);
            }
            OpKind::Reduce { op: how, axes } => {
                let step = self.reduce(*how, axes, operand(0)?, defined?)?;
                work.push(step);
                work.wrote(self.slot(result.unwrap_or(Value(0)))?);
            }
            OpKind::Matmul => {
                let result = defined?;
                let sizes = match (facts.extents(operand(0)?), facts.extents(result)) {
                    (&[b, m, k], &[_, _, n]) => [b, m, k, n],
                    _ => return Err(broken("a matrix product has three axes")),
                };
                let (a, b) = (self.strided(operand(0)?)?, self.strided(operand(1)?)?);
                let out = self.result_slot(result);
                work.push(Step::Matmul { a, b, out, sizes, dtype: facts.dtype(result) });
                work.wrote(out);
            }
            OpKind::Cumsum { axis } | OpKind::Sort { axis } | OpKind::Argsort { axis } => {
                let along = match &op.kind {
                    OpKind::Cumsum { .. } => AlongOp::Cumsum,
                    OpKind::Sort { .. } => AlongOp::Sort,
                    _ => AlongOp::Argsort,
                };
                let x = operand(0)?;
                let (from, sizes) = (self.slot(x)?, around(facts.extents(x), *axis)?);
                let out = self.result_slot(defined?);
                work.push(Step::Along { op: along, from, out, sizes, dtype: facts.dtype(x) });
                work.wrote(out);
            }
            OpKind::Scatter { axis } => {
                let (x, at, updates) = (operand(0)?, operand(1)?, operand(2)?);
                let (from, bytes) = (self.slot(x)?, facts.bytes(x));
                let (at_slot, updates) = (self.slot(at)?, self.slot(updates)?);
                let [outer, extent, inner] = around(facts.extents(x), *axis)?;
                let target = self.result_slot(defined?);
                work.push(Step::Copy { from, to: target, bytes });
                let sizes = [outer, extent, facts.elements(at), inner];
                work.push(Step::Scatter { target, index: at_slot, updates, sizes, dtype: facts.dtype(x) });
                work.wrote(target);
            }
            OpKind::Update { steps } => self.update(op, steps, work)?,
            OpKind::For | OpKind::While | OpKind::If => self.control(op, work)?,
            _ => {
                if self.choice.stored(defined.clone()?) {
                    self.root(defined?, work)?;
                }
            }
        }
        Ok(())
    }

    fn context(&self) -> Context<'_> {
        Context { facts: self.facts, choice: self.choice, slots: &self.slots }
    }

    /// A value over its own elements: into a kernel that is there, or into one of its own.
    fn root(&mut self, value: Value, work: &mut Work) -> Result<(), Broken> {
        let op = self.facts.definition(value).ok_or_else(|| broken("a stored value has a definition"))?;
        let domain = self.facts.extents(value).to_vec();
        let position = Emitter::variables(0, domain.len());
        let mut joined = None;
        let last_check = work.items.iter().rposition(|item| matches!(item, Item::Step(step) if step.checks()));
        for group in work.groups.iter_mut().rev().take(LOOK_BACK) {
            if group.emitter.domain != domain || group.emitter.code.block.insts.len() > FULL {
                continue;
            }
            let mut trial = group.emitter.clone();
            let Ok(inst) = trial.operation(&self.context(), op, &position, None) else { continue };
            let ready = trial.buffers.iter().all(|(slot, _)| work.written.get(slot).is_none_or(|&by| by < group.at));
            // An index from memory is in range only behind the check that stands before it.
            let new = trial.code.block.insts.get(group.emitter.code.block.insts.len()..).unwrap_or_default();
            let checked = last_check.is_none_or(|check| check < group.at) || !new.iter().any(InstData::trusts_checks);
            if ready && checked && related(&group.emitter, &trial, &group.roots) {
                trial.remember(value, position.clone(), inst);
                group.emitter = trial;
                group.roots.push((value, inst));
                joined = Some(group.at);
                break;
            }
        }
        let item = match joined {
            Some(found) => found,
            None => {
                let mut emitter = Emitter::new(domain);
                let inst = emitter.operation(&self.context(), op, &position, None)?;
                emitter.remember(value, position, inst);
                let at = work.items.len();
                work.items.push(Item::Group(work.groups.len()));
                work.groups.push(Group { emitter, roots: vec![(value, inst)], at });
                at
            }
        };
        let slot = self.result_slot(value);
        work.written.insert(slot, item);
        Ok(())
    }

    fn close(&mut self, group: Group) -> Result<Step, Broken> {
        let Group { mut emitter, roots, .. } = group;
        let domain = emitter.domain.clone();
        let mut stores = Vec::new();
        let mut names = Vec::new();
        for (value, inst) in roots {
            let store = self.store(&mut emitter, value, inst, &Emitter::variables(0, domain.len()), &domain)?;
            stores.push(store);
            names.push(self.facts.definition(value).map_or_else(|| "value".into(), |op| op.kind.name()));
        }
        names.truncate(3);
        let body = Body::Map { block: emitter.code.block, stores };
        Ok(self.launch(names.join("_"), domain, emitter.buffers, body))
    }

    fn store(
        &self,
        emitter: &mut Emitter,
        value: Value,
        inst: Inst,
        position: &[Index],
        extents: &[u64],
    ) -> Result<Store, Broken> {
        let info = BufferInfo { dtype: self.facts.dtype(value), elements: self.facts.elements(value), stored: true };
        let buffer = emitter.buffer(self.slot(value)?, info);
        let index = index::linear(position, extents).ok_or_else(|| broken("offsets fit 64 bits"))?;
        Ok(Store { buffer, index, value: inst })
    }

    fn launch(&mut self, name: String, extents: Vec<u64>, buffers: Vec<(Slot, BufferInfo)>, body: Body) -> Step {
        let sizes: Vec<String> = extents.iter().map(u64::to_string).collect();
        let name =
            format!("{}_{}", name.replace('.', "_"), if sizes.is_empty() { "1".into() } else { sizes.join("x") });
        let (slots, infos) = buffers.into_iter().unzip();
        self.kernels.push(kernel::finish(Kernel { name, buffers: infos, extents, body }));
        Step::Launch { kernel: self.kernels.len() - 1, buffers: slots }
    }

    fn reduce(&mut self, op: ReduceOp, axes: &[usize], x: Value, result: Value) -> Result<Step, Broken> {
        let facts = self.facts;
        let extents = facts.extents(x);
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        let kept = extents.len().saturating_sub(axes.len());
        let mut position = Vec::new();
        for (axis, &extent) in extents.iter().enumerate() {
            let group = if axes.contains(&axis) { &mut inner } else { &mut outer };
            position.push(index::variable(group.len() + if axes.contains(&axis) { kept } else { 0 }));
            group.push(extent);
        }
        let domain = outer.iter().chain(&inner).copied().collect();
        let mut emitter = Emitter::new(domain);
        let value = emitter.value(&self.context(), x, &position, None)?;
        self.result_slot(result);
        let variables = Emitter::variables(0, outer.len());
        let store = self.store(&mut emitter, result, Inst(0), &variables, &outer)?;
        let reduced = InstData { kind: InstKind::Reduced, dtype: facts.dtype(result) };
        let finish = Block { insts: vec![reduced] };
        let body = Body::Reduce { inner, block: emitter.code.block, value, op, finish, stores: vec![store] };
        Ok(self.launch(format!("reduce_{}", op.name()), outer, emitter.buffers, body))
    }

    fn strided(&self, value: Value) -> Result<MatmulOperand, Broken> {
        let stored = |value: Value| self.choice.stored(value);
        let found = strided(self.facts, value, &stored)?.filter(|(base, _)| self.choice.stored(*base));
        let Some((base, offset)) = found else {
            // A reshape of a stored value: dense.
            let strides = index::strides(self.facts.extents(value)).ok_or_else(|| broken("strides fit 64 bits"))?;
            let strides = <[i64; 3]>::try_from(strides).map_err(|_| broken("a matrix product has three axes"))?;
            return Ok(MatmulOperand { slot: self.slot(value)?, offset: 0, strides });
        };
        let mut strides = [0i64; 3];
        for (atom, coefficient) in &offset.terms {
            if let Atom::Var(var) = atom
                && let Some(stride) = strides.get_mut(*var as usize)
            {
                *stride = *coefficient;
            }
        }
        let offset = u64::try_from(offset.constant).unwrap_or(0);
        Ok(MatmulOperand { slot: self.slot(base)?, offset, strides })
    }

    fn update(&mut self, op: &Op, steps: &[i64], work: &mut Work) -> Result<(), Broken> {
        let facts = self.facts;
        let (Some(&x), Some(&update), Some(&result)) = (op.operands.first(), op.operands.get(1), op.results.first())
        else {
            return Err(broken("an update has an array and what goes into it"));
        };
        let domain = facts.extents(update).to_vec();
        let mut emitter = Emitter::new(domain.clone());
        let inst = emitter.value(&self.context(), update, &Emitter::variables(0, domain.len()), None)?;
        let mut position = Vec::new();
        for (axis, &start) in op.operands.get(2..).unwrap_or_default().iter().enumerate() {
            let step = steps.get(axis).copied().unwrap_or(1);
            let start = emitter.start(&self.context(), start, None)?;
            let at = index::add(&start, &index::variable(axis), step).ok_or_else(|| broken("offsets fit 64 bits"))?;
            position.push(at);
        }
        let from = self.slot(x)?;
        let to = self.result_slot(result);
        work.push(Step::Copy { from, to, bytes: facts.bytes(x) });
        if !domain.contains(&0) {
            let store = self.store(&mut emitter, result, inst, &position, facts.extents(x))?;
            let body = Body::Map { block: emitter.code.block, stores: vec![store] };
            let step = self.launch("update".into(), domain, emitter.buffers, body);
            work.push(step);
        }
        work.wrote(to);
        Ok(())
    }

    fn control(&mut self, op: &Op, work: &mut Work) -> Result<(), Broken> {
        let slots =
            |this: &Self, values: &[Value]| values.iter().map(|&value| this.slot(value)).collect::<Result<Vec<_>, _>>();
        let operands = slots(self, &op.operands)?;
        let inner = |at: usize| op.regions.get(at).ok_or_else(|| broken("a region is there"));
        if op.kind == OpKind::If {
            let flag = operands.first().copied().ok_or_else(|| broken("a condition is there"))?;
            let results: Vec<Slot> = op.results.iter().map(|&result| self.result_slot(result)).collect();
            let mut branches = Vec::new();
            for region in [inner(0)?, inner(1)?] {
                let mut steps = self.region(region)?;
                for (&value, &to) in region.results.iter().zip(&results) {
                    steps.push(Step::Copy { from: self.slot(value)?, to, bytes: self.facts.bytes(value) });
                }
                branches.push(steps);
            }
            let (otherwise, then) = (branches.pop().unwrap_or_default(), branches.pop().unwrap_or_default());
            work.push(Step::If { flag, then, otherwise });
            results.into_iter().for_each(|slot| work.wrote(slot));
            return Ok(());
        }
        let counted = if op.kind == OpKind::For { 3 } else { 0 };
        // Every carried value has a slot that it starts and ends each round in.
        let mut homes = Vec::new();
        for (&result, &from) in op.results.iter().zip(operands.get(counted..).unwrap_or_default()) {
            let home = self.result_slot(result);
            work.push(Step::Copy { from, to: home, bytes: self.facts.bytes(result) });
            homes.push(home);
        }
        let mut index = None;
        for (at, region) in op.regions.iter().enumerate() {
            let mut params = region.params.iter();
            if op.kind == OpKind::For && at == 0 {
                let value = params.next().copied().ok_or_else(|| broken("a loop has an index"))?;
                index = Some(self.bind(value, 8));
            }
            for (&param, &home) in params.zip(&homes) {
                self.slots.insert(param, home);
            }
        }
        let step = match (operands.as_slice(), index) {
            (&[start, end, step, ..], Some(index)) => {
                Step::For { start, end, step, index, body: self.round(inner(0)?, &homes)? }
            }
            _ => {
                let condition = self.region(inner(0)?)?;
                let flag = inner(0)?.results.first().copied().ok_or_else(|| broken("a condition has a result"))?;
                Step::While { condition, flag: self.slot(flag)?, body: self.round(inner(1)?, &homes)? }
            }
        };
        work.push(step);
        homes.into_iter().for_each(|home| work.wrote(home));
        Ok(())
    }

    /// The body of a loop, with the exchange of pointers that ends a round.
    fn round(&mut self, region: &Region, homes: &[Slot]) -> Result<Vec<Step>, Broken> {
        let outside = self.bytes.len();
        let mut steps = self.region(region)?;
        let mut sources: Vec<Slot> = Vec::new();
        for &value in &region.results {
            let mut from = self.slot(value)?;
            let own = homes.contains(&from) || from.0 as usize >= outside;
            if !own || sources.contains(&from) {
                let bytes = self.facts.bytes(value);
                let to = self.fresh(bytes);
                steps.push(Step::Copy { from, to, bytes });
                from = to;
            }
            sources.push(from);
        }
        let mut moves: Vec<(Slot, Slot)> = Vec::new();
        for (&home, &from) in homes.iter().zip(&sources) {
            if home != from {
                moves.push((home, from));
            }
        }
        // A slot of the round gets the pointer at the end of its chain, so that the exchange is a permutation.
        for &from in sources.iter().filter(|slot| !homes.contains(slot)) {
            let mut end = from;
            while let Some(&(to, _)) = moves.iter().find(|(_, source)| *source == end) {
                end = to;
            }
            moves.push((from, end));
        }
        if !moves.is_empty() {
            steps.push(Step::Permute(moves));
        }
        Ok(steps)
    }
}

impl Work {
    fn push(&mut self, step: Step) {
        self.items.push(Item::Step(step));
    }

    /// The slot is complete with the last item.
    fn wrote(&mut self, slot: Slot) {
        self.written.insert(slot, self.items.len().saturating_sub(1));
    }
}

/// `[outer, extent, inner]` around an axis.
fn around(extents: &[u64], axis: usize) -> Result<[u64; 3], Broken> {
    let (outer, rest) = extents.split_at_checked(axis).ok_or_else(|| broken("an axis is in range"))?;
    let (extent, inner) = rest.split_first().ok_or_else(|| broken("an axis is in range"))?;
    Ok([outer.iter().product(), *extent, inner.iter().product()])
}

/// Whether a value that was tried in a kernel belongs there: it shares a load or a stored value with the others, and
/// reads no buffer at other indexes than they do (that would keep them from being computed in place).
fn related(before: &Emitter, after: &Emitter, roots: &[(Value, Inst)]) -> bool {
    let old = before.code.block.insts.len();
    let (kept, new) = after.code.block.insts.split_at(old);
    let shared_load = |buffer: usize| loads(kept).any(|(other, _)| other == buffer);
    let mut shares = false;
    for inst in new {
        if let InstKind::Op(_, operands) = &inst.kind {
            let from_root = |used: &Inst| roots.iter().any(|(_, root)| root == used);
            let load =
                |used: &Inst| kept.get(used.0 as usize).is_some_and(|inst| matches!(inst.kind, InstKind::Load { .. }));
            shares |= operands.iter().any(|used| from_root(used) || load(used));
        }
    }
    let elsewhere = loads(new).any(|(buffer, _)| shared_load(buffer));
    (shares || new.is_empty()) && !elsewhere
}

fn loads(insts: &[InstData]) -> impl Iterator<Item = (usize, &Index)> {
    insts.iter().filter_map(|inst| match &inst.kind {
        InstKind::Load { buffer, index, .. } => Some((*buffer, index)),
        _ => None,
    })
}
