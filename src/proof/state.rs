//! What is known at one point of the program: the type of every name, which leaves are given away, which may share.
//!
//! All of it is in persistent maps: a copy at a branch or loop costs nothing, and joining two states looks only at what
//! differs between them. Invariant: `shares` is symmetric and relates no leaf to itself.

use super::rules::{Rule, Rules};
use crate::base::{Shape, Size, Span, Symbol};
use crate::ir::array::ArrayType;
use crate::sema::value::{HostKind, HostType, Known, Value};
use crate::syntax::ast::Name;
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
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
    /// On one path only.
    pub maybe: bool,
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

/// Which functions the top level has: states with one token have the same ones under the same names.
#[derive(Clone, Debug, Default)]
pub struct Functions(Rc<u8>);

impl Functions {
    /// A number that no other living token has.
    #[must_use]
    pub fn number(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
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
    shares: OrdMap<Key, Shared<BTreeSet<Key>>>,
    functions: Functions,
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
        Self { rules, ..Self::default() }
    }

    /// What a function that is called here starts from: the names of the top level, and nothing about their buffers.
    #[must_use]
    pub fn outside(&self) -> Self {
        let (globals, functions) = (self.globals.clone(), self.functions.clone());
        Self { rules: self.rules, globals, functions, ..Self::default() }
    }

