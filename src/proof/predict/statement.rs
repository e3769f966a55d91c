//! Statements in worlds; a loop goes on until its rounds change nothing any more.

use super::evaluate::{Outcome, View, type_of};
use super::run::drop_programs;
use super::world::{Predicted, Slot, World};
use super::{Failure, Finding, Predictor};
use crate::base::{Size, Span};
use crate::ledger::Amount;
use crate::sema::elaborate;
use crate::sema::value::{HostKind, HostType, Known, Value};
use crate::syntax::ast::{Block, Expr, ExprKind, Ident, Name, Statement, StatementKind, Target, TypeExpr};
use std::collections::HashMap;

/// Different worlds at one place; beyond, the prediction stops.
const MOST_WORLDS: usize = 64;
/// Rounds of a loop after which values that change in every round are taken for unknown.
const MOST_ROUNDS: u64 = 20_000;

/// Names that a comparison of worlds does not look at, with their scopes.
type Ignored = [(u32, Name)];

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

/// The rounds of a `for`: how the index goes, where it is known.
struct Rounds {
    start: i64,
    step: i64,
    count: u64,
}

impl Predictor {
    /// One statement in every world.
    pub(super) fn statement(&mut self, statement: &Statement, worlds: Vec<World>) -> Outcome {
        let mut after = Vec::with_capacity(worlds.len());
        for world in worlds {
            self.work += 1;
            after.extend(self.step(statement, world)?);
        }
        let after = merged(after, &[]);
        if after.len() > MOST_WORLDS {
            return Err(Failure::Stopped("there are too many ways in which the program may go"));
        }
        Ok(after)
    }

