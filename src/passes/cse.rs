//! Computes equal things once: the same operation on the same values, seen before in this region or one around it.
//!
//! Invariant: constants are told apart by their bits; checks stay, a copy stays a buffer of its own, and two outputs
//! stay two.

use crate::ir::array::{ArrayType, Op, OpKind, Program, Region, Value};
use crate::ops::scalar::ScalarOp;
use std::collections::{HashMap, HashSet};

/// The program without repetitions.
#[must_use]
pub fn run(mut program: Program) -> Program {
    let outputs = program.body.results.iter().copied().collect();
    let mut seen = Seen { types: &program.types, replaced: HashMap::new(), values: HashMap::new(), outputs };
    seen.region(&mut program.body);
    program
}

type Key = (OpKind, Vec<Value>, ArrayType);

struct Seen<'a> {
    types: &'a [ArrayType],
    replaced: HashMap<Value, Value>,
    values: HashMap<Key, Value>,
    /// Outputs of the program, under the names they have by now.
    outputs: HashSet<Value>,
}

impl Seen<'_> {
    fn resolve(&self, values: &mut [Value]) {
        for value in values {
            *value = self.replaced.get(value).copied().unwrap_or(*value);
        }
    }

    fn region(&mut self, region: &mut Region) {
        let mut own = Vec::new();
        region.ops.retain_mut(|op| {
            self.resolve(&mut op.operands);
            op.regions.iter_mut().for_each(|region| self.region(region));
            let Some((key, result)) = self.key(op) else { return true };
            if let Some(&known) = self.values.get(&key) {
                // Two outputs are two buffers, which the ledger counts and donations may fill.
                if self.outputs.contains(&result) && !self.outputs.insert(known) {
                    return true;
                }
                self.replaced.insert(result, known);
                return false;
            }
            own.push(key.clone());
            self.values.insert(key, result);
            true
        });
        self.resolve(&mut region.results);
        // What was computed in here is not there outside.
        for key in own {
            self.values.remove(&key);
        }
    }

    fn key(&self, op: &Op) -> Option<(Key, Value)> {
        if !op.regions.is_empty() || matches!(op.kind, OpKind::Check(_) | OpKind::Copy) {
            return None;
        }
        let &[result] = op.results.as_slice() else { return None };
        let ty = self.types.get(result.0 as usize)?.clone();
        let mut operands = op.operands.clone();
        if let OpKind::Map(op) = op.kind
            && commutes(op, ty.dtype.is_float())
        {
            operands.sort_unstable();
        }
        Some(((op.kind.clone(), operands, ty), result))
    }
}

/// Whether swapped operands give the same bits; of two NaNs a float operation keeps one.
fn commutes(op: ScalarOp, float: bool) -> bool {
    match op {
        ScalarOp::Eq | ScalarOp::Ne | ScalarOp::And | ScalarOp::Or | ScalarOp::Xor => true,
        ScalarOp::Add | ScalarOp::Mul | ScalarOp::Max | ScalarOp::Min => !float,
        _ => false,
    }
}
