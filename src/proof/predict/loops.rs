//! Loops in worlds: round by round where the rounds are known, until nothing new happens where they are not.
//!
//! After a few rounds one is tried with an index that is not known: if it leads back to where it began, so do all that
//! are left. Invariant: every state in which a round of the run can end is among the worlds, or the loop is reported.

use super::evaluate::Outcome;
use super::statement::{Ignored, int, merged};
use super::world::{Predicted, Slot, World, at_least};
use super::{Failure, Finding, Predictor};
use crate::base::{Size, Span};
use crate::ledger::Amount;
use crate::sema::value::{HostKind, HostType, Known, Value};
use crate::syntax::ast::{Block, Expr, Ident, Name};
use std::collections::HashMap;

/// Rounds of a loop after which values that change in every round are taken for unknown.
const MOST_ROUNDS: u64 = 20_000;
/// Rounds of a loop that may go on in several ways, before it is taken for one without an end.
const MOST_UNSURE_ROUNDS: u64 = 50;

/// The rounds of a `for`: how the index goes, where it is known.
pub(super) struct Rounds {
    /// The first index.
    pub start: i64,
    /// From round to round.
    pub step: i64,
    /// How many.
    pub count: u64,
}

impl Predictor {
    /// `for`.
    pub(super) fn counted(
        &mut self,
        index: &Ident,
        bounds: [Option<&Expr>; 3],
        body: &Block,
        at: Span,
        world: World,
    ) -> Outcome {
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
    pub(super) fn rounds(
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
            if self.give_up(round, false, &growth, at)? {
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
    pub(super) fn repeated(&mut self, condition: &Expr, body: &Block, at: Span, world: World) -> Outcome {
        let mut heads = Heads::default();
        let mut active = heads.add(vec![world], &[]);
        let mut exits = Vec::new();
        let mut growth = Growth::default();
        let (mut round, mut known) = (0, true);
        while !active.is_empty() {
            growth.look(&active);
            let before = active.clone();
            let mut going = Vec::new();
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
            known &= after.len() < 2;
            if self.give_up(round, known, &growth, at)? {
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

    /// Whether a loop goes on without an end that is in sight: it grows in every round, or in some, or it never comes
    /// back to a state where it was. `sure`: how it goes on is known in every round.
    fn give_up(&mut self, round: u64, sure: bool, growth: &Growth, at: Span) -> Result<bool, Failure> {
        let grows = growth.per_round().is_some() || growth.has_grown();
        let patience = if sure { MOST_ROUNDS } else { MOST_UNSURE_ROUNDS };
        if (round > 6 && !sure && growth.per_round().is_some()) || (round > patience && grows) {
            self.find(Finding::Unbounded { at });
            return Ok(true);
        }
        if round > patience {
            return Err(Failure::Stopped("a loop goes on differently in every round"));
        }
        Ok(false)
    }

    fn leak(&mut self, growth: &Growth, at: Span) {
        let unbounded = self.findings.contains(&Finding::Unbounded { at });
        if let (Some(bytes), false) = (growth.per_round(), unbounded) {
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
    first: Option<Size>,
    steps: Vec<Size>,
}

impl Growth {
    fn look(&mut self, worlds: &[World]) {
        // The largest, where they can be compared.
        let sizes = worlds.iter().map(|world| world.ledger.bytes());
        let Some(bytes) = sizes.reduce(|a, b| if at_least(&b, &a) { b } else { a }) else { return };
        self.first.get_or_insert_with(|| bytes.clone());
        if let Some(last) = &self.last {
            let step = bytes.minus(last);
            if self.steps.len() >= 3 {
                self.steps.remove(0);
            }
            self.steps.push(step);
        }
        self.last = Some(bytes);
    }

    /// Whether more is held than at first.
    fn has_grown(&self) -> bool {
        matches!((&self.first, &self.last), (Some(first), Some(last)) if first != last && at_least(last, first))
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