    /// Which functions the top level has here.
    #[must_use]
    pub fn functions(&self) -> &Functions {
        &self.functions
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
                    self.functions = Functions::default();
                }
                self.globals.insert(name.clone(), shared);
            }
            Level::Local => {
                self.locals.insert(name.clone(), shared);
            }
        }
    }

    /// The leaves that may be the same buffer as one of `from`, those included.
    #[must_use]
    pub fn closure(&self, from: &BTreeSet<Key>) -> BTreeSet<Key> {
        let mut all = from.clone();
        for key in from {
            if let Some(others) = self.shares.get(key) {
                all.extend(others.0.iter().cloned());
            }
        }
        all
    }

    /// What a new name for a value from `from` shares (R2).
    #[must_use]
    pub fn aliases(&self, from: &BTreeSet<Key>) -> BTreeSet<Key> {
        if self.rules.has(Rule::AliasOfAlias) { self.closure(from) } else { from.clone() }
    }

    /// Forgets a leaf: it is about to mean something else.
    pub fn forget(&mut self, key: &Key) {
        if self.given.contains_key(key) {
            self.given.remove(key);
        }
        let Some(others) = self.shares.remove(key) else { return };
        for other in others.0.iter() {
            if !self.rules.has(Rule::RebindingRevivesOne) {
                self.given.remove(other);
            }
            self.unrelate(other, key);
        }
    }

    fn relate(&mut self, key: &Key, other: &Key) {
        match self.shares.get_mut(key) {
            Some(set) => {
                if !set.0.contains(other) {
                    Rc::make_mut(&mut set.0).insert(other.clone());
                }
            }
            None => {
                self.shares.insert(key.clone(), Shared(Rc::new(BTreeSet::from([other.clone()]))));
            }
        }
    }

    /// One half of a pair; a leaf without pairs has no entry, so that equal relations are equal maps.
    fn unrelate(&mut self, key: &Key, other: &Key) {
        let Some(set) = self.shares.get_mut(key) else { return };
        Rc::make_mut(&mut set.0).remove(other);
        if set.0.is_empty() {
            self.shares.remove(key);
        }
    }

    /// `key` may be the same buffer as each of `others` (R2: the caller passes a closure).
    pub fn share(&mut self, key: &Key, others: &BTreeSet<Key>) {
        for other in others {
            if other != key {
                self.relate(key, other);
                self.relate(other, key);
            }
        }
    }

    /// Binds `name`: old leaves are forgotten, new ones share what the value may be.
    pub fn bind(&mut self, level: Level, name: &Name, value: &Proved, at: Span) {
        // Sources first: `x = x` must not lose what x shares.
        let mut sources = Vec::new();
        value.each_array(name, &mut |path, array| sources.push((Rc::<str>::from(path), self.aliases(&array.from))));
        self.unbind(level, name);
        let own: BTreeSet<Key> = sources.iter().map(|(path, _)| Key::Leaf(level, path.clone())).collect();
        // A name that was unclear may have left them.
        own.iter().for_each(|key| self.forget(key));
        let mut bound: Vec<(Key, BTreeSet<Key>)> = Vec::new();
        for (path, mut closure) in sources {
            let key = Key::Leaf(level, path);
            if self.rules.has(Rule::BindingShares) {
                // Leaves of one value that come from one buffer share it, whatever the old leaves of the name meant.
                let siblings: BTreeSet<Key> = bound
                    .iter()
                    .filter(|(_, other)| !other.is_disjoint(&closure))
                    .map(|(key, _)| key.clone())
                    .collect();
                let original = closure.clone();
                closure.retain(|key| !own.contains(key));
                self.share(&key, &closure);
                self.share(&key, &siblings);
                bound.push((key, original));
            } else {
                bound.push((key, closure));
            }
        }
        let mut leaves = bound.into_iter().map(|(key, _)| key);
        let value: Result<Proved, std::convert::Infallible> = value.try_map(
            &mut |array| Ok(Tracked { ty: array.ty.clone(), from: leaves.next().into_iter().collect() }),
            &mut |host| Ok(host.clone()),
        );
        let value = value.unwrap_or_else(|never| match never {});
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
            self.functions = Functions::default();
        }
        if let Slot::Bound { value, .. } = &*slot.0 {
            value.each_array("", &mut |_, array| array.from.iter().for_each(|key| self.forget(key)));
        }
    }

    /// Forgets unnamed values from the `first`-th on.
    pub fn forget_temporaries(&mut self, first: u64) {
        let stale: Vec<Key> = self.shares.range(Key::Temporary(first)..).map(|(key, _)| key.clone()).collect();
        let given: Vec<Key> = self.given.range(Key::Temporary(first)..).map(|(key, _)| key.clone()).collect();
        for key in given.iter().chain(&stale) {
            self.given.remove(key);
        }
        for key in &stale {
            let Some(others) = self.shares.remove(key) else { continue };
            others.0.iter().for_each(|other| self.unrelate(other, key));
        }
    }

    /// What holds after either of two paths (R3). `at` names sizes that differ.
    #[must_use]
    pub fn join(&self, other: &Self, at: Span) -> Self {
        let mut joined = self.clone();
        join_names(&mut joined.globals, &self.globals, &other.globals, at);
        join_names(&mut joined.locals, &self.locals, &other.locals, at);
        if self.functions.number() != other.functions.number() {
            joined.functions = Functions::default();
        }
        for item in self.given.diff(&other.given) {
            let (key, given, sure) = match item {
                DiffItem::Add(key, given) | DiffItem::Remove(key, given) => (key, given, false),
                DiffItem::Update { old: (key, old), new: (_, new) } => (key, old, !old.maybe && !new.maybe),
            };
            joined.given.insert(key.clone(), Given { maybe: !sure, ..given.clone() });
        }
        let unite = self.rules.has(Rule::RelationsUnite);
        for item in self.shares.diff(&other.shares) {
            match item {
                DiffItem::Add(key, set) if unite => {
                    joined.shares.insert(key.clone(), set.clone());
                }
                DiffItem::Update { old: (key, old), new: (_, new) } if unite => {
                    if !new.0.is_subset(&old.0) {
                        let both = old.0.union(&new.0).cloned().collect();
                        joined.shares.insert(key.clone(), Shared(Rc::new(both)));
                    }
                }
                DiffItem::Update { old: (key, old), new: (_, new) } => {
                    let both: BTreeSet<Key> = old.0.intersection(&new.0).cloned().collect();
                    if both.is_empty() {
                        joined.shares.remove(key);
                    } else {
                        joined.shares.insert(key.clone(), Shared(Rc::new(both)));
                    }
                }
                DiffItem::Remove(key, _) if !unite => {
                    joined.shares.remove(key);
                }
                DiffItem::Add(..) | DiffItem::Remove(..) => {}
            }
        }
        joined
    }
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

fn join_names(
    joined: &mut OrdMap<Name, Shared<Slot>>,
    one: &OrdMap<Name, Shared<Slot>>,
    other: &OrdMap<Name, Shared<Slot>>,
    at: Span,
) {
    for item in one.diff(other) {
        let (name, slot) = match item {
            DiffItem::Update { old: (name, a), new: (_, b) } => (name, join_slots(name, &a.0, &b.0, at)),
            DiffItem::Add(name, slot) | DiffItem::Remove(name, slot) => {
                let slot = match &*slot.0 {
                    Slot::Bound { at, .. } | Slot::Unclear { at, .. } => {
                        Slot::Unclear { why: "it is bound on one path only", at: *at }
                    }
                    Slot::Deleted(at) => Slot::Deleted(*at),
                };
                (name, slot)
            }
        };
        joined.insert(name.clone(), Shared(Rc::new(slot)));
    }
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
