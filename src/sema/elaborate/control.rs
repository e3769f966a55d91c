//! `if`, `for`, `while`, `and`, `or`: decided now where every run decides alike, else compiled into regions.
//!
//! ```text
//! for i in 0..n { p = p * 0.99 }
//!   %5: f32[4] = for %0, %n, %1, %p {  (%i: i64[], %q: f32[4]) ... mul ...  }
//! ```
//! A `for` is tried as a loop first; only where its body demands the index at compile time is it unrolled.
//! Invariant: what a region leaves behind reaches the code after it through the results of its operation alone.

use super::carry::{join, leaf_types, leaves, rebuild, type_text};
use super::host::union;
use super::{Elaborator, Frame, LOOP_ORIGINS, Outcome, Rolled};
use crate::base::{DType, Size, Span};
use crate::ir::array::{self, ArrayType, Check, OpKind, Region};
use crate::ops::scalar::ScalarOp;
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, HostType, Known, Traced, Type, Value};
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, Ident, Name};
use std::collections::BTreeMap;

/// Most rounds that one loop is unrolled to.
const MOST_ROUNDS: usize = 10_000;
/// Most rounds unrolled in one program.
const MOST_ROUNDS_TOGETHER: usize = 100_000;
/// Types are widened (int to float, number to array) at most this often before a loop must agree.
const WIDENINGS: usize = 4;

/// What is known of a bool in every run.
fn decided(host: &Host) -> Option<bool> {
    match host.known {
        Some(Known::Bool(b)) if host.origins.is_empty() => Some(b),
        _ => None,
    }
}

/// A type in which nothing of a number is known, as a loop carries it.
fn unknown(ty: &Type) -> Type {
    match ty {
        Value::Host(host) if host.kind != HostKind::Str => Value::Host(HostType { kind: host.kind, known: None }),
        Value::Tuple(items) => Value::Tuple(items.iter().map(unknown).collect()),
        Value::Record(fields) => Value::Record(fields.iter().map(|(name, ty)| (name.clone(), unknown(ty))).collect()),
        other => other.clone(),
    }
}

/// Host values of `merged` known as those of `chosen` are, where the condition's inputs say so.
fn known_as(merged: &mut Traced, chosen: &Traced, other: &Traced, origins: &[usize]) {
    match (merged, chosen, other) {
        (Value::Host(merged), Value::Host(chosen), Value::Host(other)) => {
            merged.origins = union(&union(&chosen.origins, &other.origins), origins);
            merged.known = match (merged.kind, &chosen.known) {
                (HostKind::Float, Some(Known::Int(Size::Known(n)))) => Some(Known::Float(*n as f64)),
                (kind, known) if kind == chosen.kind => known.clone(),
                _ => None,
            };
        }
        (Value::Tuple(merged), Value::Tuple(chosen), Value::Tuple(other)) => {
            for ((merged, chosen), other) in merged.iter_mut().zip(chosen).zip(other) {
                known_as(merged, chosen, other, origins);
            }
        }
        (Value::Record(merged), Value::Record(chosen), Value::Record(other)) => {
            for (((_, merged), (_, chosen)), (_, other)) in merged.iter_mut().zip(chosen).zip(other) {
                known_as(merged, chosen, other, origins);
            }
        }
        _ => {}
    }
}

/// One way through an `if`: what it computed, and the names after it.
struct Branch {
    region: Region,
    frame: Frame,
    value: Traced,
}

