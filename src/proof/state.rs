//! What is known at one point of the program: the type of every name, which leaves are given away, which may share.
//!
//! All of it is in persistent maps: a copy at a branch or loop costs nothing, and joining two states looks only at what
//! differs between them.

use super::footprint::Footprint;
use super::relation::Relation;
use super::rules::{Rule, Rules};
use crate::base::{Shape, Size, Span, Symbol};
use crate::ir::array::ArrayType;
use crate::sema::value::{HostKind, HostType, Known, Value};
use crate::syntax::ast::{Function, Name};
use imbl::ordmap::DiffItem;
use imbl::{OrdMap, OrdSet};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Whose names: a call sees its own and those of the top level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The top level.
    Global,
    /// The call of a function that is under way.
    Local,
}

/// A leaf that may be alive: of a name, or of a value that has no name yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// `params.w` of a level.
    Leaf(Level, Rc<str>),
    /// An unnamed value.
    Temporary(u64),
}

/// An array in a value under proof.
#[derive(Clone, Debug, PartialEq)]
pub struct Tracked {
    /// Its type.
    pub ty: ArrayType,
    /// The leaves whose buffer it may be.
    pub from: BTreeSet<Key>,
}

/// A value under proof.
pub type Proved = Value<Tracked, HostType>;

/// Where and how a leaf was given away.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The call.
    pub at: Span,
    /// The path that was written there.
    pub path: Rc<str>,
    /// On one path only: the branch or loop behind which paths joined.
    pub maybe: Option<Span>,
}

/// What a name means.
#[derive(Clone, Debug, PartialEq)]
pub enum Slot {
    /// A value, bound at a place.
    Bound {
        /// Its type, with the leaves that it may share.
        value: Proved,
        /// Where.
        at: Span,
    },
    /// Bound on one path only, or with types that do not agree: an error where it is used.
    Unclear {
        /// Why.
        why: &'static str,
        /// Where it was bound.
        at: Span,
    },
    /// Deleted.
    Deleted(Span),
}

/// An entry of a persistent map: cheap to copy, and equal to its copies without a look inside.
#[derive(Clone, Debug)]
struct Shared<T>(Rc<T>);

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

/// Everything known at one point.
#[derive(Clone, Debug, Default)]
pub struct State {
    rules: Rules,
    globals: OrdMap<Name, Shared<Slot>>,
    locals: OrdMap<Name, Shared<Slot>>,
    /// Leaves that are given away.
    pub given: OrdMap<Key, Given>,
    /// Leaves that may share a buffer.
    pub shares: Relation,
    /// Footprints of functions, by address, as far as they were wanted: right for the functions of this state.
    footprints: OrdMap<*const Function, Rc<Footprint>>,
    /// The names on which those depend.
    mentioned: OrdSet<Name>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.given == other.given
            && self.shares == other.shares
            && self.locals == other.locals
            && self.globals == other.globals
    }
}

