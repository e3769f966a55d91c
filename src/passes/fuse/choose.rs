//! Which values own a buffer.
//!
//! Outputs, carried values, results of what is no loop over elements, and operands that must lie in memory do.
//! Everything else is computed where it is used, unless that would compute something dear more than once.
//! Invariant: every operand that a step reads as a buffer resolves, through reshapes, to a stored value.

use super::facts::Facts;
use super::index;
use crate::base::Broken;
use crate::ir::array::{Op, OpKind, Value};
use crate::ir::kernel::{Atom, Index};
use std::collections::BTreeSet;

/// Scalar operations up to which a value is computed again rather than stored.
const CHEAP: u64 = 6;
/// Scalar operations beyond which a value is stored, so that kernels stay small.
const LARGE: u64 = 200;
/// What a function weighs in scalar operations.
const FUNCTION: u64 = 12;

/// Whether a value has a buffer, by value.
pub(super) struct Choice {
    stored: Vec<bool>,
}

/// A place in which a value would be computed; two of them compute it twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// In the kernel of this value, at indexes of its own.
    At(Value),
    /// In a kernel over the elements of this value's shape, at the same index.
    Same,
}

impl Choice {
    /// Decides.
    pub(super) fn new(facts: &Facts<'_>) -> Result<Self, Broken> {
        let mut choice = Self { stored: vec![false; facts.program.types.len()] };
        choice.store_params(&facts.program.body);
        for &(op, _) in &facts.ops {
            choice.forced(facts, op)?;
            for inner in &op.regions {
                choice.store_params(inner);
                inner.results.iter().for_each(|&result| choice.store(facts, result));
            }
        }
        facts.program.body.results.iter().for_each(|&result| choice.store(facts, result));
        choice.by_cost(facts);
        choice.by_places(facts);
        choice.updates(facts);
        Ok(choice)
    }

    /// Whether it has a buffer.
    pub(super) fn stored(&self, value: Value) -> bool {
        self.stored.get(value.0 as usize).copied().unwrap_or(false)
    }

    fn store_params(&mut self, region: &crate::ir::array::Region) {
        for &param in &region.params {
            self.mark(param);
        }
    }

    fn mark(&mut self, value: Value) {
        if let Some(slot) = self.stored.get_mut(value.0 as usize) {
            *slot = true;
        }
    }

    fn store(&mut self, facts: &Facts<'_>, value: Value) {
        self.mark(facts.base(value));
    }

    fn forced(&mut self, facts: &Facts<'_>, op: &Op) -> Result<(), Broken> {
        let in_memory: &[Value] = match &op.kind {
            OpKind::Cumsum { .. } | OpKind::Sort { .. } | OpKind::Argsort { .. } | OpKind::Scatter { .. } => {
                &op.operands
            }
            OpKind::Copy | OpKind::Check(_) | OpKind::For | OpKind::While | OpKind::If => &op.operands,
            OpKind::Update { .. } => op.operands.get(..1).unwrap_or_default(),
            OpKind::Matmul => {
                for &operand in &op.operands {
                    match strided(facts, operand, &|_| false)? {
                        Some((base, _)) => self.mark(base),
                        None => self.store(facts, operand),
                    }
                }
                &[]
            }
            OpKind::Reduce { .. } => &[],
            _ => return Ok(()),
        };
        in_memory.iter().for_each(|&operand| self.store(facts, operand));
        op.results.iter().for_each(|&result| self.mark(result));
        Ok(())
    }

    /// Forwards: what costs much is stored, and so is what a region around the reader computes.
    fn by_cost(&mut self, facts: &Facts<'_>) {
        let mut costs = vec![0u64; facts.program.types.len()];
        for &(op, region) in &facts.ops {
            let mut sum = match &op.kind {
                OpKind::Map(_) => 1,
                OpKind::Function(_) => FUNCTION,
                OpKind::Pad { .. } | OpKind::Concat { .. } => 2,
                _ => 0u64,
            };
            for &operand in &op.operands {
                let stored = self.stored(operand);
                let cost = if stored { 0 } else { costs.get(operand.0 as usize).copied().unwrap_or(0) };
                if cost > 0 && (facts.region(operand) != region || self.repeats(facts, op, operand, cost)) {
                    self.store(facts, operand);
                } else {
                    sum = sum.saturating_add(cost);
                }
            }
            for &result in &op.results {
                if sum > LARGE {
                    self.store(facts, result);
                }
                if let Some(slot) = costs.get_mut(result.0 as usize) {
                    *slot = sum;
                }
            }
        }
    }

