//! Moves out of loops what every round computes alike, where that is worth an array that lives as long as the loop.
//!
//! Before: `for .. { %3 = matmul %0, %1 .. }`. After: `%3 = matmul %0, %1; for .. { .. }`.
//! Invariant: a loop may run no round at all, so what is moved has no effect; checks stay where they are. What is
//! cheap to compute and large to keep (elementwise operations, broadcasts) is left to the kernels of the loop.

use crate::ir::array::{ArrayType, Op, OpKind, Program, Region, Value};
use std::collections::HashSet;

/// The program with its loops relieved.
#[must_use]
pub fn run(mut program: Program) -> Program {
    let types = std::mem::take(&mut program.types);
    region(&types, &mut program.body);
    program.types = types;
    program
}

fn region(types: &[ArrayType], body: &mut Region) {
    let mut ops = Vec::new();
    for mut op in std::mem::take(&mut body.ops) {
        op.regions.iter_mut().for_each(|inner| region(types, inner));
        if matches!(op.kind, OpKind::For | OpKind::While) {
            // What the loop defines anywhere; the rest is there before it.
            let mut inside = HashSet::new();
            op.regions.iter().for_each(|inner| defined(inner, &mut inside));
            for inner in &mut op.regions {
                let (moved, kept) = split(types, std::mem::take(&mut inner.ops), &mut inside);
                inner.ops = kept;
                ops.extend(moved);
            }
        }
        ops.push(op);
    }
    body.ops = ops;
}

fn defined(region: &Region, into: &mut HashSet<Value>) {
    into.extend(&region.params);
    for op in &region.ops {
        into.extend(&op.results);
        op.regions.iter().for_each(|inner| defined(inner, into));
    }
}

/// What leaves the loop, and what stays; what leaves is no longer `inside`.
fn split(types: &[ArrayType], ops: Vec<Op>, inside: &mut HashSet<Value>) -> (Vec<Op>, Vec<Op>) {
    let (mut moved, mut kept) = (Vec::new(), Vec::new());
    for op in ops {
        let constant = op.operands.iter().all(|operand| !inside.contains(operand));
        if constant && worth_moving(types, &op) {
            op.results.iter().for_each(|result| {
                inside.remove(result);
            });
            moved.push(op);
        } else {
            kept.push(op);
        }
    }
    (moved, kept)
}

fn worth_moving(types: &[ArrayType], op: &Op) -> bool {
    let rank_0 = || op.results.iter().all(|result| types.get(result.0 as usize).is_some_and(|ty| ty.shape.rank() == 0));
    match op.kind {
        OpKind::Matmul
        | OpKind::Reduce { .. }
        | OpKind::Cumsum { .. }
        | OpKind::Sort { .. }
        | OpKind::Argsort { .. } => true,
        OpKind::Check(_) | OpKind::Copy | OpKind::For | OpKind::While | OpKind::If => false,
        // In range only behind the check that stands before it.
        OpKind::Gather { .. } | OpKind::Scatter { .. } | OpKind::DynamicSlice | OpKind::Update { .. } => false,
        _ => rank_0(),
    }
}