impl Elaborator<'_> {
    pub(super) fn if_statement(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: Option<&Block>,
        span: Span,
    ) -> Outcome<()> {
        let value = self.expr(condition)?;
        let truth = self.condition(&value, condition.span)?;
        self.choose(&truth, then, otherwise, false, span).map(|_| ())
    }

    /// The value of `if c { a } else { b }`.
    pub(super) fn if_value(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: &Block,
        span: Span,
    ) -> Outcome<Traced> {
        self.if_blocks(condition, then, Some(otherwise), span)
    }

    pub(super) fn if_blocks(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: Option<&Block>,
        span: Span,
    ) -> Outcome<Traced> {
        let value = self.expr(condition)?;
        let truth = self.condition(&value, condition.span)?;
        self.choose(&truth, then, otherwise, true, span)
    }

    fn run_block(&mut self, block: Option<&Block>, wants_value: bool) -> Outcome<Traced> {
        match block {
            None => Ok(Value::Unit),
            Some(block) if wants_value => self.block_value(block),
            Some(block) => self.block(block).map(|()| Value::Unit),
        }
    }

    fn choose(
        &mut self,
        truth: &Host,
        then: &Block,
        otherwise: Option<&Block>,
        wants_value: bool,
        span: Span,
    ) -> Outcome<Traced> {
        if let Some(holds) = decided(truth) {
            return self.run_block(if holds { Some(then) } else { otherwise }, wants_value);
        }
        self.builder.span = span;
        let condition = self.runtime_as(truth, HostKind::Bool);
        let before = self.frame().clone();
        let a = self.branch(Some(then), wants_value)?;
        *self.frame() = before.clone();
        let b = self.branch(otherwise, wants_value)?;
        *self.frame() = before;

        let mut carried: Vec<(Option<Name>, Traced, Traced, Type)> = Vec::new();
        let names: Vec<Name> = a.frame.names.keys().chain(b.frame.names.keys()).cloned().collect();
        let mut partial: BTreeMap<Name, (Span, std::rc::Rc<str>)> = a.frame.partial.clone();
        partial.extend(b.frame.partial.clone());
        for name in names {
            match (a.frame.names.get(&name), b.frame.names.get(&name)) {
                (Some(x), Some(y)) if x == y => {
                    self.frame().names.insert(name, x.clone());
                }
                (Some(x), Some(y)) => {
                    let (left, right) = (self.type_of(x), self.type_of(y));
                    match join(&left, &right) {
                        Some(ty) => carried.push((Some(name), x.clone(), y.clone(), ty)),
                        None => {
                            let why = format!("it is {} or {} after this `if`", type_text(&left), type_text(&right));
                            partial.insert(name, (span, why.into()));
                        }
                    }
                }
                _ => {
                    let bound = self.frame().locals.get(&name).copied().unwrap_or(span);
                    partial.entry(name).or_insert((bound, "it is bound in one branch of an `if` only".into()));
                }
            }
        }
        carried.sort_by(|left, right| left.0.cmp(&right.0));
        carried.dedup_by(|left, right| left.0 == right.0);
        if wants_value {
            let (left, right) = (self.type_of(&a.value), self.type_of(&b.value));
            let Some(ty) = join(&left, &right) else {
                let spans = (value_span(then), otherwise.map_or(span, value_span));
                let (left, right) = (type_text(&left), type_text(&right));
                let help = "both branches must give one type; the program computes one of them";
                let what = "the branches of this `if` differ";
                return self.fail(diagnostics::disagree(what, (&left, spans.0), (&right, spans.1), span, help));
            };
            carried.push((None, a.value, b.value, ty));
        }
        let regions = vec![
            self.finish_branch(a.region, carried.iter().map(|(_, x, _, ty)| (x, ty)), span)?,
            self.finish_branch(b.region, carried.iter().map(|(_, _, y, ty)| (y, ty)), span)?,
        ];
        let mut types = Vec::new();
        carried.iter().for_each(|(_, _, _, ty)| leaf_types(ty, &mut types));
        self.builder.span = span;
        let mut results = self.builder.push(OpKind::If, vec![condition], types, regions).into_iter();
        let mut value = Value::Unit;
        for (name, x, y, ty) in &carried {
            let mut merged = rebuild(ty, &mut results, &truth.origins, &Value::Unit);
            if let Some(Known::Bool(holds)) = truth.known {
                let (chosen, other) = if holds { (x, y) } else { (y, x) };
                known_as(&mut merged, chosen, other, &truth.origins);
            }
            match name {
                Some(name) => {
                    self.frame().names.insert(name.clone(), merged);
                }
                None => value = merged,
            }
        }
        let frame = self.frame();
        for name in partial.keys() {
            frame.names.remove(name);
        }
        frame.partial = partial;
        Ok(value)
    }

    fn branch(&mut self, block: Option<&Block>, wants_value: bool) -> Outcome<Branch> {
        self.builder.open(Vec::new());
        let value = self.run_block(block, wants_value)?;
        Ok(Branch { region: self.builder.close(Vec::new()), frame: self.frame().clone(), value })
    }

    fn finish_branch<'v>(
        &mut self,
        region: Region,
        values: impl Iterator<Item = (&'v Traced, &'v Type)>,
        span: Span,
    ) -> Outcome<Region> {
        self.builder.reopen(region);
        let mut results = Vec::new();
        for (value, ty) in values {
            let coerced = self.coerce(value, ty, span)?;
            leaves(&coerced, ty, &mut results);
        }
        Ok(self.builder.close(results))
    }

    /// `a and b`, `a or b`: elementwise where an array takes part on the left, else the left may decide alone.
    pub(super) fn logical(&mut self, and: bool, left: &Expr, right: &Expr, span: Span) -> Outcome<Traced> {
        let a = self.expr(left)?;
        let op = if and { BinaryOp::And } else { BinaryOp::Or };
        let Value::Host(host) = &a else {
            let b = self.expr(right)?;
            return self.both(op, (&a, left.span), (&b, right.span), span);
        };
        let truth = self.host_truth(host, left.span)?;
        match decided(&truth) {
            Some(holds) if holds != and => return Ok(Value::Host(Host::constant(Known::Bool(holds)))),
            Some(_) => {
                let b = self.expr(right)?;
                return self.logical_operand(op, &b, right.span, span);
            }
            None => {}
        }
        if !may_fail(right) {
            let b = self.expr(right)?;
            return self.both(op, (&Value::Host(truth), left.span), (&b, right.span), span);
        }
        self.builder.span = span;
        let condition = self.runtime_as(&truth, HostKind::Bool);
        self.builder.open(Vec::new());
        let b = self.expr(right)?;
        let b = self.logical_operand(op, &b, right.span, span)?;
        let ty = unknown(&self.type_of(&b));
        let region = self.builder.close(Vec::new());
        let asked = self.finish_branch(region, std::iter::once((&b, &ty)), span)?;
        let constant = Value::Host(Host::constant(Known::Bool(!and)));
        self.builder.open(Vec::new());
        let region = self.builder.close(Vec::new());
        let settled = self.finish_branch(region, std::iter::once((&constant, &ty)), span)?;
        let mut types = Vec::new();
        leaf_types(&ty, &mut types);
        let regions = if and { vec![asked, settled] } else { vec![settled, asked] };
        self.builder.span = span;
        let mut results = self.builder.push(OpKind::If, vec![condition], types, regions).into_iter();
        let mut merged = rebuild(&ty, &mut results, &truth.origins, &b);
        if let (Some(Known::Bool(holds)), Value::Host(merged), Value::Host(b)) = (&truth.known, &mut merged, &b) {
            merged.known = if *holds == and { b.known.clone() } else { Some(Known::Bool(*holds)) };
        }
        Ok(merged)
    }

    fn logical_operand(&mut self, op: BinaryOp, value: &Traced, at: Span, span: Span) -> Outcome<Traced> {
        match value {
            Value::Host(host) => Ok(Value::Host(self.host_truth(host, at)?)),
            Value::Array(array) if self.builder.ty(*array).dtype == DType::Bool => Ok(value.clone()),
            _ => self.refuse_operands(op.symbol(), &[(value, at)], span, "compare first, as in `x != 0`"),
        }
    }

    fn both(&mut self, op: BinaryOp, a: (&Traced, Span), b: (&Traced, Span), span: Span) -> Outcome<Traced> {
        let (x, y) = (self.logical_operand(op, a.0, a.1, span)?, self.logical_operand(op, b.0, b.1, span)?);
        let bits = if op == BinaryOp::And { BinaryOp::BitAnd } else { BinaryOp::BitOr };
        self.binary_values(bits, (&x, a.1), (&y, b.1), span)
    }
}

