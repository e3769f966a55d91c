//! Scalar code for one element of a value at an index: pulls operands through index maps down to loads.
//!
//! Invariant: the code for (value, index, guard) is emitted once per block. Under a guard nothing is read where the
//! guard is false, and what is computed there is replaced by the caller's select.

use super::choose::Choice;
use super::facts::{Facts, broken};
use super::index;
use crate::base::{Broken, DType, Literal};
use crate::ir::array::{Op, OpKind, Value};
use crate::ir::kernel::{Atom, Block, BufferInfo, Index, Inst, InstData, InstKind};
use crate::ir::plan::Slot;
use crate::ops::formula;
use crate::ops::scalar::{ScalarBuilder, ScalarOp};
use rustc_hash::FxHashMap;

/// Instructions with their dtypes; what formulas are written against.
#[derive(Clone, Default)]
pub(super) struct Code {
    pub(super) block: Block,
}

impl Code {
    /// Appends an instruction.
    pub(super) fn push(&mut self, kind: InstKind, dtype: DType) -> Inst {
        self.block.insts.push(InstData { kind, dtype });
        Inst(self.block.insts.len() as u32 - 1)
    }
}

impl ScalarBuilder for Code {
    type Value = Inst;

    fn dtype(&self, value: Inst) -> DType {
        self.block.insts.get(value.0 as usize).map_or(DType::Bool, |inst| inst.dtype)
    }

    fn constant(&mut self, literal: Literal) -> Inst {
        let kind = InstKind::Const(literal);
        match self.block.insts.iter().position(|inst| inst.kind == kind) {
            Some(at) => Inst(at as u32),
            None => self.push(kind, literal.dtype),
        }
    }

    fn op(&mut self, op: ScalarOp, operands: &[Inst]) -> Inst {
        let dtype = op.result(operands.last().map_or(DType::Bool, |&last| self.dtype(last)));
        self.push(InstKind::Op(op, operands.to_vec()), dtype)
    }
}

/// What the emitter looks up.
pub(super) struct Context<'a> {
    pub(super) facts: &'a Facts<'a>,
    pub(super) choice: &'a Choice,
    /// The slot of each stored value that is there.
    pub(super) slots: &'a FxHashMap<Value, Slot>,
}

type Key = (Value, Vec<Index>, Option<Inst>);

/// A block under construction.
#[derive(Clone, Default)]
pub(super) struct Emitter {
    pub(super) code: Code,
    /// Bounds of the loop variables.
    pub(super) domain: Vec<u64>,
    /// Buffers of the kernel, and the slot and dtype of each.
    pub(super) buffers: Vec<(Slot, BufferInfo)>,
    memo: FxHashMap<Key, Inst>,
}

impl Emitter {
    /// An empty block over these loops.
    pub(super) fn new(domain: Vec<u64>) -> Self {
        Self { domain, ..Self::default() }
    }

    /// The loop variables from `first` on, `count` of them.
    pub(super) fn variables(first: usize, count: usize) -> Vec<Index> {
        (first..first + count).map(index::variable).collect()
    }

    /// The position of a buffer among the kernel's; stores and loads are kept apart.
    pub(super) fn buffer(&mut self, slot: Slot, info: BufferInfo) -> usize {
        match self.buffers.iter().position(|known| *known == (slot, info)) {
            Some(at) => at,
            None => {
                self.buffers.push((slot, info));
                self.buffers.len() - 1
            }
        }
    }

    /// That `value` at `position` is what `inst` computes.
    pub(super) fn remember(&mut self, value: Value, position: Vec<Index>, inst: Inst) {
        self.memo.insert((value, position, None), inst);
    }

    /// Code for the element of `value` at `position`.
    pub(super) fn value(
        &mut self,
        context: &Context<'_>,
        value: Value,
        position: &[Index],
        guard: Option<Inst>,
    ) -> Result<Inst, Broken> {
        for guard in [None, guard] {
            if let Some(&inst) = self.memo.get(&(value, position.to_vec(), guard)) {
                return Ok(inst);
            }
        }
        let inst = if context.choice.stored(value) {
            self.load(context, value, position, guard)?
        } else {
            let op = context.facts.definition(value).ok_or_else(|| broken("a value has a definition or a buffer"))?;
            self.operation(context, op, position, guard)?
        };
        self.memo.insert((value, position.to_vec(), guard), inst);
        Ok(inst)
    }

