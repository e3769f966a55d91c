//! What is known at one point of the program: the type of every name, which leaves are given away, which may share.

use crate::base::{Shape, Size, Span, Symbol};
use crate::ir::array::ArrayType;
use crate::sema::value::{HostKind, HostType, Known, Value};
use crate::syntax::ast::Name;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A leaf that may be alive: of a name in the `frame`-th scope, or of the value of a call that is not bound yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// `params.w` in a scope; 0 is the top level.
    Leaf(u32, Rc<str>),
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

/// Everything known at one point.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct State {
    /// Names by scope.
    pub names: BTreeMap<(u32, Name), Slot>,
    /// Leaves that are given away.
    pub given: BTreeMap<Key, Given>,
    /// Pairs that may share a buffer; symmetric, not reflexive.
    pub shares: BTreeMap<Key, BTreeSet<Key>>,
}

impl State {
    /// The leaves that may be the same buffer as one of `from`, those included.
    #[must_use]
    pub fn closure(&self, from: &BTreeSet<Key>) -> BTreeSet<Key> {
        let mut all = from.clone();
        for key in from {
            all.extend(self.shares.get(key).into_iter().flatten().cloned());
        }
        all
    }

    /// Forgets a leaf: it is about to mean something else.
    pub fn forget(&mut self, key: &Key) {
        self.given.remove(key);
        for other in self.shares.remove(key).unwrap_or_default() {
            if let Some(back) = self.shares.get_mut(&other) {
                back.remove(key);
            }
        }
    }

    /// `key` may be the same buffer as each of `others` (R2: the caller passes a closure).
    pub fn share(&mut self, key: &Key, others: &BTreeSet<Key>) {
        for other in others {
            if other != key {
                self.shares.entry(key.clone()).or_default().insert(other.clone());
                self.shares.entry(other.clone()).or_default().insert(key.clone());
            }
        }
    }

    /// Binds `name` in scope `frame`: old leaves are forgotten, new ones share what the value may be.
    pub fn bind(&mut self, frame: u32, name: &Name, value: &Proved, at: Span) {
        // Sources first: `x = x` must not lose what x shares.
        let mut sources = Vec::new();
        value.each_array(name, &mut |path, array| sources.push((Rc::<str>::from(path), self.closure(&array.from))));
        self.unbind(frame, name);
        let own: BTreeSet<Key> = sources.iter().map(|(path, _)| Key::Leaf(frame, path.clone())).collect();
        let mut bound: Vec<(Key, BTreeSet<Key>)> = Vec::new();
        for (path, mut closure) in sources {
            let key = Key::Leaf(frame, path);
            // Leaves of one value that come from one buffer share it, whatever the old leaves of the name meant.
            let siblings: BTreeSet<Key> =
                bound.iter().filter(|(_, other)| !other.is_disjoint(&closure)).map(|(key, _)| key.clone()).collect();
            let original = closure.clone();
            closure.retain(|key| !own.contains(key));
            self.share(&key, &closure);
            self.share(&key, &siblings);
            bound.push((key, original));
        }
        let mut leaves = bound.into_iter().map(|(key, _)| key);
        let value: Result<Proved, std::convert::Infallible> = value.try_map(
            &mut |array| Ok(Tracked { ty: array.ty.clone(), from: leaves.next().into_iter().collect() }),
            &mut |host| Ok(host.clone()),
        );
        let value = value.unwrap_or_else(|never| match never {});
        self.names.insert((frame, name.clone()), Slot::Bound { value, at });
    }

    /// Forgets what `name` means in scope `frame`.
    pub fn unbind(&mut self, frame: u32, name: &Name) {
        if let Some(Slot::Bound { value, .. }) = self.names.remove(&(frame, name.clone())) {
            value.each_array("", &mut |_, array| array.from.iter().for_each(|key| self.forget(key)));
        }
    }

    /// Forgets scope `frame`.
    pub fn leave(&mut self, frame: u32) {
        let names: Vec<Name> = self.names.keys().filter(|(at, _)| *at == frame).map(|(_, name)| name.clone()).collect();
        for name in names {
            self.unbind(frame, &name);
            self.names.remove(&(frame, name));
        }
    }

    /// Forgets unnamed values from the `first`-th on.
    pub fn forget_temporaries(&mut self, first: u64) {
        let stale: Vec<Key> = self.shares.range(Key::Temporary(first)..).map(|(key, _)| key.clone()).collect();
        let given: Vec<Key> = self.given.range(Key::Temporary(first)..).map(|(key, _)| key.clone()).collect();
        for key in stale.into_iter().chain(given) {
            self.forget(&key);
        }
    }

    /// What holds after either of two paths (R3). `at` names sizes that differ.
    #[must_use]
    pub fn join(&self, other: &Self, at: Span) -> Self {
        let mut joined = Self::default();
        let names: BTreeSet<&(u32, Name)> = self.names.keys().chain(other.names.keys()).collect();
        for name in names {
            let slot = match (self.names.get(name), other.names.get(name)) {
                (Some(a), Some(b)) => join_slots(&name.1, a, b, at),
                (Some(one), None) | (None, Some(one)) => match one {
                    Slot::Bound { at, .. } | Slot::Unclear { at, .. } => {
                        Slot::Unclear { why: "it is bound on one path only", at: *at }
                    }
                    Slot::Deleted(at) => Slot::Deleted(*at),
                },
                (None, None) => continue,
            };
            joined.names.insert(name.clone(), slot);
        }
        for (key, given) in self.given.iter().chain(&other.given) {
            let both = self.given.get(key).zip(other.given.get(key));
            let sure = both.is_some_and(|(a, b)| !a.maybe && !b.maybe);
            joined.given.entry(key.clone()).or_insert_with(|| Given { maybe: !sure, ..given.clone() });
        }
        joined.shares.clone_from(&self.shares);
        for (key, others) in &other.shares {
            joined.share(key, others);
        }
        joined
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
