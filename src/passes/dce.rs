//! Removes what no output needs: operations, carried values of loops, results of branches.
//!
//! Invariant: checks stay, and so do the loops and branches that hold them.

use crate::ir::array::{Op, OpKind, Program, Region, Value};

/// The program without its dead parts.
#[must_use]
pub fn run(mut program: Program) -> Program {
    let mut live = Live { live: vec![false; program.types.len()], changed: false };
    live.mark_all(&program.body.results);
    // Marks only grow; a loop that feeds itself needs another round per value it passes on.
    loop {
        live.changed = false;
        live.region(&program.body);
        if !live.changed {
            break;
        }
    }
    live.sweep(&mut program.body);
    program
}

/// Whether a check is in the region or below.
pub(super) fn has_check(region: &Region) -> bool {
    region.ops.iter().any(has_effect)
}

fn has_effect(op: &Op) -> bool {
    matches!(op.kind, OpKind::Check(_)) || op.regions.iter().any(has_check)
}

/// Operands and region parameters that stand before the carried values of a loop.
fn before_carried(kind: &OpKind) -> Option<(usize, usize)> {
    match kind {
        OpKind::For => Some((3, 1)),
        OpKind::While => Some((0, 0)),
        _ => None,
    }
}

struct Live {
    live: Vec<bool>,
    changed: bool,
}

impl Live {
    fn is_live(&self, value: Value) -> bool {
        self.live.get(value.0 as usize).copied().unwrap_or(false)
    }

    fn mark(&mut self, value: Value) {
        if let Some(slot) = self.live.get_mut(value.0 as usize)
            && !*slot
        {
            *slot = true;
            self.changed = true;
        }
    }

    fn mark_all(&mut self, values: &[Value]) {
        values.iter().for_each(|&value| self.mark(value));
    }

    fn is_needed(&self, op: &Op) -> bool {
        has_effect(op) || op.results.iter().any(|&result| self.is_live(result))
    }

    /// Whether carried value `at` of a loop is read by a round or after it.
    fn is_carried(&self, op: &Op, own: usize, at: usize) -> bool {
        let read = |value: Option<&Value>| value.is_some_and(|&value| self.is_live(value));
        read(op.results.get(at)) || op.regions.iter().any(|region| read(region.params.get(own + at)))
    }

    fn region(&mut self, region: &Region) {
        for op in region.ops.iter().rev() {
            if self.is_needed(op) {
                self.op(op);
            }
        }
    }

    fn op(&mut self, op: &Op) {
        match before_carried(&op.kind) {
            Some((fixed, own)) => {
                self.mark_all(op.operands.get(..fixed).unwrap_or_default());
                if let (OpKind::While, Some(condition)) = (&op.kind, op.regions.first()) {
                    self.mark_all(&condition.results);
                }
                for at in 0..op.results.len() {
                    if self.is_carried(op, own, at) {
                        let given = op.regions.last().and_then(|body| body.results.get(at)).copied();
                        let taken = op.operands.get(fixed + at).copied();
                        given.into_iter().chain(taken).for_each(|value| self.mark(value));
                    }
                }
            }
            None => {
                self.mark_all(&op.operands);
                for (at, &result) in op.results.iter().enumerate() {
                    if self.is_live(result) {
                        let given: Vec<Value> =
                            op.regions.iter().filter_map(|region| region.results.get(at).copied()).collect();
                        self.mark_all(&given);
                    }
                }
            }
        }
        op.regions.iter().rev().for_each(|region| self.region(region));
    }

    fn sweep(&self, region: &mut Region) {
        region.ops.retain(|op| self.is_needed(op));
        for op in &mut region.ops {
            if let Some((fixed, own)) = before_carried(&op.kind) {
                let keep: Vec<bool> = (0..op.results.len()).map(|at| self.is_carried(op, own, at)).collect();
                retain(&mut op.operands, fixed, &keep);
                op.regions.iter_mut().for_each(|region| retain(&mut region.params, own, &keep));
                if let Some(body) = op.regions.last_mut() {
                    retain(&mut body.results, 0, &keep);
                }
                retain(&mut op.results, 0, &keep);
            } else if matches!(op.kind, OpKind::If) {
                let keep: Vec<bool> = op.results.iter().map(|&result| self.is_live(result)).collect();
                op.regions.iter_mut().for_each(|region| retain(&mut region.results, 0, &keep));
                retain(&mut op.results, 0, &keep);
            }
            op.regions.iter_mut().for_each(|region| self.sweep(region));
        }
    }
}

/// Keeps the first `fixed` values and, of those behind, the ones marked.
fn retain(values: &mut Vec<Value>, fixed: usize, keep: &[bool]) {
    let mut at = 0;
    values.retain(|_| {
        let kept = at < fixed || keep.get(at - fixed).copied().unwrap_or(false);
        at += 1;
        kept
    });
}
