//! Identities of operations that move elements: moves that change nothing, moves of moves, moves of splats.

use super::{Rewrite, Simplifier};
use crate::base::Size;
use crate::ir::array::{Op, OpKind, Value};

impl Simplifier {
    pub(super) fn moves(&self, op: &Op, result: Value) -> Rewrite {
        let Some(&x) = op.operands.first() else { return Rewrite::Keep };
        let shape = &self.ty(result).shape;
        let same_shape = self.ty(x).shape == *shape;
        let moved = match &op.kind {
            OpKind::Broadcast { .. } | OpKind::Reshape if same_shape => return Rewrite::Same(x),
            OpKind::Transpose(perm) if perm.iter().copied().eq(0..perm.len()) => return Rewrite::Same(x),
            OpKind::Slice { starts, steps }
                if same_shape && starts.iter().all(zero) && steps.iter().all(|&step| step == 1) =>
            {
                return Rewrite::Same(x);
            }
            OpKind::Pad { low } if same_shape && low.iter().all(zero) => return Rewrite::Same(x),
            OpKind::Concat { axis } => return self.concat(op, *axis),
            OpKind::DynamicSlice => return self.dynamic_slice(op, result),
            OpKind::Broadcast { axes } => self.broadcast(axes, x),
            OpKind::Reshape => match self.definition(x) {
                Some((OpKind::Reshape, &[inner])) => Some((OpKind::Reshape, inner)),
                _ => None,
            },
            OpKind::Transpose(perm) => self.transpose(perm, x),
            OpKind::Slice { starts, steps } => self.slice(starts, steps, x),
            _ => None,
        };
        if let Some((kind, operand)) = moved {
            return Rewrite::To(kind, vec![operand]);
        }
        // What moves equal elements makes more or fewer of them.
        let moves = matches!(op.kind, OpKind::Reshape | OpKind::Transpose(_) | OpKind::Slice { .. });
        match self.splat_of(x) {
            Some(scalar) if moves && scalar != x => Rewrite::To(OpKind::Broadcast { axes: Vec::new() }, vec![scalar]),
            _ => Rewrite::Keep,
        }
    }

    /// A broadcast of a broadcast, or of a reshape that only adds axes of extent 1.
    fn broadcast(&self, axes: &[usize], x: Value) -> Option<(OpKind, Value)> {
        let (kind, &[inner]) = self.definition(x)? else { return None };
        let own: Vec<usize> = match kind {
            OpKind::Broadcast { axes } => axes.clone(),
            OpKind::Reshape => {
                let one = Size::from(1);
                let from = &self.ty(inner).shape.0;
                let kept = self.ty(x).shape.0.iter().enumerate().filter(|(_, extent)| **extent != one);
                let (at, kept): (Vec<usize>, Vec<&Size>) = kept.unzip();
                if from.contains(&one) || !kept.into_iter().eq(from) {
                    return None;
                }
                at
            }
            _ => return None,
        };
        let axes = own.iter().map(|&axis| axes.get(axis).copied()).collect::<Option<_>>()?;
        Some((OpKind::Broadcast { axes }, inner))
    }

    fn transpose(&self, perm: &[usize], x: Value) -> Option<(OpKind, Value)> {
        let (OpKind::Transpose(own), &[inner]) = self.definition(x)? else { return None };
        let perm = perm.iter().map(|&axis| own.get(axis).copied()).collect::<Option<_>>()?;
        Some((OpKind::Transpose(perm), inner))
    }

    fn slice(&self, starts: &[Size], steps: &[i64], x: Value) -> Option<(OpKind, Value)> {
        let (OpKind::Slice { starts: own_starts, steps: own_steps }, &[inner]) = self.definition(x)? else {
            return None;
        };
        let mut merged = (Vec::new(), Vec::new());
        for ((start, step), (own_start, own_step)) in starts.iter().zip(steps).zip(own_starts.iter().zip(own_steps)) {
            merged.0.push(own_start.add(&start.mul(&Size::from(*own_step))?)?);
            merged.1.push(step.checked_mul(*own_step)?);
        }
        Some((OpKind::Slice { starts: merged.0, steps: merged.1 }, inner))
    }

    /// Operands without elements go; one operand alone is the result.
    fn concat(&self, op: &Op, axis: usize) -> Rewrite {
        let empty = |value: &Value| self.ty(*value).shape.0.get(axis).is_some_and(zero);
        let mut kept: Vec<Value> = op.operands.iter().copied().filter(|value| !empty(value)).collect();
        if kept.is_empty() {
            kept.extend(op.operands.first());
        }
        match kept.as_slice() {
            [single] => Rewrite::Same(*single),
            _ if kept.len() < op.operands.len() => Rewrite::To(OpKind::Concat { axis }, kept),
            _ => Rewrite::Keep,
        }
    }

    /// With constant starts, in range for certain, it is a plain slice.
    fn dynamic_slice(&self, op: &Op, result: Value) -> Rewrite {
        let [x, starts @ ..] = op.operands.as_slice() else { return Rewrite::Keep };
        let mut sizes = Vec::new();
        for (at, &start) in starts.iter().enumerate() {
            let Some(start) = self.splat(start).map(|start| start.to_i64()) else { return Rewrite::Keep };
            let extents = (self.ty(*x).shape.0.get(at), self.ty(result).shape.0.get(at));
            let inside = match extents {
                (Some(whole), Some(part)) if start == 0 && whole == part => true,
                (Some(whole), Some(part)) => match (whole.constant(), part.constant()) {
                    (Some(whole), Some(part)) => start >= 0 && start.checked_add(part).is_some_and(|end| end <= whole),
                    _ => false,
                },
                _ => false,
            };
            if !inside {
                return Rewrite::Keep;
            }
            sizes.push(Size::from(start));
        }
        let steps = vec![1; sizes.len()];
        Rewrite::To(OpKind::Slice { starts: sizes, steps }, vec![*x])
    }
}

fn zero(size: &Size) -> bool {
    size.constant() == Some(0)
}