    fn load(
        &mut self,
        context: &Context<'_>,
        value: Value,
        position: &[Index],
        guard: Option<Inst>,
    ) -> Result<Inst, Broken> {
        let facts = context.facts;
        let &slot = context.slots.get(&value).ok_or_else(|| broken("a stored value has a slot when it is read"))?;
        let info = BufferInfo { dtype: facts.dtype(value), elements: facts.elements(value), stored: false };
        let index = index::linear(position, facts.extents(value)).ok_or_else(overflow)?;
        let buffer = self.buffer(slot, info);
        Ok(self.code.push(InstKind::Load { buffer, index, guard }, info.dtype))
    }

    /// Code for what an operation defines, at `position`.
    pub(super) fn operation(
        &mut self,
        context: &Context<'_>,
        op: &Op,
        position: &[Index],
        guard: Option<Inst>,
    ) -> Result<Inst, Broken> {
        let facts = context.facts;
        let operand = |at: usize| op.operands.get(at).copied().ok_or_else(|| broken("an operand is there"));
        let result = op.results.first().copied().ok_or_else(|| broken("an operation has a result"))?;
        if let Some((inner, mapped)) = facts.through(op, position, &self.domain)? {
            return self.value(context, inner, &mapped, guard);
        }
        match &op.kind {
            OpKind::Const(literal) => Ok(self.code.constant(*literal)),
            OpKind::Iota { axis } => {
                let at = position.get(*axis).cloned().ok_or_else(|| broken("an axis is in range"))?;
                let inst = self.index(at);
                Ok(self.cast(inst, facts.dtype(result)))
            }
            OpKind::Map(scalar) => {
                let operands = self.all(context, &op.operands, position, guard)?;
                Ok(self.code.op(*scalar, &operands))
            }
            OpKind::Function(function) => {
                let operands = self.all(context, &op.operands, position, guard)?;
                Ok(formula::build(&mut self.code, *function, &operands))
            }
            OpKind::Pad { low } => {
                let (x, fill) = (operand(0)?, operand(1)?);
                let mut inner = Vec::new();
                let mut inside = None;
                for ((at, low), extent) in position.iter().zip(low).zip(facts.extents(x)) {
                    let low = low.constant().ok_or_else(|| broken("a pad is a number"))?;
                    let at = index::add(at, &index::number(low), -1).ok_or_else(overflow)?;
                    self.within(&at, 0, *extent, &mut inside)?;
                    inner.push(at);
                }
                let Some(inside) = inside else { return self.value(context, x, &inner, guard) };
                let both = self.both(guard, inside);
                let there = self.value(context, x, &inner, Some(both))?;
                let fill = self.value(context, fill, &[], guard)?;
                Ok(self.code.op(ScalarOp::Select, &[inside, there, fill]))
            }
            OpKind::Concat { axis } => self.concat(context, op, *axis, position, guard),
            OpKind::Gather { axis } => {
                let (x, at) = (operand(0)?, operand(1)?);
                let rank = facts.extents(at).len();
                let (before, rest) = position.split_at_checked(*axis).ok_or_else(|| broken("an axis is in range"))?;
                let (which, after) = rest.split_at_checked(rank).ok_or_else(|| broken("an index has its axes"))?;
                let inst = self.value(context, at, which, guard)?;
                let inner: Vec<Index> = before
                    .iter()
                    .cloned()
                    .chain([index::atom(Atom::Value(inst))])
                    .chain(after.iter().cloned())
                    .collect();
                self.value(context, x, &inner, guard)
            }
            OpKind::DynamicSlice => {
                let mut inner = Vec::new();
                for (at, &start) in position.iter().zip(op.operands.get(1..).unwrap_or_default()) {
                    let start = self.start(context, start, guard)?;
                    inner.push(index::add(&start, at, 1).ok_or_else(overflow)?);
                }
                self.value(context, operand(0)?, &inner, guard)
            }
            other => Err(broken(format!("{} has a buffer", other.name()))),
        }
    }

