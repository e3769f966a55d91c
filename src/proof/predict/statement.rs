//! Statements in worlds: everything is evaluated before anything is bound, as in a session.

use super::evaluate::{Outcome, View, splitting, type_of};
use super::loops::Rounds;
use super::run::drop_programs;
use super::world::{Predicted, Slot, World};
use super::{Failure, Finding, Predictor};
use crate::base::Span;
use crate::sema::elaborate;
use crate::sema::value::{HostKind, HostType, Known, Value};
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, Ident, Name, Statement, StatementKind, Target, TypeExpr};
use std::collections::HashMap;

/// Different worlds at one place; beyond, the prediction stops.
const MOST_WORLDS: usize = 64;

/// Names that a comparison of worlds does not look at, with their scopes.
pub(super) type Ignored = [(u32, Name)];

/// Worlds of one key are one.
#[must_use]
pub(super) fn merged(worlds: Vec<World>, ignored: &Ignored) -> Vec<World> {
    if worlds.len() < 2 {
        return worlds;
    }
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut distinct: Vec<World> = Vec::new();
    for world in worlds {
        let at = *seen.entry(super::canonical::key(&world, ignored)).or_insert(distinct.len());
        match distinct.get_mut(at) {
            Some(known) => {
                known.join_peaks(&world.peaks);
                known.certain &= world.certain;
                known.exact &= world.exact;
            }
            None => distinct.push(world),
        }
    }
    distinct
}

impl Predictor {
    /// One statement in every world.
    pub(super) fn statement(&mut self, statement: &Statement, worlds: Vec<World>) -> Outcome {
        let mut after = Vec::with_capacity(worlds.len());
        for world in worlds {
            self.left =
                self.left.checked_sub(1).ok_or(Failure::Stopped("the program is too long to be gone through"))?;
            after.extend(self.step(statement, world)?);
        }
        let after = merged(after, &[]);
        if after.len() > MOST_WORLDS {
            return Err(Failure::Stopped("there are too many ways in which the program may go"));
        }
        Ok(after)
    }

    pub(super) fn block(&mut self, block: &Block, mut worlds: Vec<World>) -> Outcome {
        for statement in &block.statements {
            worlds = self.statement(statement, worlds)?;
        }
        Ok(worlds)
    }

