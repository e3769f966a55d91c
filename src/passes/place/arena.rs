//! Offsets in the arena: storages whose times do not meet may share bytes.
//!
//! Invariant: storages that are in use at one moment are apart; offsets are multiples of 64.

use super::flow::key;
use super::schedule::Touched;
use crate::ir::kernel::Kernel;
use crate::ir::plan::{SlotInfo, Step, Storage};
use std::collections::{BTreeMap, BTreeSet};

type Key = (u8, u64);

struct Times<'a> {
    slots: &'a [SlotInfo],
    kernels: &'a [Kernel],
    /// Storages whose pointers are exchanged are in use together.
    together: BTreeMap<Key, Key>,
    intervals: BTreeMap<Key, (usize, usize)>,
    clock: usize,
}

impl Times<'_> {
    fn leader(&self, mut key: Key) -> Key {
        while let Some(&above) = self.together.get(&key)
            && above != key
        {
            key = above;
        }
        key
    }

    fn exchanged(&mut self, steps: &[Step]) {
        for step in steps {
            match step {
                Step::Permute(moves) => {
                    for (to, from) in moves {
                        let of = |slot: u32| self.slots.get(slot as usize).map(|info| key(info.storage));
                        if let (Some(a), Some(b)) = (of(to.0), of(from.0)) {
                            let (a, b) = (self.leader(a), self.leader(b));
                            self.together.insert(a, b);
                        }
                    }
                }
                Step::For { body, .. } => self.exchanged(body),
                Step::While { condition, body, .. } => {
                    self.exchanged(condition);
                    self.exchanged(body);
                }
                Step::If { then, otherwise, .. } => {
                    self.exchanged(then);
                    self.exchanged(otherwise);
                }
                _ => {}
            }
        }
    }

    /// What a list touches, by storage, and how often.
    fn count(&self, steps: &[Step]) -> BTreeMap<Key, usize> {
        let mut found = BTreeMap::new();
        for step in steps {
            for key in self.touched(step) {
                *found.entry(key).or_insert(0) += 1;
            }
            for list in lists(step) {
                for (key, count) in self.count(list) {
                    *found.entry(key).or_insert(0) += count;
                }
            }
        }
        found
    }

    fn touched(&self, step: &Step) -> BTreeSet<Key> {
        let touched = Touched::new(step, self.kernels);
        let all = touched.reads.iter().chain(&touched.writes);
        all.filter_map(|slot| self.slots.get(slot.0 as usize)).map(|info| self.leader(key(info.storage))).collect()
    }

    /// What a loop or branch touches itself, between its lists.
    fn head(&self, step: &Step) -> BTreeSet<Key> {
        let slots = match step {
            Step::For { start, end, step, index, .. } => vec![*start, *end, *step, *index],
            Step::While { flag, .. } | Step::If { flag, .. } => vec![*flag],
            _ => Vec::new(),
        };
        let infos = slots.into_iter().filter_map(|slot| self.slots.get(slot.0 as usize));
        infos.map(|info| self.leader(key(info.storage))).collect()
    }

    /// A storage that only one inner list touches is in use during that list's steps alone; any other that is touched
    /// in a loop or branch is in use during all of it.
    fn list(&mut self, steps: &[Step], local: &BTreeSet<Key>) {
        let total = self.count(steps);
        for step in steps {
            let begin = self.clock;
            self.clock += 1;
            let own = self.count(std::slice::from_ref(step));
            let head = self.head(step);
            let mut inner = BTreeSet::new();
            for list in lists(step) {
                let direct = self.count(list);
                // One is for the step itself, which touches what its lists touch.
                let only = |key: &Key| {
                    let count = direct.get(key).copied().unwrap_or(0) + 1;
                    local.contains(key)
                        && !head.contains(key)
                        && own.get(key) == Some(&count)
                        && total.get(key) == Some(&count)
                };
                let within: BTreeSet<Key> = direct.keys().filter(|key| only(key)).copied().collect();
                self.list(list, &within);
                inner.extend(within);
            }
            let end = self.clock;
            self.clock += 1;
            for key in self.touched(step) {
                if local.contains(&key) && !inner.contains(&key) {
                    self.extend(key, begin, end);
                }
            }
        }
    }

    fn extend(&mut self, key: Key, begin: usize, end: usize) {
        let interval = self.intervals.entry(key).or_insert((begin, end));
        *interval = (interval.0.min(begin), interval.1.max(end));
    }
}

fn lists(step: &Step) -> Vec<&[Step]> {
    match step {
        Step::For { body, .. } => vec![body],
        Step::While { condition, body, .. } => vec![condition, body],
        Step::If { then, otherwise, .. } => vec![then, otherwise],
        _ => Vec::new(),
    }
}

/// Gives every arena storage an offset; the number of bytes that takes.
pub(super) fn assign(slots: &mut [SlotInfo], steps: &[Step], kernels: &[Kernel]) -> u64 {
    let mut times = Times { slots, kernels, together: BTreeMap::new(), intervals: BTreeMap::new(), clock: 0 };
    times.exchanged(steps);
    let all = times.count(steps).into_keys().collect();
    times.list(steps, &all);
    let mut sizes: BTreeMap<Key, u64> = BTreeMap::new();
    for info in times.slots {
        if matches!(info.storage, Storage::Arena(_)) {
            let size = sizes.entry(key(info.storage)).or_insert(0);
            *size = (*size).max(info.bytes);
        }
    }
    let mut pending: Vec<(u64, Key, (usize, usize))> = Vec::new();
    for (&storage, &size) in &sizes {
        if let Some(&interval) = times.intervals.get(&times.leader(storage)) {
            pending.push((size, storage, interval));
        }
    }
    // The largest first, each into the smallest gap that is free during its time.
    pending.sort_by_key(|&(size, storage, interval)| (std::cmp::Reverse(size), interval, storage));
    let mut placed: Vec<(u64, u64, (usize, usize))> = Vec::new();
    let mut offsets: BTreeMap<Key, u64> = BTreeMap::new();
    let mut total = 0;
    for (size, storage, interval) in pending {
        let mut busy: Vec<(u64, u64)> = placed
            .iter()
            .filter(|(_, _, other)| interval.0 <= other.1 && other.0 <= interval.1)
            .map(|&(start, end, _)| (start, end))
            .collect();
        busy.sort_unstable();
        let (mut best, mut free): (Option<(u64, u64)>, u64) = (None, 0);
        for (start, end) in busy {
            let gap = start.saturating_sub(free);
            if gap >= size && best.is_none_or(|(smallest, _)| gap < smallest) {
                best = Some((gap, free));
            }
            free = free.max(end.next_multiple_of(64));
        }
        let offset = best.map_or(free, |(_, offset)| offset);
        if size > 0 {
            placed.push((offset, offset.saturating_add(size), interval));
            total = total.max(offset.saturating_add(size));
        }
        offsets.insert(storage, if size > 0 { offset } else { 0 });
    }
    for info in slots {
        if matches!(info.storage, Storage::Arena(_)) {
            info.storage = Storage::Arena(offsets.get(&key(info.storage)).copied().unwrap_or(0));
        }
    }
    total
}
