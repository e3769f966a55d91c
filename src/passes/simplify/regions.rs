//! Loops and conditions: what is decided by constants, and carried values that no round changes.

use super::Simplifier;
use crate::base::Literal;
use crate::ir::array::{Op, OpKind, Region, Value};
use crate::passes::dce::has_check;

impl Simplifier {
    pub(super) fn control(&mut self, op: Op, out: &mut Vec<Op>) {
        match op.kind {
            OpKind::For => self.for_loop(op, out),
            OpKind::While => self.while_loop(op, out),
            _ => self.condition(op, out),
        }
    }

    fn condition(&mut self, mut op: Op, out: &mut Vec<Op>) {
        let constant = op.operands.first().and_then(|&condition| self.splat(condition));
        if let Some(constant) = constant
            && let Ok([then, otherwise]) = <[Region; 2]>::try_from(std::mem::take(&mut op.regions))
        {
            let taken = if constant.to_bool() { then } else { otherwise };
            return self.inline(taken, &op.results, out);
        }
        op.regions = std::mem::take(&mut op.regions).into_iter().map(|region| self.region(region)).collect();
        // A result that both branches take from outside needs no branch.
        let mut at = 0;
        while let Some(&result) = op.results.get(at) {
            let mut arms = op.regions.iter().map(|region| region.results.get(at));
            match (arms.next().flatten(), arms.next().flatten()) {
                (Some(&then), Some(otherwise)) if then == *otherwise => {
                    self.replace(result, then);
                    op.results.remove(at);
                    for region in &mut op.regions {
                        region.results.remove(at);
                    }
                }
                _ => at += 1,
            }
        }
        out.push(op);
    }

    /// The operations of a region in the place of the operation that owns it.
    fn inline(&mut self, region: Region, results: &[Value], out: &mut Vec<Op>) {
        self.changed = true;
        let region = self.region(region);
        out.extend(region.ops);
        for (&result, &by) in results.iter().zip(&region.results) {
            self.replace(result, by);
        }
    }

    fn for_loop(&mut self, mut op: Op, out: &mut Vec<Op>) {
        self.drop_constant_carried(&mut op, 3, 1);
        let bounds: Option<Vec<i64>> =
            op.operands.iter().take(3).map(|&bound| Some(self.splat(bound)?.to_i64())).collect();
        let rounds = match bounds.as_deref() {
            Some(&[start, end, step]) => few_rounds(start, end, step),
            _ => None,
        };
        match (rounds, op.operands.as_slice()) {
            (Some(0), [_, _, _, carried @ ..]) => {
                self.changed = true;
                for (&result, &carried) in op.results.iter().zip(carried) {
                    self.replace(result, carried);
                }
            }
            (Some(1), [start, _, _, carried @ ..]) if op.regions.len() == 1 => {
                let Some(body) = op.regions.pop() else { return };
                for (&param, &value) in body.params.iter().zip(std::iter::once(start).chain(carried)) {
                    self.replace(param, value);
                }
                self.inline(body, &op.results, out);
            }
            _ => {
                op.regions = std::mem::take(&mut op.regions).into_iter().map(|region| self.region(region)).collect();
                out.push(op);
            }
        }
    }

    fn while_loop(&mut self, mut op: Op, out: &mut Vec<Op>) {
        self.drop_constant_carried(&mut op, 0, 0);
        op.regions = std::mem::take(&mut op.regions).into_iter().map(|region| self.region(region)).collect();
        let condition = op.regions.first();
        let never =
            condition.and_then(|region| self.splat(*region.results.first()?)) == Some(Literal::from_bool(false));
        // Checks in the condition still run once.
        if never && condition.is_some_and(|region| !has_check(region)) {
            for (&result, &carried) in op.results.iter().zip(&op.operands) {
                self.replace(result, carried);
            }
            return;
        }
        out.push(op);
    }

    /// Carried values that the body hands on as they came: they are what they were before the loop.
    ///
    /// `fixed` operands and `own` parameters stand before the carried ones; all regions take the carried values, the
    /// last one gives them.
    fn drop_constant_carried(&mut self, op: &mut Op, fixed: usize, own: usize) {
        let mut at = 0;
        while let (Some(&operand), Some(&result)) = (op.operands.get(fixed + at), op.results.get(at)) {
            let params: Vec<Option<Value>> =
                op.regions.iter().map(|region| region.params.get(own + at).copied()).collect();
            let given = op.regions.last().and_then(|region| region.results.get(at)).map(|&value| self.resolve(value));
            let constant = given.is_some() && params.last().copied().flatten() == given;
            if !constant {
                at += 1;
                continue;
            }
            for param in params.into_iter().flatten() {
                self.replace(param, operand);
            }
            self.replace(result, operand);
            op.operands.remove(fixed + at);
            op.results.remove(at);
            for region in &mut op.regions {
                region.params.remove(own + at);
            }
            if let Some(body) = op.regions.last_mut() {
                body.results.remove(at);
            }
        }
    }
}

/// 0, 1, or `None` for more.
fn few_rounds(start: i64, end: i64, step: i64) -> Option<u64> {
    let goes_on = |index: i64| if step > 0 { index < end } else { index > end };
    if step == 0 {
        None
    } else if !goes_on(start) {
        Some(0)
    } else if start.checked_add(step).is_none_or(|next| !goes_on(next)) {
        Some(1)
    } else {
        None
    }
}