    fn step(&mut self, statement: &Statement, mut world: World) -> Outcome {
        match &statement.kind {
            StatementKind::Bind { targets, annotation, value } => match targets.as_slice() {
                [target] => self.bind(target, annotation.as_ref(), value, statement.span, world),
                _ => {
                    let mut after = Vec::new();
                    for mut world in self.evaluate(value, world)? {
                        let Value::Tuple(parts) = world.pop() else { continue };
                        let mut worlds = vec![world];
                        // The parts are held by the tuple; the last is bound first from the end of the stack.
                        for world in &mut worlds {
                            world.stack.extend(parts.iter().rev().cloned());
                        }
                        for target in targets {
                            let mut next = Vec::new();
                            for world in worlds {
                                next.extend(self.assign(target, world)?);
                            }
                            worlds = next;
                        }
                        after.extend(worlds);
                    }
                    Ok(after)
                }
            },
            StatementKind::Augment { target, op, value } => {
                let whole = target.augmented(*op, value, statement.span);
                self.bind(target, None, &whole, statement.span, world)
            }
            StatementKind::Del(names) => {
                names.iter().for_each(|name| world.gone(&name.name, statement.span));
                Ok(vec![world])
            }
            StatementKind::For { index, start, end, step, body } => {
                self.counted(index, [Some(start), Some(end), step.as_ref()], body, statement.span, world)
            }
            StatementKind::While { condition, body } => self.repeated(condition, body, statement.span, world),
            StatementKind::If { condition, then, otherwise } => {
                let mut after = Vec::new();
                for (world, chosen) in self.condition(condition, world)? {
                    after.extend(match (chosen, otherwise) {
                        (true, _) => self.block(then, vec![world])?,
                        (false, Some(otherwise)) => self.block(otherwise, vec![world])?,
                        (false, None) => vec![world],
                    });
                }
                Ok(after)
            }
            StatementKind::Bench { label, count, body } => {
                let mut worlds = vec![world];
                for part in [label.as_ref(), Some(count)].into_iter().flatten() {
                    worlds = self.evaluate_all(part, worlds)?;
                }
                let mut after = Vec::new();
                for mut world in worlds {
                    let runs = int(world.stack.last());
                    world.drop_top();
                    if label.is_some() {
                        world.drop_top();
                    }
                    let rounds = runs.map(|n| Rounds { start: 0, step: 1, count: n.max(0).unsigned_abs() + 1 });
                    after.extend(self.rounds(rounds, None, body, statement.span, world)?);
                }
                Ok(after)
            }
            StatementKind::Assert { condition, .. } => {
                let mut after = Vec::new();
                for (world, holds) in self.condition(condition, world)? {
                    if holds {
                        after.push(self.bounded(condition, world)?);
                    } else {
                        self.over.join_peaks(&world.peaks);
                        if world.certain {
                            self.find(Finding::Refuted { at: condition.span });
                        }
                    }
                }
                Ok(after)
            }
            StatementKind::Function(function) => {
                if let Some(Value::Function(old)) = world.value(&function.name.name) {
                    let old = old.span;
                    drop_programs(&mut world, &|entry| entry.function == old);
                }
                self.forget();
                world.bind(&function.name.name, Value::Function(function.clone()));
                Ok(vec![world])
            }
            StatementKind::Expr(expr) => {
                let mut after = self.evaluate(expr, world)?;
                after.iter_mut().for_each(World::drop_top);
                Ok(after)
            }
            StatementKind::Error => Ok(Vec::new()),
        }
    }

    /// What an `assert` that held says about a size: `n <= 1000`.
    fn bounded(&mut self, condition: &Expr, mut world: World) -> Result<World, Failure> {
        let ExprKind::Binary(op, left, right) = &condition.kind else { return Ok(world) };
        let (small, large, slack) = match op {
            BinaryOp::Le => (left, right, 0),
            BinaryOp::Lt => (left, right, 1),
            BinaryOp::Ge => (right, left, 0),
            BinaryOp::Gt => (right, left, 1),
            _ => return Ok(world),
        };
        let mut sides = Vec::new();
        for side in [small, large] {
            if splitting(&world, |splitter| splitter.has_calls(side)) {
                return Ok(world);
            }
            let evaluated = self.evaluate(side, world.clone())?;
            let value = evaluated.first().and_then(|world| world.stack.last()).cloned();
            sides.push(match value {
                Some(Value::Host(HostType { known: Some(Known::Int(size)), .. })) => size,
                _ => return Ok(world),
            });
        }
        if let [small, large] = sides.as_slice()
            && let (Some(symbol), Some(most)) = (small.as_symbol(), large.constant())
        {
            let most = most.saturating_sub(slack);
            let known = world.bounds.get(symbol).copied().unwrap_or(most);
            world.bounds.insert(symbol.clone(), most.min(known));
        }
        Ok(world)
    }

    fn bind(
        &mut self,
        target: &Target,
        annotation: Option<&TypeExpr>,
        value: &Expr,
        at: Span,
        world: World,
    ) -> Outcome {
        if target.index.is_some() {
            return self.assign_elements(target, value, world);
        }
        let name = target.fields.is_empty().then(|| target.root.name.clone());
        let outside = std::mem::replace(&mut self.target, name);
        let evaluated = self.evaluate(value, world);
        self.target = outside;
        let mut after = Vec::new();
        for mut world in evaluated? {
            if let Some(annotation) = annotation {
                let ty = world.stack.last().map(type_of).unwrap_or(Value::Unit);
                let Ok(annotated) = elaborate::bind::annotation(&View(&world), annotation, &ty, at) else { continue };
                for (name, size) in annotated.dims {
                    world.bind(&name, Value::Host(HostType { kind: HostKind::Int, known: Some(Known::Int(size)) }));
                }
                annotated.equal.iter().for_each(|(symbol, size)| world.assume(symbol, size));
            }
            after.extend(self.assign(target, world)?);
        }
        Ok(after)
    }

