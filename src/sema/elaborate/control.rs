//! `if`, `and`, `or`: decided now where every run decides alike, else compiled into regions.
//!
//! ```text
//! if c { y = x + 1 } else { y = x * 2 }
//!   %5: f32[4] = if %c { ...add... } else { ...mul... }
//! ```
//! Invariant: what a region leaves behind reaches the code after it through the results of its operation alone.

use super::carry::{join, leaf_types, leaves, rebuild, type_text};
use super::host::union;
use super::{Elaborator, Frame, Outcome};
use crate::base::{DType, Size, Span};
use crate::ir::array::{OpKind, Region};
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, HostType, Known, Traced, Type, Value};
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, Name};
use std::collections::BTreeMap;

/// What is known of a bool in every run.
pub(super) fn decided(host: &Host) -> Option<bool> {
    match host.known {
        Some(Known::Bool(b)) if host.origins.is_empty() => Some(b),
        _ => None,
    }
}

/// A type in which nothing of a number is known, as a loop carries it.
pub(super) fn unknown(ty: &Type) -> Type {
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
