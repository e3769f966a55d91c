//! `for` and `while`: regions that carry the names which their bodies bind.
//!
//! ```text
//! for i in 0..n { p = p * 0.99 }
//!   %5: f32[4] = for %0, %n, %1 carry(%p) { |%i: i64[], %q: f32[4]| ...mul... }
//! ```
//! A `for` is tried as a loop first; only where its body demands the index at compile time is it unrolled.
//! Invariant: a carried value has one type in every round; ints widen to floats, and numbers to arrays, from the start.

use super::body::assigned;
use super::carry::{join, leaf_types, leaves, rebuild, type_text};
use super::control::{decided, unknown};
use super::host::union;
use super::{Elaborator, Frame, LOOP_ORIGINS, Outcome, Rolled};
use crate::base::{DType, Shape, Size, Span};
use crate::ir::array::{self, ArrayType, Check, OpKind};
use crate::ops::scalar::ScalarOp;
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, Known, Traced, Type, Value};
use crate::syntax::ast::{Block, Expr, Ident, Name};
use std::collections::BTreeMap;

/// Most rounds that one loop is unrolled to.
const MOST_ROUNDS: usize = 10_000;
/// Most rounds unrolled in one program.
const MOST_ROUNDS_TOGETHER: usize = 100_000;
/// Types are widened (int to float, number to array) at most this often before a loop must agree.
const WIDENINGS: usize = 4;

/// The bounds of a `for`.
struct Bounds {
    start: Host,
    end: Host,
    step: Host,
}

impl Bounds {
    fn all(&self) -> [&Host; 3] {
        [&self.start, &self.end, &self.step]
    }

    fn known(&self) -> bool {
        self.all().into_iter().all(|host| matches!(host.known, Some(Known::Int(Size::Known(_)))))
    }
}

impl Bounds {
    /// The least and the greatest index, where all runs have the same bounds and any round at all.
    fn range(&self) -> Option<(i64, i64)> {
        let constant = |host: &Host| match &host.known {
            Some(Known::Int(Size::Known(n))) if host.origins.is_empty() => Some(*n),
            _ => None,
        };
        let (start, end, step) = (constant(&self.start)?, constant(&self.end)?, constant(&self.step)?);
        match step.signum() {
            1 if start < end => Some((start, end.checked_sub(1)?)),
            -1 if start > end => Some((end.checked_add(1)?, start)),
            _ => None,
        }
    }
}