/// Where a block's value stands.
fn value_span(block: &Block) -> Span {
    block.statements.last().map_or(block.span, |statement| statement.span)
}

/// Whether evaluating it can stop the program, as far as its form shows.
fn may_fail(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Str(_) | ExprKind::Name(_) => false,
        ExprKind::Paren(inner) | ExprKind::Field(inner, _) | ExprKind::Unary(_, inner) => may_fail(inner),
        ExprKind::Binary(BinaryOp::FloorDiv | BinaryOp::Mod | BinaryOp::Pow, ..) => true,
        ExprKind::Binary(_, left, right) => may_fail(left) || may_fail(right),
        _ => true,
    }
}

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
        self.loops.push(Rolled { origin, bounded: bounds.known() });
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
                let scalar = self.builder.reshape(array, crate::base::Shape::default());
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
    fn carried(&mut self, body: &Block, index: Option<&Ident>) -> Vec<(Name, Traced, Type)> {
        let mut names = BTreeMap::new();
        super::body::assigned(body, &mut names);
        if let Some(index) = index {
            names.remove(&index.name);
        }
        let values: Vec<(Name, Traced)> = {
            let frame = self.frame();
            names.into_keys().filter_map(|name| frame.names.get(&name).cloned().map(|value| (name, value))).collect()
        };
        values
            .into_iter()
            .map(|(name, value)| {
                let ty = unknown(&self.type_of(&value));
                (name, value, ty)
            })
            .collect()
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
                    super::body::assigned(body, &mut names);
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
        super::body::assigned(body, &mut names);
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
        let mut carried = self.carried(body, Some(index));
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
            let value = Self::computed(HostKind::Int, origins.clone(), counter);
            self.frame().partial.remove(&index.name);
            self.frame().names.insert(index.name.clone(), value);
            self.rebind(&carried, values, &origins);
            self.block(body)?;
            let Some(results) = self.after_round(&mut carried, body, span)? else {
                self.restore(&saved);
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
        let mut carried = self.carried(body, None);
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