    /// Binds the latest value to a name, a field or elements.
    fn assign(&mut self, target: &Target, mut world: World) -> Outcome {
        if target.index.is_some() {
            let name: Name = "%assigned".into();
            let place = world.stack.len() - 1;
            world.temporaries.push((name.clone(), world.frame(), place));
            let expr = Expr { kind: ExprKind::Name(name), span: target.span };
            let mut after = self.assign_elements(target, &expr, world)?;
            for world in &mut after {
                world.temporaries.pop();
                world.drop_top();
            }
            return Ok(after);
        }
        if target.fields.is_empty() {
            world.bind_top(&target.root.name);
            return Ok(vec![world]);
        }
        let Some(root) = world.value(&target.root.name).cloned() else { return Ok(Vec::new()) };
        let value = world.stack.last().cloned().unwrap_or(Value::Unit);
        let Some(record) = replaced(&root, &target.fields, value) else { return Ok(Vec::new()) };
        world.push(record);
        world.bind_top(&target.root.name);
        world.drop_top();
        Ok(vec![world])
    }

    /// `x[...] = e`.
    fn assign_elements(&mut self, target: &Target, value: &Expr, world: World) -> Outcome {
        let (steps, inner, value) = splitting(&world, |splitter| splitter.assignment(target, value));
        let mut worlds = vec![world];
        for (name, step) in &steps {
            worlds = self.evaluate_all(step, worlds)?;
            for world in &mut worlds {
                let entry = (name.clone(), world.frame(), world.stack.len() - 1);
                world.temporaries.push(entry);
            }
        }
        let mut after = Vec::new();
        for mut world in worlds {
            let alone = held_alone(&world, target);
            let planned = match self.planned_assignment(&inner, &value, alone, &world)? {
                Ok(planned) => planned,
                Err(rejected) => {
                    self.ended(&world, rejected);
                    continue;
                }
            };
            self.explain_assignment(target, &planned, alone, &world);
            self.execute(&planned, &[], &mut world, target.span)?;
            world.temporaries.truncate(world.temporaries.len().saturating_sub(steps.len()));
            world.drop_under(1, steps.len());
            after.extend(self.assign(&Target { index: None, ..inner.clone() }, world)?);
        }
        Ok(after)
    }
}

/// The number that a value is, where it is known.
pub(super) fn int(value: Option<&Predicted>) -> Option<i64> {
    match value {
        Some(Value::Host(HostType { known: Some(Known::Int(size)), .. })) => size.constant(),
        _ => None,
    }
}

/// Whether the array that the target changes has one holder, the target itself.
fn held_alone(world: &World, target: &Target) -> bool {
    let Some(Slot::Bound(root)) = world.names.get(&(world.frame(), target.root.name.clone())) else { return false };
    let mut value = root;
    for field in &target.fields {
        let Value::Record(fields) = value else { return false };
        let Some((_, inner)) = fields.iter().find(|(name, _)| *name == field.name) else { return false };
        value = inner;
    }
    let Value::Array(array) = value else { return false };
    world.target(array.handle).is_some_and(|target| target.count == 1)
}

/// The record with the leaf at `path` replaced.
fn replaced(old: &Predicted, path: &[Ident], value: Predicted) -> Option<Predicted> {
    let Some((field, rest)) = path.split_first() else { return Some(value) };
    let Value::Record(fields) = old else { return None };
    let mut fields = fields.clone();
    let (_, slot) = fields.iter_mut().find(|(name, _)| *name == field.name)?;
    *slot = replaced(slot, rest, value)?;
    Some(Value::Record(fields))
}