    fn block(&mut self, block: &Block, mut worlds: Vec<World>) -> Outcome {
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
                        after.push(world);
                    } else if world.certain {
                        self.find(Finding::Refuted { at: condition.span });
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
                let Ok(dims) = elaborate::bind::annotation(&View(&world), annotation, &ty, at) else { continue };
                for (name, size) in dims {
                    world.bind(&name, Value::Host(HostType { kind: HostKind::Int, known: Some(Known::Int(size)) }));
                }
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
        let (steps, inner, value) = super::evaluate::splitting(&world, |splitter| splitter.assignment(target, value));
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
                    after.extend(self.ended(world, rejected));
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

    fn counted(&mut self, index: &Ident, bounds: [Option<&Expr>; 3], body: &Block, at: Span, world: World) -> Outcome {
        let mut worlds = vec![world];
        for bound in bounds.into_iter().flatten() {
            worlds = self.evaluate_all(bound, worlds)?;
        }
        let mut after = Vec::new();
        for mut world in worlds {
            let step = match bounds {
                [_, _, Some(_)] => {
                    let step = int(world.stack.last());
                    world.drop_top();
                    step
                }
                _ => Some(1),
            };
            let end = int(world.stack.last());
            world.drop_top();
            let start = int(world.stack.last());
            world.drop_top();
            let rounds = match (start, end, step) {
                (Some(start), Some(end), Some(step)) if step != 0 => {
                    let (distance, stride) = (i128::from(end) - i128::from(start), i128::from(step));
                    let count = if (distance > 0) == (step > 0) {
                        (distance.abs() + stride.abs() - 1) / stride.abs()
                    } else {
                        0
                    };
                    Some(Rounds { start, step, count: u64::try_from(count).unwrap_or(u64::MAX) })
                }
                (_, _, Some(0)) => continue,
                _ => None,
            };
            after.extend(self.rounds(rounds, Some(index), body, at, world)?);
        }
        Ok(after)
    }

    /// A body that runs a known number of times, or any number of times (`None`).
    fn rounds(
        &mut self,
        rounds: Option<Rounds>,
        index: Option<&Ident>,
        body: &Block,
        at: Span,
        world: World,
    ) -> Outcome {
        let Some(Rounds { start, step, count }) = rounds else {
            return self.any_rounds(index, body, at, world);
        };
        let ignored: Vec<(u32, Name)> = index.iter().map(|index| (world.frame(), index.name.clone())).collect();
        let known = |n: i64| Value::Host(HostType { kind: HostKind::Int, known: Some(Known::Int(Size::Known(n))) });
        let mut worlds = vec![world];
        let mut growth = Growth::default();
        let mut done = 0;
        let mut trial = 2;
        while done < count && !worlds.is_empty() {
            growth.look(&worlds);
            if done >= MOST_ROUNDS {
                let mut after = Vec::new();
                for world in worlds {
                    after.extend(self.any_rounds(index, body, at, world)?);
                }
                return Ok(merged(after, &ignored));
            }
            if done == trial {
                trial *= 2;
                // One round with an index that is not known: if it leads back to where it began, so do all that are left.
                let heads = keys(&worlds, &ignored);
                let mut trials = worlds.clone();
                for world in &mut trials {
                    self.bind_index(index, at, world);
                }
                let trials = merged(self.block(body, trials)?, &ignored);
                let sure = trials.iter().all(|world| world.certain && world.exact);
                let unsure = worlds.iter().all(|world| !world.certain || !world.exact);
                if (sure || unsure) && keys(&trials, &ignored) == heads {
                    worlds = trials;
                    let last = start.wrapping_add(step.wrapping_mul(count as i64 - 1));
                    for world in worlds.iter_mut() {
                        if let Some(index) = index
                            && matches!(world.find(&index.name), Some(Slot::Bound(_)))
                        {
                            world.bind(&index.name, known(last));
                        }
                    }
                    break;
                }
            }
            let i = start.wrapping_add(step.wrapping_mul(done as i64));
            if let Some(index) = index {
                worlds.iter_mut().for_each(|world| world.bind(&index.name, known(i)));
            }
            worlds = self.block(body, worlds)?;
            done += 1;
        }
        growth.look(&worlds);
        self.leak(&growth, at);
        Ok(worlds)
    }

    fn bind_index(&mut self, index: Option<&Ident>, at: Span, world: &mut World) {
        if let Some(index) = index {
            let symbol = crate::proof::state::symbol(&index.name, at);
            world.bind(&index.name, Value::Host(HostType { kind: HostKind::Int, known: Some(Known::Int(symbol)) }));
        }
    }

    /// A body that runs any number of times: the worlds in which it may stop.
    fn any_rounds(&mut self, index: Option<&Ident>, body: &Block, at: Span, mut world: World) -> Outcome {
        world.certain = false;
        let ignored: Vec<(u32, Name)> = index.iter().map(|index| (world.frame(), index.name.clone())).collect();
        let mut heads = Heads::default();
        let mut active = heads.add(vec![world], &ignored);
        let mut growth = Growth::default();
        let mut round = 0;
        while !active.is_empty() {
            growth.look(&active);
            let before = active.clone();
            active.iter_mut().for_each(|world| self.bind_index(index, at, world));
            let mut after = merged(self.block(body, active)?, &ignored);
            round += 1;
            if self.give_up(round, &growth, at)? {
                heads.add(after, &ignored);
                break;
            }
            if round > 2 {
                after.iter_mut().zip(&before).for_each(|(after, before)| widen(after, before));
            }
            active = heads.add(after, &ignored);
        }
        self.leak(&growth, at);
        Ok(heads.worlds)
    }

    /// `while`.
    fn repeated(&mut self, condition: &Expr, body: &Block, at: Span, world: World) -> Outcome {
        let mut heads = Heads::default();
        let mut active = heads.add(vec![world], &[]);
        let mut exits = Vec::new();
        let mut growth = Growth::default();
        let mut round = 0;
        while !active.is_empty() {
            growth.look(&active);
            let before = active.clone();
            let mut going = Vec::new();
            let mut known = true;
            for world in active {
                let ways = self.condition(condition, world)?;
                known &= ways.len() < 2;
                for (world, holds) in ways {
                    if holds { going.push(world) } else { exits.push(world) }
                }
            }
            exits = merged(exits, &[]);
            let mut after = merged(self.block(body, going)?, &[]);
            round += 1;
            if self.give_up(round, &growth, at)? {
                exits.extend(after);
                break;
            }
            if !known && round > 2 || round > MOST_ROUNDS {
                after.iter_mut().zip(&before).for_each(|(after, before)| widen(after, before));
            }
            active = heads.add(after, &[]);
        }
        // A round that led back to where another began may have reached a higher point.
        for head in &heads.worlds {
            exits.iter_mut().for_each(|exit| exit.join_peaks(&head.peaks));
        }
        self.leak(&growth, at);
        Ok(merged(exits, &[]))
    }

    /// Whether a loop without a known number of rounds grows without an end that is in sight.
    fn give_up(&mut self, round: u64, growth: &Growth, at: Span) -> Result<bool, Failure> {
        if round > 6 && growth.per_round().is_some() {
            self.find(Finding::Unbounded { at });
            return Ok(true);
        }
        if round > 2 * MOST_ROUNDS {
            return Err(Failure::Stopped("a loop goes on differently in every round"));
        }
        Ok(false)
    }

    fn leak(&mut self, growth: &Growth, at: Span) {
        if let Some(bytes) = growth.per_round() {
            self.find(Finding::Leak { at, bytes });
        }
    }
}

/// The worlds with which a round of a loop has begun.
#[derive(Default)]
struct Heads {
    worlds: Vec<World>,
    places: HashMap<String, usize>,
}

impl Heads {
    /// Adds worlds; those with which no round has begun yet are returned.
    fn add(&mut self, worlds: Vec<World>, ignored: &Ignored) -> Vec<World> {
        let mut fresh = Vec::new();
        for world in worlds {
            let key = super::canonical::key(&world, ignored);
            match self.places.get(&key).and_then(|&at| self.worlds.get_mut(at)) {
                Some(head) => head.join_peaks(&world.peaks),
                None => {
                    self.places.insert(key, self.worlds.len());
                    self.worlds.push(world.clone());
                    fresh.push(world);
                }
            }
        }
        fresh
    }
}

/// How the bytes in the ledger changed from round to round.
#[derive(Default)]
struct Growth {
    last: Option<Size>,
    steps: Vec<Size>,
}

impl Growth {
    fn look(&mut self, worlds: &[World]) {
        let Some(world) = worlds.first() else { return };
        let bytes = world.ledger.bytes();
        if let Some(last) = &self.last {
            let step = bytes.minus(last);
            if self.steps.len() >= 3 {
                self.steps.remove(0);
            }
            self.steps.push(step);
        }
        self.last = Some(bytes);
    }