    /// Whether `op` would compute an element of the operand many times over.
    fn repeats(&self, facts: &Facts<'_>, op: &Op, operand: Value, cost: u64) -> bool {
        let grows = || op.results.first().is_some_and(|&result| facts.elements(result) > facts.elements(operand));
        match &op.kind {
            OpKind::Broadcast { .. } | OpKind::Gather { .. } => cost > CHEAP && grows(),
            OpKind::Concat { .. } => cost > CHEAP && op.operands.len() > 1,
            _ => false,
        }
    }

    /// Backwards: what is dear and would be computed in two places is stored.
    fn by_places(&mut self, facts: &Facts<'_>) {
        let count = facts.program.types.len();
        let mut places: Vec<BTreeSet<Place>> = vec![BTreeSet::new(); count];
        let mut costs = vec![0u64; count];
        for &(op, _) in &facts.ops {
            let own = match &op.kind {
                OpKind::Map(_) => 1,
                OpKind::Function(_) => FUNCTION,
                _ => 0,
            };
            let inner = op.operands.iter().filter(|&&x| !self.stored(x));
            let sum = inner.fold(own, |sum: u64, x| sum.saturating_add(costs.get(x.0 as usize).copied().unwrap_or(0)));
            for &result in &op.results {
                if let Some(slot) = costs.get_mut(result.0 as usize) {
                    *slot = sum;
                }
            }
        }
        for &(op, _) in facts.ops.iter().rev() {
            let Some(&result) = op.results.first() else { continue };
            let found = places.get_mut(result.0 as usize).map(std::mem::take).unwrap_or_default();
            let cost = costs.get(result.0 as usize).copied().unwrap_or(0);
            if !self.stored(result) && found.len() > 1 && cost > CHEAP {
                self.store(facts, result);
            }
            let elementwise = matches!(op.kind, OpKind::Map(_) | OpKind::Function(_));
            for &operand in &op.operands {
                let Some(into) = places.get_mut(operand.0 as usize) else { continue };
                match (elementwise, self.stored(result)) {
                    (true, true) => _ = into.insert(Place::Same),
                    (true, false) => into.extend(found.iter().copied()),
                    (false, _) => _ = into.insert(Place::At(result)),
                }
            }
        }
    }

    /// An update that reads the array it goes into is computed first, so that it can be written in place.
    fn updates(&mut self, facts: &Facts<'_>) {
        for &(op, _) in &facts.ops {
            if let (OpKind::Update { .. }, [target, update, ..]) = (&op.kind, op.operands.as_slice()) {
                let (target, mut seen) = (facts.base(*target), BTreeSet::new());
                if self.reads(facts, *update, target, &mut seen) {
                    self.store(facts, *update);
                }
            }
        }
    }

    fn reads(&self, facts: &Facts<'_>, value: Value, target: Value, seen: &mut BTreeSet<Value>) -> bool {
        if value == target {
            return true;
        }
        if self.stored(value) || !seen.insert(value) {
            return false;
        }
        let operands = facts.definition(value).map_or(&[][..], |op| &op.operands);
        operands.iter().any(|&operand| self.reads(facts, operand, target, seen))
    }
}

/// A value as a strided view of another, over loop variables that run over its own extents: the value at the end of
/// its chain of views (or at the first stop from which the map is affine), and the element offset there.
pub(super) fn strided(
    facts: &Facts<'_>,
    value: Value,
    stop: &dyn Fn(Value) -> bool,
) -> Result<Option<(Value, Index)>, Broken> {
    let domain = facts.extents(value).to_vec();
    let mut position: Vec<Index> = (0..domain.len()).map(index::variable).collect();
    let mut at = value;
    loop {
        let next = match facts.definition(at) {
            Some(op) => facts.through(op, &position, &domain)?,
            None => None,
        };
        if next.is_none() || stop(at) {
            let offset = index::linear(&position, facts.extents(at));
            let affine = offset.filter(|offset| offset.terms.iter().all(|(atom, _)| matches!(atom, Atom::Var(_))));
            if let Some(offset) = affine {
                return Ok(Some((at, offset)));
            }
        }
        match next {
            Some((operand, mapped)) => (at, position) = (operand, mapped),
            None => return Ok(None),
        }
    }
}