    /// A rank-0 i64 as an index expression.
    pub(super) fn start(&mut self, context: &Context<'_>, start: Value, guard: Option<Inst>) -> Result<Index, Broken> {
        let inst = self.value(context, start, &[], guard)?;
        let kind = self.code.block.insts.get(inst.0 as usize).map(|inst| &inst.kind);
        Ok(match kind {
            Some(InstKind::Const(literal)) => index::number(literal.to_i64()),
            Some(InstKind::Index(known)) => known.clone(),
            _ => index::atom(Atom::Value(inst)),
        })
    }

    fn all(
        &mut self,
        context: &Context<'_>,
        operands: &[Value],
        position: &[Index],
        guard: Option<Inst>,
    ) -> Result<Vec<Inst>, Broken> {
        operands.iter().map(|&operand| self.value(context, operand, position, guard)).collect()
    }

    fn concat(
        &mut self,
        context: &Context<'_>,
        op: &Op,
        axis: usize,
        position: &[Index],
        guard: Option<Inst>,
    ) -> Result<Inst, Broken> {
        let along = position.get(axis).cloned().ok_or_else(|| broken("an axis is in range"))?;
        let mut offset = 0i64;
        let mut parts = Vec::new();
        for &operand in &op.operands {
            let extent = context.facts.extents(operand).get(axis).copied().unwrap_or(0);
            if extent > 0 {
                parts.push((operand, offset, extent));
            }
            offset = i64::try_from(extent).ok().and_then(|extent| offset.checked_add(extent)).ok_or_else(overflow)?;
        }
        // Without elements the value does not matter; the block must still have one.
        let Some(&last) = op.operands.last() else { return Err(broken("a concatenation has operands")) };
        let mut chosen: Option<Inst> = None;
        if parts.is_empty() {
            parts.push((last, 0, 1));
        }
        // From the last part to the first: `select(in part, part, chosen so far)`.
        for (operand, offset, extent) in parts.into_iter().rev() {
            let mut inside = None;
            let shifted = index::add(&along, &index::number(offset), -1).ok_or_else(overflow)?;
            self.within(&shifted, 0, extent, &mut inside)?;
            let mut inner = position.to_vec();
            if let Some(slot) = inner.get_mut(axis) {
                *slot = shifted;
            }
            let both = match inside {
                Some(inside) => Some(self.both(guard, inside)),
                None => guard,
            };
            let there = self.value(context, operand, &inner, both)?;
            chosen = Some(match (inside, chosen) {
                (Some(inside), Some(other)) => self.code.op(ScalarOp::Select, &[inside, there, other]),
                _ => there,
            });
        }
        chosen.ok_or_else(|| broken("a concatenation has a part"))
    }

    fn index(&mut self, index: Index) -> Inst {
        let kind = InstKind::Index(index);
        match self.code.block.insts.iter().position(|inst| inst.kind == kind) {
            Some(at) => Inst(at as u32),
            None => self.code.push(kind, DType::I64),
        }
    }

    fn cast(&mut self, inst: Inst, dtype: DType) -> Inst {
        if dtype == DType::I64 { inst } else { self.code.op(ScalarOp::Cast(dtype), &[inst]) }
    }

    fn both(&mut self, guard: Option<Inst>, inside: Inst) -> Inst {
        match guard {
            Some(guard) => self.code.op(ScalarOp::And, &[guard, inside]),
            None => inside,
        }
    }

    /// Adds to `inside` that `low <= at < low + extent`, as far as ranges do not say so already.
    fn within(&mut self, at: &Index, low: i64, extent: u64, inside: &mut Option<Inst>) -> Result<(), Broken> {
        let high = i64::try_from(extent).ok().and_then(|extent| low.checked_add(extent)).ok_or_else(overflow)?;
        let range = index::range(at, &self.domain);
        let mut conditions = Vec::new();
        if range.is_none_or(|(least, _)| least < i128::from(low)) {
            conditions.push((ScalarOp::Le, low, true));
        }
        if range.is_none_or(|(_, greatest)| greatest >= i128::from(high)) {
            conditions.push((ScalarOp::Lt, high, false));
        }
        for (op, bound, bound_first) in conditions {
            let at = self.index(at.clone());
            let bound = self.code.constant(Literal::from_i64(DType::I64, bound));
            let operands = if bound_first { [bound, at] } else { [at, bound] };
            let condition = self.code.op(op, &operands);
            *inside = Some(self.both(*inside, condition));
        }
        Ok(())
    }
}

fn overflow() -> Broken {
    broken("index expressions fit 64 bits")
}
