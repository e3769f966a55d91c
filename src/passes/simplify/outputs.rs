//! Keeps the outputs of a program in buffers of their own when a loop or branch that gave them is gone.
//!
//! Which outputs share a buffer is part of what a program means: the ledger counts buffers. `(p * 1.0, p)` has two,
//! however exact the identity.

use crate::ir::array::{Op, OpKind, Program, Value};
use std::collections::{HashMap, HashSet};

/// Puts a copy in place of each output that has become an argument or another output, and was `before` a value of
/// its own.
pub(super) fn keep_apart(program: &mut Program, before: &[Value]) {
    let params: HashSet<Value> = program.body.params.iter().copied().collect();
    // The value before that each value stands for now.
    let mut owners: HashMap<Value, Value> = params.iter().map(|&param| (param, param)).collect();
    let mut copies: HashMap<Value, Value> = HashMap::new();
    let mut results = program.body.results.clone();
    for (result, &original) in results.iter_mut().zip(before) {
        let owner = *owners.entry(*result).or_insert(original);
        if owner == original {
            continue;
        }
        let from = *result;
        *result = *copies.entry(original).or_insert_with(|| {
            program.types.push(program.ty(from).clone());
            let copy = Value(program.types.len() as u32 - 1);
            let maker = program.body.ops.iter().find(|op| op.results.contains(&from));
            let span = maker.or(program.body.ops.first()).map(|op| op.span).unwrap_or_default();
            program.body.ops.push(Op {
                kind: OpKind::Copy,
                operands: vec![from],
                results: vec![copy],
                regions: Vec::new(),
                span,
            });
            copy
        });
    }
    program.body.results = results;
}