impl State {
    /// Nothing is known.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { rules, shares: Relation::new(rules), ..Self::default() }
    }

    /// What a function that is called here starts from: the names of the top level, and nothing about their buffers.
    #[must_use]
    pub fn outside(&self) -> Self {
        let (footprints, mentioned) = (self.footprints.clone(), self.mentioned.clone());
        Self { globals: self.globals.clone(), footprints, mentioned, ..Self::new(self.rules) }
    }

    /// The footprint of a function, if it was wanted before.
    #[must_use]
    pub fn footprint(&self, function: *const Function) -> Option<&Rc<Footprint>> {
        self.footprints.get(&function)
    }

    /// Keeps a footprint for as long as the functions that it mentions mean the same.
    pub fn keep_footprint(&mut self, function: *const Function, names: &BTreeSet<Name>, footprint: Rc<Footprint>) {
        self.mentioned.extend(names.iter().cloned());
        self.footprints.insert(function, footprint);
    }

    /// A name has come to mean a function, or means it no longer.
    fn function_changes(&mut self, name: &Name) {
        if self.mentioned.contains(name) {
            self.footprints.clear();
            self.mentioned.clear();
        }
    }

    /// What a name means at a level.
    #[must_use]
    pub fn slot(&self, level: Level, name: &str) -> Option<&Slot> {
        let names = match level {
            Level::Global => &self.globals,
            Level::Local => &self.locals,
        };
        names.get(name).map(|slot| &*slot.0)
    }

    /// All names that are visible from a call.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.locals.keys().chain(self.globals.keys())
    }

    /// The names of the call that is under way.
    pub fn locals(&self) -> impl Iterator<Item = &Name> {
        self.locals.keys()
    }

    /// Says what a name means. What it meant must be unbound before.
    pub fn set(&mut self, level: Level, name: &Name, slot: Slot) {
        let shared = Shared(Rc::new(slot));
        match level {
            Level::Global => {
                if has_functions(&shared.0) {
                    self.function_changes(name);
                }
                self.globals.insert(name.clone(), shared);
            }
            Level::Local => {
                self.locals.insert(name.clone(), shared);
            }
        }
    }

    /// Forgets a leaf: it is about to mean something else.
    pub fn forget(&mut self, key: &Key) {
        if !self.rules.has(Rule::RebindingRevivesOne) {
            let all = self.shares.closure(&BTreeSet::from([key.clone()]));
            all.iter().for_each(|other| _ = self.given.remove(other));
        }
        if self.given.contains_key(key) {
            self.given.remove(key);
        }
        self.shares.forget(key);
    }

    /// Binds `name`: old leaves are forgotten, new ones share what the value may be.
    ///
    pub fn bind(&mut self, level: Level, name: &Name, value: &Proved, next: &mut u64, at: Span) {
        let mut sources: Vec<(Key, BTreeSet<Key>)> = Vec::new();
        value.each_array(name, &mut |path, array| sources.push((Key::Leaf(level, path.into()), array.from.clone())));
        // `t = (t[1], t[0])`: what the value may be gets other names before the old ones are forgotten.
        let pinned = sources.iter().any(|(_, from)| from.iter().any(|key| is_leaf_of(key, level, name)));
        if pinned {
            for (_, from) in &mut sources {
                *next += 1;
                let pin = Key::Temporary(*next);
                self.shares.alias(&pin, from);
                *from = BTreeSet::from([pin]);
            }
        }
        self.unbind(level, name);
        for (key, _) in &sources {
            // A name that was unclear may have left it.
            self.forget(key);
        }
        if self.rules.has(Rule::BindingShares) {
            sources.iter().for_each(|(key, from)| self.shares.alias(key, from));
        }
        if pinned {
            sources.iter().flat_map(|(_, from)| from).for_each(|pin| self.shares.forget(pin));
        }
        let mut leaves = sources.into_iter().map(|(key, _)| key);
        let value: Proved = value.map(
            &mut |array| Tracked { ty: array.ty.clone(), from: leaves.next().into_iter().collect() },
            &mut |host| host.clone(),
        );
        self.set(level, name, Slot::Bound { value, at });
    }

    /// Forgets what `name` means.
    pub fn unbind(&mut self, level: Level, name: &Name) {
        let names = match level {
            Level::Global => &mut self.globals,
            Level::Local => &mut self.locals,
        };
        let Some(slot) = names.remove(name) else { return };
        if level == Level::Global && has_functions(&slot.0) {
            self.function_changes(name);
        }
        if let Slot::Bound { value, .. } = &*slot.0 {
            value.each_array("", &mut |_, array| array.from.iter().for_each(|key| self.forget(key)));
        }
    }

    /// Forgets unnamed values from the `first`-th on.
    pub fn forget_temporaries(&mut self, first: u64) {
        let given: Vec<Key> = self.given.range(Key::Temporary(first)..).map(|(key, _)| key.clone()).collect();
        given.iter().for_each(|key| _ = self.given.remove(key));
        self.shares.from_temporary(first).iter().for_each(|key| self.shares.forget(key));
    }

    /// Takes all leaves of these names to share.
    pub fn widen(&mut self, level: Level, names: &BTreeSet<Name>) {
        let mut leaves = BTreeSet::new();
        for name in names {
            if let Some(Slot::Bound { value, .. }) = self.slot(level, name) {
                value.each_array("", &mut |_, array| leaves.extend(array.from.iter().cloned()));
            }
        }
        self.shares.unite(&leaves);
    }

    /// A size is known to be another one from here on.
    pub fn assume(&mut self, symbol: &Symbol, with: &Size) {
        for names in [&mut self.globals, &mut self.locals] {
            let bound = names.iter().filter_map(|(name, slot)| match &*slot.0 {
                Slot::Bound { value, at } => Some((name.clone(), value.clone(), *at)),
                _ => None,
            });
            for (name, value, at) in bound.collect::<Vec<_>>() {
                let changed = resized(&value, symbol, with);
                if changed != value {
                    names.insert(name, Shared(Rc::new(Slot::Bound { value: changed, at })));
                }
            }
        }
    }

    /// What holds after either of two paths (R3). `at` names sizes that differ.
    #[must_use]
    pub fn join(&self, other: &Self, at: Span) -> Self {
        let mut joined = self.clone();
        if other.footprints.len() > self.footprints.len() {
            (joined.footprints, joined.mentioned) = (other.footprints.clone(), other.mentioned.clone());
        }
        for name in join_names(&mut joined.globals, &self.globals, &other.globals, at) {
            joined.function_changes(&name);
        }
        join_names(&mut joined.locals, &self.locals, &other.locals, at);
        for item in self.given.diff(&other.given) {
            let (key, given, maybe) = match item {
                DiffItem::Add(key, given) | DiffItem::Remove(key, given) => (key, given, given.maybe.or(Some(at))),
                DiffItem::Update { old: (key, old), new: (_, new) } => (key, old, old.maybe.or(new.maybe)),
            };
            joined.given.insert(key.clone(), Given { maybe, ..given.clone() });
        }
        joined.shares = self.shares.join(&other.shares);
        joined
    }
}

