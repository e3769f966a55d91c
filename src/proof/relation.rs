//! Which leaves may share a buffer: a symmetric relation, kept as groups whose members may all share with each other.
//!
//! A pair may share if some group has both. In straight-line code each buffer with several names is one group, so a
//! new name costs a step and not one per alias; where paths join, a leaf may come to be in several groups. All of it is in
//! persistent maps. Invariant: a group has two members or more, and `groups_of` says exactly who is in which.

use super::rules::{Rule, Rules};
use super::state::Key;
use imbl::ordmap::DiffItem;
use imbl::{OrdMap, OrdSet, ordset};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// The relation at one point of the program.
#[derive(Clone, Debug, Default)]
pub struct Relation {
    rules: Rules,
    groups: OrdMap<u64, OrdSet<Key>>,
    groups_of: OrdMap<Key, Rc<BTreeSet<u64>>>,
    /// Numbers of groups so far, in all states of the walk: one number never means two groups that began apart.
    numbers: Rc<Cell<u64>>,
}

impl PartialEq for Relation {
    fn eq(&self, other: &Self) -> bool {
        self.groups == other.groups
    }
}

/// Whether all of `part` is in `whole`; quick where they have a common history.
fn within(part: &OrdSet<Key>, whole: &OrdSet<Key>) -> bool {
    part.len() <= whole.len() && part.diff(whole).all(|item| matches!(item, ordset::DiffItem::Add(_)))
}

impl Relation {
    /// Nothing shares.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
    }

    /// The leaves that may be the same buffer as one of `from`, those included.
    #[must_use]
    pub fn closure(&self, from: &BTreeSet<Key>) -> BTreeSet<Key> {
        let mut all = from.clone();
        for group in self.groups_of(from).iter().filter_map(|number| self.groups.get(number)) {
            all.extend(group.iter().cloned());
        }
        all
    }

    /// The groups in which leaves of `from` are.
    #[must_use]
    pub fn groups_of(&self, from: &BTreeSet<Key>) -> BTreeSet<u64> {
        from.iter().filter_map(|key| self.groups_of.get(key)).flat_map(|groups| groups.iter().copied()).collect()
    }

    /// Whether one of `a` may be the same buffer as one of `b`.
    #[must_use]
    pub fn may_share(&self, a: &BTreeSet<Key>, b: &BTreeSet<Key>) -> bool {
        !a.is_disjoint(b) || !self.groups_of(a).is_disjoint(&self.groups_of(b))
    }

    /// `key` may be the same buffer as each leaf of `from`, and as what those may share (R2c).
    pub fn alias(&mut self, key: &Key, from: &BTreeSet<Key>) {
        for other in from.iter().filter(|other| *other != key) {
            match self.groups_of.get(other).cloned() {
                Some(groups) if self.rules.has(Rule::AliasOfAlias) => {
                    groups.iter().for_each(|&number| self.enter(number, key));
                }
                _ => self.pair(key, other),
            }
        }
    }

    /// Two leaves may be one buffer, whatever else each may be.
    pub fn pair(&mut self, a: &Key, b: &Key) {
        self.add(&[a.clone(), b.clone()].into_iter().collect());
    }

    fn enter(&mut self, number: u64, key: &Key) {
        if let Some(group) = self.groups.get_mut(&number)
            && group.insert(key.clone()).is_none()
        {
            Rc::make_mut(self.groups_of.entry(key.clone()).or_default()).insert(number);
        }
    }

    fn leave(&mut self, number: u64, key: &Key) {
        let Some(groups) = self.groups_of.get_mut(key) else { return };
        Rc::make_mut(groups).remove(&number);
        if groups.is_empty() {
            self.groups_of.remove(key);
        }
    }

    /// A new group.
    fn add(&mut self, members: &OrdSet<Key>) {
        self.numbers.set(self.numbers.get() + 1);
        self.insert(self.numbers.get(), members);
    }

    fn insert(&mut self, number: u64, members: &OrdSet<Key>) {
        for key in members {
            Rc::make_mut(self.groups_of.entry(key.clone()).or_default()).insert(number);
        }
        self.groups.insert(number, members.clone());
    }

    fn grow(&mut self, number: u64, old: &OrdSet<Key>, new: &OrdSet<Key>) {
        for item in old.diff(new) {
            if let ordset::DiffItem::Add(key) = item {
                Rc::make_mut(self.groups_of.entry(key.clone()).or_default()).insert(number);
            }
        }
        self.groups.insert(number, new.clone());
    }

    fn delete(&mut self, number: u64) {
        for key in self.groups.remove(&number).iter().flatten() {
            self.leave(number, key);
        }
    }

    /// Forgets a leaf: it is about to mean something else.
    pub fn forget(&mut self, key: &Key) {
        let Some(groups) = self.groups_of.remove(key) else { return };
        for number in groups.iter() {
            let Some(group) = self.groups.get_mut(number) else { continue };
            group.remove(key);
            if group.len() < 2 {
                self.delete(*number);
            }
        }
    }

    /// The unnamed values from `first` on that share anything.
    pub fn from_temporary(&self, first: u64) -> Vec<Key> {
        self.groups_of.range(Key::Temporary(first)..).map(|(key, _)| key.clone()).collect()
    }

    /// Makes one group of all these leaves and their aliases.
    pub fn unite(&mut self, leaves: &BTreeSet<Key>) {
        let all: OrdSet<Key> = self.closure(leaves).into_iter().collect();
        if all.len() > 1 && !self.covers(&all) {
            self.add(&all);
        }
    }

    /// Whether one group has all of `members`.
    fn covers(&self, members: &OrdSet<Key>) -> bool {
        let Some(groups) = members.get_min().and_then(|key| self.groups_of.get(key)) else { return false };
        groups.iter().filter_map(|number| self.groups.get(number)).any(|group| within(members, group))
    }

    /// What may share after either of two paths may share (R3a).
    #[must_use]
    pub fn join(&self, other: &Self) -> Self {
        let mut joined = self.clone();
        if !self.rules.has(Rule::RelationsUnite) {
            joined.keep_common(self, other);
            return joined;
        }
        for item in self.groups.diff(&other.groups) {
            match item {
                DiffItem::Add(&number, members) => {
                    if !joined.covers(members) {
                        joined.insert(number, members);
                    }
                }
                DiffItem::Update { old: (&number, old), new: (_, new) } => {
                    if within(new, old) || joined.covers(new) {
                        continue;
                    }
                    if within(old, new) {
                        joined.grow(number, old, new);
                    } else {
                        joined.add(new);
                    }
                }
                DiffItem::Remove(..) => {}
            }
        }
        joined
    }

    /// What a proof without R3a would keep.
    fn keep_common(&mut self, one: &Self, other: &Self) {
        for item in one.groups.diff(&other.groups) {
            if let DiffItem::Remove(&number, _) | DiffItem::Update { old: (&number, _), .. } = item {
                self.delete(number);
            }
            if let DiffItem::Update { old: (&number, old), new: (_, new) } = item {
                let common: OrdSet<Key> = old.iter().filter(|key| new.contains(*key)).cloned().collect();
                if common.len() > 1 {
                    self.insert(number, &common);
                }
            }
        }
    }
}
