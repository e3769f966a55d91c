//! What is known of every value of a program: its extents, the operation that defines it, the region it lives in.

use super::index;
use crate::base::{Broken, DType};
use crate::ir::array::{Op, OpKind, Program, Region, Value};
use crate::ir::kernel::Index;

/// The name under which this pass reports its own faults.
pub(super) const PASS: &str = "fuse";

/// A broken invariant of this pass.
pub(super) fn broken(invariant: impl Into<String>) -> Broken {
    Broken::new(PASS, invariant)
}

/// Facts by value.
pub(super) struct Facts<'a> {
    pub(super) program: &'a Program,
    extents: Vec<Vec<u64>>,
    definitions: Vec<Option<&'a Op>>,
    /// The region that defines it, by pre-order number.
    regions: Vec<usize>,
    /// Every operation with its region, in pre-order.
    pub(super) ops: Vec<(&'a Op, usize)>,
}

impl<'a> Facts<'a> {
    /// Gathers them; every extent must be a number.
    pub(super) fn new(program: &'a Program) -> Result<Self, Broken> {
        let mut extents = Vec::with_capacity(program.types.len());
        for ty in &program.types {
            let known = ty.shape.extents().ok_or_else(|| broken(format!("the extents of {ty} are numbers")))?;
            ty.bytes().ok_or_else(|| broken(format!("{ty} has a size of 63 bits")))?;
            extents.push(known);
        }
        let count = program.types.len();
        let mut facts =
            Self { program, extents, definitions: vec![None; count], regions: vec![0; count], ops: Vec::new() };
        let mut regions = 0;
        facts.visit(&program.body, &mut regions);
        Ok(facts)
    }

    fn visit(&mut self, region: &'a Region, regions: &mut usize) {
        let own = *regions;
        *regions += 1;
        for param in &region.params {
            if let Some(slot) = self.regions.get_mut(param.0 as usize) {
                *slot = own;
            }
        }
        for op in &region.ops {
            self.ops.push((op, own));
            for result in &op.results {
                let at = result.0 as usize;
                if let (Some(slot), Some(region)) = (self.definitions.get_mut(at), self.regions.get_mut(at)) {
                    *slot = Some(op);
                    *region = own;
                }
            }
            for inner in &op.regions {
                self.visit(inner, regions);
            }
        }
    }

    /// The extents of a value.
    pub(super) fn extents(&self, value: Value) -> &[u64] {
        self.extents.get(value.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// Number of elements.
    pub(super) fn elements(&self, value: Value) -> u64 {
        let extents = self.extents(value);
        if extents.contains(&0) { 0 } else { extents.iter().product() }
    }

    /// Element type.
    pub(super) fn dtype(&self, value: Value) -> DType {
        self.program.types.get(value.0 as usize).map_or(DType::Bool, |ty| ty.dtype)
    }

    /// Size.
    pub(super) fn bytes(&self, value: Value) -> u64 {
        self.elements(value).saturating_mul(self.dtype(value).bytes() as u64)
    }

    /// What defines it; nothing for a parameter.
    pub(super) fn definition(&self, value: Value) -> Option<&'a Op> {
        self.definitions.get(value.0 as usize).copied().flatten()
    }

    /// The region that defines it.
    pub(super) fn region(&self, value: Value) -> usize {
        self.regions.get(value.0 as usize).copied().unwrap_or(0)
    }

    /// The value whose buffer holds these elements in this order: through reshapes.
    pub(super) fn base(&self, mut value: Value) -> Value {
        while let Some(op) = self.definition(value)
            && op.kind == OpKind::Reshape
            && let Some(&operand) = op.operands.first()
        {
            value = operand;
        }
        value
    }

    /// Where, in its operand, the element at `position` of a pure view lies; `None` for what is no view.
    pub(super) fn through(
        &self,
        op: &Op,
        position: &[Index],
        domain: &[u64],
    ) -> Result<Option<(Value, Vec<Index>)>, Broken> {
        let (Some(&operand), Some(&result)) = (op.operands.first(), op.results.first()) else { return Ok(None) };
        let inner = self.extents(operand);
        let overflow = || broken("index expressions fit 64 bits");
        let at = |axis: usize| position.get(axis).cloned().ok_or_else(|| broken("a position has an index per axis"));
        let mapped = match &op.kind {
            OpKind::Broadcast { axes } => {
                let pairs = axes.iter().zip(inner);
                let one = |(axis, extent): (&usize, &u64)| if *extent == 1 { Ok(index::number(0)) } else { at(*axis) };
                pairs.map(one).collect::<Result<Vec<_>, _>>()?
            }
            OpKind::Transpose(perm) => {
                let mut mapped = vec![index::number(0); perm.len()];
                for (axis, from) in perm.iter().enumerate() {
                    *mapped.get_mut(*from).ok_or_else(|| broken("a permutation is in range"))? = at(axis)?;
                }
                mapped
            }
            OpKind::Slice { starts, steps } => {
                let mut mapped = Vec::new();
                for (axis, (start, step)) in starts.iter().zip(steps).enumerate() {
                    let start = start.constant().ok_or_else(|| broken("a slice starts at a number"))?;
                    mapped.push(index::add(&index::number(start), &at(axis)?, *step).ok_or_else(overflow)?);
                }
                mapped
            }
            OpKind::Reshape => {
                let element = index::linear(position, self.extents(result)).ok_or_else(overflow)?;
                index::position(&element, inner, domain).ok_or_else(overflow)?
            }
            _ => return Ok(None),
        };
        Ok(Some((operand, mapped)))
    }
}