/// A value with a size in place of a symbol.
#[must_use]
pub fn resized(value: &Proved, symbol: &Symbol, with: &Size) -> Proved {
    value.map(
        &mut |array| {
            let ty = ArrayType::new(array.ty.dtype, array.ty.shape.replace(symbol, with));
            Tracked { ty, from: array.from.clone() }
        },
        &mut |host| resized_host(host, symbol, with),
    )
}

/// A host value with a size in place of a symbol.
#[must_use]
pub fn resized_host(host: &HostType, symbol: &Symbol, with: &Size) -> HostType {
    let known = match &host.known {
        Some(Known::Int(size)) => Some(Known::Int(size.replace(symbol, with))),
        other => other.clone(),
    };
    HostType { kind: host.kind, known }
}

/// Whether a leaf is `name` or under it.
fn is_leaf_of(key: &Key, level: Level, name: &Name) -> bool {
    let Key::Leaf(at, path) = key else { return false };
    let rest = path.strip_prefix(name.as_ref());
    *at == level && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// Whether a function is bound to a name, or inside what is.
fn has_functions(slot: &Slot) -> bool {
    fn inside(value: &Proved) -> bool {
        match value {
            Value::Function(_) => true,
            Value::Tuple(items) => items.iter().any(inside),
            Value::Record(fields) => fields.iter().any(|(_, item)| inside(item)),
            _ => false,
        }
    }
    matches!(slot, Slot::Bound { value, .. } if inside(value))
}

/// Joins names; returns those that mean a function on one of the paths and not the same on both.
fn join_names(
    joined: &mut OrdMap<Name, Shared<Slot>>,
    one: &OrdMap<Name, Shared<Slot>>,
    other: &OrdMap<Name, Shared<Slot>>,
    at: Span,
) -> Vec<Name> {
    let mut functions = Vec::new();
    for item in one.diff(other) {
        let (name, slot, function) = match item {
            DiffItem::Update { old: (name, a), new: (_, b) } => {
                (name, join_slots(name, &a.0, &b.0, at), has_functions(&a.0) || has_functions(&b.0))
            }
            DiffItem::Add(name, slot) | DiffItem::Remove(name, slot) => {
                let joined = match &*slot.0 {
                    Slot::Bound { at, .. } | Slot::Unclear { at, .. } => {
                        Slot::Unclear { why: "it is bound on one path only", at: *at }
                    }
                    Slot::Deleted(at) => Slot::Deleted(*at),
                };
                (name, joined, has_functions(&slot.0))
            }
        };
        if function {
            functions.push(name.clone());
        }
        joined.insert(name.clone(), Shared(Rc::new(slot)));
    }
    functions
}

fn join_slots(name: &Name, a: &Slot, b: &Slot, at: Span) -> Slot {
    match (a, b) {
        (Slot::Bound { value: x, at: bound }, Slot::Bound { value: y, .. }) => match join_values(name, x, y, at) {
            Some(value) => Slot::Bound { value, at: *bound },
            None => Slot::Unclear { why: "it has different types on different paths", at: *bound },
        },
        (Slot::Bound { at, .. }, Slot::Deleted(_)) | (Slot::Deleted(_), Slot::Bound { at, .. }) => {
            Slot::Unclear { why: "it is deleted on one path", at: *at }
        }
        (Slot::Deleted(at), Slot::Deleted(_)) => Slot::Deleted(*at),
        (Slot::Unclear { .. }, _) => a.clone(),
        (_, Slot::Unclear { .. }) => b.clone(),
    }
}

/// The symbol for a number that differs between paths or rounds.
#[must_use]
pub fn symbol(what: &str, at: Span) -> Size {
    Size::symbol(Symbol::new(&format!("{what}@{}", at.start)))
}

/// The type of either value; sizes that differ become symbols. `None` when the structures or dtypes differ.
#[must_use]
pub fn join_values(path: &str, a: &Proved, b: &Proved, at: Span) -> Option<Proved> {
    Some(match (a, b) {
        (Value::Array(x), Value::Array(y)) => {
            if x.ty.dtype != y.ty.dtype || x.ty.shape.rank() != y.ty.shape.rank() {
                return None;
            }
            let extents = x.ty.shape.0.iter().zip(&y.ty.shape.0).enumerate();
            let extents = extents.map(
                |(axis, (n, m))| {
                    if n == m { n.clone() } else { symbol(&format!("{path}.shape[{axis}]"), at) }
                },
            );
            let ty = ArrayType::new(x.ty.dtype, Shape(extents.collect()));
            Value::Array(Tracked { ty, from: x.from.union(&y.from).cloned().collect() })
        }
        (Value::Host(x), Value::Host(y)) if x.kind == y.kind => {
            let known = if x.known == y.known {
                x.known.clone()
            } else if x.kind == HostKind::Int {
                Some(Known::Int(symbol(path, at)))
            } else {
                None
            };
            Value::Host(HostType { kind: x.kind, known })
        }
        (Value::Host(x), Value::Host(y)) => {
            // An int on one path and a float on the other: a float, as in Python's arithmetic.
            let numbers = [HostKind::Int, HostKind::Float];
            if !numbers.contains(&x.kind) || !numbers.contains(&y.kind) {
                return None;
            }
            Value::Host(HostType { kind: HostKind::Float, known: None })
        }
        (Value::Tuple(x), Value::Tuple(y)) if x.len() == y.len() => {
            let items = x.iter().zip(y).enumerate();
            Value::Tuple(
                items.map(|(k, (x, y))| join_values(&format!("{path}[{k}]"), x, y, at)).collect::<Option<_>>()?,
            )
        }
        (Value::Record(x), Value::Record(y)) if x.len() == y.len() => {
            let mut fields = Vec::with_capacity(x.len());
            for ((name, x), (other, y)) in x.iter().zip(y) {
                if name != other {
                    return None;
                }
                fields.push((name.clone(), join_values(&format!("{path}.{name}"), x, y, at)?));
            }
            Value::Record(fields)
        }
        _ if a == b => a.clone(),
        _ => return None,
    })
}