    /// What each of the last three rounds left behind, if it is the same and more than nothing.
    fn per_round(&self) -> Option<Size> {
        let [a, b, c] = self.steps.as_slice() else { return None };
        (a == b && b == c && *a != Size::Known(0) && a.is_nonnegative()).then(|| a.clone())
    }
}

fn keys(worlds: &[World], ignored: &Ignored) -> Vec<String> {
    let mut keys: Vec<String> = worlds.iter().map(|world| super::canonical::key(world, ignored)).collect();
    keys.sort();
    keys
}

/// The number that a value is, where it is known.
fn int(value: Option<&Predicted>) -> Option<i64> {
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

/// Host values that differ from those of the round before are not known any more.
fn widen(world: &mut World, before: &World) {
    let mut changed = Vec::new();
    for (name, slot) in &world.names {
        if let (Slot::Bound(new), Some(Slot::Bound(old))) = (slot, before.names.get(name))
            && new != old
        {
            changed.push((name.clone(), Slot::Bound(forgetting(new, old))));
        }
    }
    for (name, slot) in changed {
        world.names.insert(name, slot);
    }
}

fn forgetting(new: &Predicted, old: &Predicted) -> Predicted {
    match (new, old) {
        (Value::Host(a), Value::Host(b)) if a != b => Value::Host(HostType { kind: a.kind, known: None }),
        (Value::Tuple(a), Value::Tuple(b)) if a.len() == b.len() => {
            Value::Tuple(a.iter().zip(b).map(|(a, b)| forgetting(a, b)).collect())
        }
        (Value::Record(a), Value::Record(b)) if a.len() == b.len() => {
            Value::Record(a.iter().zip(b).map(|((name, a), (_, b))| (name.clone(), forgetting(a, b))).collect())
        }
        _ => new.clone(),
    }
}