impl Elaborator<'_> {
    pub(super) fn for_statement(
        &mut self,
        index: &Ident,
        start: &Expr,
        end: &Expr,
        step: Option<&Expr>,
        body: &Block,
        span: Span,
    ) -> Outcome<()> {
        let start = self.bound(start)?;
        let end = self.bound(end)?;
        let step_span = step.map_or(span, |step| step.span);
        let step = match step {
            Some(step) => self.bound(step)?,
            None => Host::constant(Known::Int(Size::Known(1))),
        };
        if step.known == Some(Known::Int(Size::Known(0))) && step.origins.is_empty() {
            return self.fail(diagnostics::zero_step(step_span));
        }
        let bounds = Bounds { start, end, step };
        let origin = LOOP_ORIGINS + self.loop_count;
        self.loop_count += 1;
        let saved = self.save();
        self.loops.push(Rolled { origin, bounded: bounds.known(), counter: None, range: bounds.range() });
        let rolled = self.rolled_for(index, &bounds, body, origin, (step_span, span));
        self.loops.truncate(saved.loops);
        if rolled.is_ok() || !self.wanted.contains(&origin) {
            return rolled;
        }
        // A loop around this one must be unrolled first; it elaborates this one again.
        if self.loops.iter().any(|outer| self.wanted.contains(&outer.origin)) {
            return rolled;
        }
        self.wanted.clear();
        self.restore(&saved);
        self.unrolled_for(index, &bounds, body, span)
    }

    fn bound(&mut self, expr: &Expr) -> Outcome<Host> {
        match self.expr(expr)? {
            Value::Host(host) if host.kind == HostKind::Int => Ok(host),
            Value::Array(array)
                if self.builder.ty(array).dtype.is_int()
                    && self.builder.ty(array).shape.elements().and_then(|n| n.constant()) == Some(1) =>
            {
                let scalar = self.builder.reshape(array, Shape::default());
                let runtime = self.builder.cast(scalar, DType::I64);
                Ok(Host { kind: HostKind::Int, known: None, origins: Vec::new(), runtime: Some(runtime) })
            }
            other => {
                let found = [(self.describe(&other), expr.span)];
                self.fail(diagnostics::bad_operands("for", &found, expr.span, "the bounds of a `for` are ints"))
            }
        }
    }

    fn unrolled_for(&mut self, index: &Ident, bounds: &Bounds, body: &Block, span: Span) -> Outcome<()> {
        let mut numbers = [0i64; 3];
        for (slot, host) in numbers.iter_mut().zip(bounds.all()) {
            match self.demand(host) {
                Some(Known::Int(Size::Known(n))) => *slot = n,
                _ => return self.fail(diagnostics::must_be_known("the bounds of this loop", span)),
            }
        }
        let [start, end, step] = numbers;
        let mut at = start;
        let mut rounds = 0;
        while (step > 0 && at < end) || (step < 0 && at > end) {
            rounds += 1;
            self.unrolled += 1;
            if rounds > MOST_ROUNDS || self.unrolled > MOST_ROUNDS_TOGETHER {
                let help = "give the body arrays whose shape does not depend on the index";
                let what = "this loop is unrolled, since its body needs the index for a shape";
                return self.fail(diagnostics::too_deep(what, MOST_ROUNDS, span, help));
            }
            let value = Value::Host(Host::constant(Known::Int(Size::Known(at))));
            let frame = self.frame();
            frame.partial.remove(&index.name);
            frame.names.insert(index.name.clone(), value);
            self.block(body)?;
            let Some(next) = at.checked_add(step) else { break };
            at = next;
        }
        Ok(())
    }

    /// The names that a loop carries: bound in its body and having a value before.
    fn carried(&mut self, body: &Block, index: Option<&Ident>, span: Span) -> Vec<(Name, Traced, Type)> {
        let mut names = BTreeMap::new();
        assigned(body, &mut names);
        if let Some(index) = index {
            names.remove(&index.name);
        }
        let values: Vec<(Name, Traced)> = {
            let frame = self.frame();
            names.into_keys().filter_map(|name| frame.names.get(&name).cloned().map(|value| (name, value))).collect()
        };
        let found = self.widened.get(&self.loop_key(span));
        values
            .into_iter()
            .map(|(name, value)| {
                let own = unknown(&self.type_of(&value));
                let wider =
                    found.and_then(|types| types.get(&name)).filter(|wider| join(&own, wider).as_ref() == Some(*wider));
                let ty = wider.cloned().unwrap_or(own);
                (name, value, ty)
            })
            .collect()
    }

    /// Which loop this is: its place, and the call that leads to it.
    fn loop_key(&self, span: Span) -> (Span, Option<Span>) {
        (span, self.frames.last().and_then(|frame| frame.function.as_ref()).map(|(_, at)| *at))
    }

    /// Remembers the types that a loop was found to carry.
    fn widen(&mut self, carried: &[(Name, Traced, Type)], span: Span) {
        let types = carried.iter().map(|(name, _, ty)| (name.clone(), ty.clone())).collect();
        self.widened.insert(self.loop_key(span), types);
    }

    /// The carried values as the loop takes them in.
    fn initial(&mut self, carried: &[(Name, Traced, Type)], span: Span) -> Outcome<Vec<array::Value>> {
        let mut values = Vec::new();
        for (_, value, ty) in carried {
            let coerced = self.coerce(value, ty, span)?;
            leaves(&coerced, ty, &mut values);
        }
        Ok(values)
    }

    /// Binds the carried names to the values of a region, or to the results of the loop.
    fn rebind(&mut self, carried: &[(Name, Traced, Type)], values: &[array::Value], origins: &[usize]) {
        let mut values = values.iter().copied();
        for (name, before, ty) in carried {
            let value = rebuild(ty, &mut values, origins, before);
            self.frame().names.insert(name.clone(), value);
        }
    }

    /// The carried values after a round, or the types that they must have from the start.
    fn after_round(
        &mut self,
        carried: &mut [(Name, Traced, Type)],
        body: &Block,
        span: Span,
    ) -> Outcome<Option<Vec<array::Value>>> {
        let mut wider = false;
        let mut results = Vec::new();
        for (name, _, ty) in carried.iter_mut() {
            let Some(after) = self.frame().names.get(name).cloned() else {
                return match self.frame().partial.get(name).cloned() {
                    Some((at, why)) => self.fail(diagnostics::maybe_unbound(name, at, &why, span)),
                    None => self.fail(diagnostics::unknown_name(name, None, span)),
                };
            };
            let found = unknown(&self.type_of(&after));
            match join(ty, &found) {
                Some(joined) if joined == *ty => {
                    if !wider {
                        let coerced = self.coerce(&after, ty, span)?;
                        leaves(&coerced, ty, &mut results);
                    }
                }
                Some(joined) => {
                    *ty = joined;
                    wider = true;
                }
                None => {
                    let mut names = BTreeMap::new();
                    assigned(body, &mut names);
                    let at = names.get(name).copied().unwrap_or(span);
                    let what = format!("`{name}` changes its type in this loop");
                    let help = "what a loop carries from round to round keeps its shape and dtype";
                    let (before, found) = (type_text(ty), type_text(&found));
                    return self.fail(diagnostics::disagree(&what, (&before, span), (&found, at), at, help));
                }
            }
        }
        Ok((!wider).then_some(results))
    }

    /// Names bound in the body alone have no value where the loop runs no rounds.
    fn forget_body(&mut self, body: &Block, index: Option<&Ident>, carried: &[(Name, Traced, Type)], before: &Frame) {
        let mut names = BTreeMap::new();
        assigned(body, &mut names);
        names.extend(index.map(|index| (index.name.clone(), index.span)));
        let frame = self.frame();
        frame.partial = before.partial.clone();
        for (name, at) in names {
            if !carried.iter().any(|(other, ..)| *other == name) {
                frame.names.remove(&name);
                frame.partial.insert(name, (at, "the loop that binds it may run no rounds".into()));
            }
        }
    }

    fn rolled_for(
        &mut self,
        index: &Ident,
        bounds: &Bounds,
        body: &Block,
        origin: usize,
        (step_span, span): (Span, Span),
    ) -> Outcome<()> {
        let mut carried = self.carried(body, Some(index), span);
        let mut origins = vec![origin];
        for host in bounds.all() {
            origins = union(&origins, &host.origins);
        }
        let before = self.frame().clone();
        for _ in 0..=WIDENINGS {
            let saved = self.save();
            self.builder.span = span;
            let mut operands: Vec<array::Value> = Vec::new();
            for host in bounds.all() {
                operands.push(self.runtime_as(host, HostKind::Int));
            }
            if bounds.step.known.is_none() || !bounds.step.origins.is_empty() {
                let zero = self.int(0);
                let step = operands.get(2).copied().unwrap_or(zero);
                let bad = self.builder.map(ScalarOp::Eq, &[step, zero]);
                self.builder.span = step_span;
                let message = "the step of a loop is 0".to_owned();
                self.builder.check(Check { code: "R0005", message, help: None }, bad, &[]);
                self.builder.span = span;
            }
            operands.extend(self.initial(&carried, span)?);
            let mut types = Vec::new();
            carried.iter().for_each(|(_, _, ty)| leaf_types(ty, &mut types));
            let inner = std::iter::once(ArrayType::scalar(DType::I64)).chain(types.iter().cloned()).collect();
            let params = self.builder.open(inner);
            let Some((&counter, values)) = params.split_first() else { return Ok(()) };
            if let Some(this) = self.loops.last_mut() {
                this.counter = Some(counter);
            }
            let value = Self::computed(HostKind::Int, origins.clone(), counter);
            self.frame().partial.remove(&index.name);
            self.frame().names.insert(index.name.clone(), value);
            self.rebind(&carried, values, &origins);
            self.block(body)?;
            let Some(results) = self.after_round(&mut carried, body, span)? else {
                self.restore(&saved);
                self.widen(&carried, span);
                continue;
            };
            let region = self.builder.close(results);
            self.builder.span = span;
            let results = self.builder.push(OpKind::For, operands, types, vec![region]);
            self.rebind(&carried, &results, &origins);
            self.forget_body(body, Some(index), &carried, &before);
            return Ok(());
        }
        self.fail(diagnostics::too_deep("the types in this loop keep changing", WIDENINGS, span, "convert them before"))
    }

    pub(super) fn while_statement(&mut self, condition: &Expr, body: &Block, span: Span) -> Outcome<()> {
        let saved = self.save();
        let first = self.expr(condition)?;
        let truth = self.condition(&first, condition.span)?;
        self.restore(&saved);
        let before = self.frame().clone();
        if decided(&truth) == Some(false) {
            self.forget_body(body, None, &[], &before);
            *self.frame() = before;
            return Ok(());
        }
        let mut carried = self.carried(body, None, span);
        for _ in 0..=WIDENINGS {
            let saved = self.save();
            self.builder.span = span;
            let operands = self.initial(&carried, span)?;
            let mut types = Vec::new();
            carried.iter().for_each(|(_, _, ty)| leaf_types(ty, &mut types));
            let params = self.builder.open(types.clone());
            self.rebind(&carried, &params, &[]);
            let value = self.expr(condition)?;
            let truth = self.condition(&value, condition.span)?;
            let holds = self.runtime_as(&truth, HostKind::Bool);
            let test = self.builder.close(vec![holds]);
            let params = self.builder.open(types.clone());
            self.rebind(&carried, &params, &[]);
            self.block(body)?;
            let Some(results) = self.after_round(&mut carried, body, span)? else {
                self.restore(&saved);
                self.widen(&carried, span);
                continue;
            };
            let round = self.builder.close(results);
            self.builder.span = span;
            let results = self.builder.push(OpKind::While, operands, types, vec![test, round]);
            self.rebind(&carried, &results, &[]);
            self.forget_body(body, None, &carried, &before);
            return Ok(());
        }
        self.fail(diagnostics::too_deep("the types in this loop keep changing", WIDENINGS, span, "convert them before"))
    }
}
