//! Follows what each stretch of memory holds through the steps of a plan: R2, R4 to R8.
//!
//! A cell is a stretch of memory that slots point to. What a cell holds is a set of slots: those whose value it is.
//! Loops are followed to a fixpoint over all arrangements of pointers that arise.
//! Invariant: a plan that passes reads, through every slot, the value that was last written through it.

use super::alias::Aliasing;
use crate::ir::array::ParamKind;
use crate::ir::kernel::Kernel;
use crate::ir::plan::{MatmulOperand, PlanParam, Slot, SlotInfo, Step, Storage};
use std::collections::{BTreeMap, BTreeSet};

/// Arrangements of pointers beyond which a plan is refused.
const MOST: usize = 256;

/// The plan as far as memory is concerned.
pub(super) struct Flow<'a> {
    pub(super) params: &'a [PlanParam],
    pub(super) slots: &'a [SlotInfo],
    pub(super) kernels: &'a [Kernel],
    pub(super) aliasing: &'a [Aliasing],
}

/// Memory at one moment, for one arrangement of pointers.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct State {
    pointers: Vec<usize>,
    holds: Vec<BTreeSet<u32>>,
    /// A donated buffer has been written.
    dirty: bool,
}

struct Cells {
    storages: Vec<Storage>,
    /// Other cells that share bytes with it.
    overlaps: Vec<Vec<usize>>,
}

type Outcome<T> = Result<T, String>;

fn need(holds: bool, rule: impl FnOnce() -> String) -> Outcome<()> {
    if holds { Ok(()) } else { Err(rule()) }
}

impl Flow<'_> {
    /// Runs over all steps; for each storage, whether it holds a complete value of one of its own slots at the end
    /// (not one that came by an exchange of pointers). The slots of `live` are read after the last step.
    pub(super) fn run(&self, steps: &[Step], live: &[Slot]) -> Outcome<BTreeMap<(u8, u64), bool>> {
        let (cells, pointers) = self.cells();
        let mut holds = vec![BTreeSet::new(); cells.storages.len()];
        for (slot, &cell) in pointers.iter().enumerate().take(self.params.len()) {
            holds.get_mut(cell).map(|set: &mut BTreeSet<u32>| set.insert(slot as u32));
        }
        let start = State { pointers, holds, dirty: false };
        let ends = self.steps(steps, vec![start], &cells)?;
        for end in &ends {
            self.read(end, live)?;
        }
        let mut complete = BTreeMap::new();
        for (at, storage) in cells.storages.iter().enumerate() {
            let own = |slot: &u32| self.slots.get(*slot as usize).is_some_and(|info| info.storage == *storage);
            let full = ends.iter().all(|end| end.holds.get(at).is_some_and(|set| set.iter().any(own)));
            complete.insert(key(*storage), full);
        }
        Ok(complete)
    }

    fn cells(&self) -> (Cells, Vec<usize>) {
        // Stretches of the arena that begin at one byte but differ in length are different cells, which overlap.
        let mut known: BTreeMap<((u8, u64), u64), usize> = BTreeMap::new();
        let (mut storages, mut sizes, mut pointers) = (Vec::new(), Vec::new(), Vec::new());
        for info in self.slots {
            let next = storages.len();
            let length = if matches!(info.storage, Storage::Arena(_)) { info.bytes } else { 0 };
            let cell = *known.entry((key(info.storage), length)).or_insert(next);
            if cell == next {
                storages.push(info.storage);
                sizes.push(0u64);
            }
            if let Some(size) = sizes.get_mut(cell) {
                *size = (*size).max(info.bytes);
            }
            pointers.push(cell);
        }
        let mut overlaps = vec![Vec::new(); storages.len()];
        let mut arena: Vec<(u64, u64, usize)> = Vec::new();
        for (at, (storage, size)) in storages.iter().zip(&sizes).enumerate() {
            if let Storage::Arena(offset) = storage
                && *size > 0
            {
                arena.push((*offset, offset.saturating_add(*size), at));
            }
        }
        arena.sort_unstable();
        for (at, &(_, end, cell)) in arena.iter().enumerate() {
            for &(start, _, other) in arena.iter().skip(at + 1).take_while(|(start, _, _)| *start < end) {
                debug_assert!(start < end);
                if let Some(list) = overlaps.get_mut(cell) {
                    list.push(other);
                }
                if let Some(list) = overlaps.get_mut(other) {
                    list.push(cell);
                }
            }
        }
        (Cells { storages, overlaps }, pointers)
    }

    fn steps(&self, steps: &[Step], mut states: Vec<State>, cells: &Cells) -> Outcome<Vec<State>> {
        for step in steps {
            states = self.step(step, states, cells)?;
        }
        Ok(states)
    }

    fn step(&self, step: &Step, mut states: Vec<State>, cells: &Cells) -> Outcome<Vec<State>> {
        match step {
            Step::For { start, end, step, index, body } => {
                for state in &states {
                    self.read(state, &[*start, *end, *step])?;
                }
                let mut seen = join(states)?;
                loop {
                    let mut round = seen.clone();
                    for state in &mut round {
                        self.write(state, *index, true, cells)?;
                    }
                    let ends = self.steps(body, round, cells)?;
                    let next = join(seen.iter().cloned().chain(ends).collect())?;
                    if next == seen {
                        return Ok(seen);
                    }
                    seen = next;
                }
            }
            Step::While { condition, flag, body } => {
                let mut seen = join(states)?;
                loop {
                    let decided = self.steps(condition, seen.clone(), cells)?;
                    for state in &decided {
                        self.read(state, &[*flag])?;
                    }
                    let ends = self.steps(body, decided.clone(), cells)?;
                    let next = join(seen.iter().cloned().chain(ends).collect())?;
                    if next == seen {
                        return join(decided);
                    }
                    seen = next;
                }
            }
            Step::If { flag, then, otherwise } => {
                for state in &states {
                    self.read(state, &[*flag])?;
                }
                let mut ends = self.steps(then, states.clone(), cells)?;
                ends.extend(self.steps(otherwise, states, cells)?);
                join(ends)
            }
            simple => {
                for state in &mut states {
                    self.simple(simple, state, cells)?;
                }
                Ok(states)
            }
        }
    }

    fn simple(&self, step: &Step, state: &mut State, cells: &Cells) -> Outcome<()> {
        match step {
            Step::Launch { kernel, buffers } => self.launch(*kernel, buffers, state, cells),
            Step::Copy { from, to, bytes } => {
                self.room(*from, *bytes)?;
                self.compute(state, &[*from], *to, *bytes, cells)
            }
            Step::Matmul { a, b, out, sizes, dtype } => {
                let &[batch, m, k, n] = sizes;
                let width = dtype.bytes() as u64;
                self.operand(a, [batch, m, k], width)?;
                self.operand(b, [batch, k, n], width)?;
                self.compute(state, &[a.slot, b.slot], *out, product(&[batch, m, n, width])?, cells)
            }
            Step::Along { op, from, out, sizes, dtype } => {
                let &[outer, extent, inner] = sizes;
                let elements = product(&[outer, extent, inner])?;
                let width = if *op == crate::ir::plan::AlongOp::Argsort { 4 } else { dtype.bytes() as u64 };
                self.room(*from, product(&[elements, dtype.bytes() as u64])?)?;
                self.compute(state, &[*from], *out, product(&[elements, width])?, cells)
            }
            Step::Scatter { target, index, updates, sizes, dtype } => {
                let &[outer, extent, count, inner] = sizes;
                let width = dtype.bytes() as u64;
                self.room(*index, product(&[count, 8])?)?;
                self.room(*updates, product(&[outer, count, inner, width])?)?;
                self.room(*target, product(&[outer, extent, inner, width])?)?;
                self.read(state, &[*index, *updates])?;
                self.apart(state, &[*index, *updates], *target, cells)?;
                self.write(state, *target, false, cells)
            }
            Step::Check { bad, shown, .. } => {
                self.read(state, &[*bad])?;
                for (slot, dtype) in shown {
                    self.room(*slot, dtype.bytes() as u64)?;
                    self.read(state, &[*slot])?;
                }
                need(!state.dirty, || "R8: a check comes after a donated buffer has been written".into())
            }
            Step::Permute(moves) => self.permute(moves, state),
            Step::For { .. } | Step::While { .. } | Step::If { .. } => Ok(()),
        }
    }

    fn launch(&self, kernel: usize, buffers: &[Slot], state: &mut State, cells: &Cells) -> Outcome<()> {
        let code = self.kernels.get(kernel).ok_or("R1: a kernel exists")?;
        let facts = self.aliasing.get(kernel).ok_or("R1: a kernel exists")?;
        need(buffers.len() == code.buffers.len(), || format!("R1: {} has its buffers", code.name))?;
        need(facts.once, || format!("R3: {} stores an element twice", code.name))?;
        for (at, (&slot, info)) in buffers.iter().zip(&code.buffers).enumerate() {
            self.room(slot, product(&[info.elements, info.dtype.bytes() as u64])?)?;
            if facts.loaded.contains(&at) {
                self.read(state, &[slot])?;
            }
        }
        let stored = || code.buffers.iter().zip(buffers).enumerate().filter(|(_, (info, _))| info.stored);
        for (at, (_, &target)) in stored() {
            let cell = self.cell(state, target)?;
            for (other, &slot) in buffers.iter().enumerate() {
                if other == at && !facts.loaded.contains(&at) {
                    continue;
                }
                let found = self.cell(state, slot)?;
                let meets = self.bytes(slot)? > 0 && (found == cell || overlaps(cells, cell, found));
                let safe = found == cell && facts.in_place.contains(&(other, at));
                need(!meets || safe, || {
                    format!(
                        "R4: {} reads or writes slot {} elsewhere than where it stores slot {}",
                        code.name, slot.0, target.0
                    )
                })?;
            }
        }
        for (at, (info, &target)) in stored() {
            let bytes = info.elements.saturating_mul(info.dtype.bytes() as u64);
            let full = facts.fills.get(at) == Some(&true) && bytes == self.bytes(target)?;
            self.write(state, target, full, cells)?;
        }
        Ok(())
    }

    /// A result that overlaps nothing it is computed from, and is complete.
    fn compute(&self, state: &mut State, from: &[Slot], to: Slot, bytes: u64, cells: &Cells) -> Outcome<()> {
        self.room(to, bytes)?;
        self.read(state, from)?;
        self.apart(state, from, to, cells)?;
        let full = bytes == self.bytes(to)?;
        self.write(state, to, full, cells)
    }

    fn apart(&self, state: &State, from: &[Slot], to: Slot, cells: &Cells) -> Outcome<()> {
        let target = self.cell(state, to)?;
        for &slot in from {
            let cell = self.cell(state, slot)?;
            let meets = self.bytes(slot)? > 0 && (cell == target || overlaps(cells, cell, target));
            need(!meets, || format!("R6: slot {} overlaps slot {}", to.0, slot.0))?;
        }
        Ok(())
    }

    fn permute(&self, moves: &[(Slot, Slot)], state: &mut State) -> Outcome<()> {
        let to: BTreeSet<u32> = moves.iter().map(|(to, _)| to.0).collect();
        let from: BTreeSet<u32> = moves.iter().map(|(_, from)| from.0).collect();
        need(to == from && to.len() == moves.len(), || "R7: pointers are exchanged, none lost".into())?;
        let mut names = BTreeMap::new();
        let before = state.pointers.clone();
        for (to, from) in moves {
            need(self.bytes(*to)? == self.bytes(*from)?, || "R7: pointers of one size are exchanged".into())?;
            names.insert(from.0, to.0);
            let cell = before.get(from.0 as usize).copied().ok_or("R1: a slot exists")?;
            if let Some(slot) = state.pointers.get_mut(to.0 as usize) {
                *slot = cell;
            }
        }
        for set in &mut state.holds {
            *set = set.iter().map(|name| names.get(name).copied().unwrap_or(*name)).collect();
        }
        Ok(())
    }

    fn operand(&self, operand: &MatmulOperand, sizes: [u64; 3], width: u64) -> Outcome<()> {
        if sizes.contains(&0) {
            return Ok(());
        }
        let (mut low, mut high) = (i128::from(operand.offset), i128::from(operand.offset));
        for (size, stride) in sizes.into_iter().zip(operand.strides) {
            let reach = i128::from(size - 1) * i128::from(stride);
            (low, high) = (low + reach.min(0), high + reach.max(0));
        }
        let elements = i128::from(self.bytes(operand.slot)? / width.max(1));
        need(low >= 0 && high < elements, || format!("R1: a matrix product reads {low} to {high} of {elements}"))
    }

    fn bytes(&self, slot: Slot) -> Outcome<u64> {
        self.slots.get(slot.0 as usize).map(|info| info.bytes).ok_or_else(|| format!("R1: slot {} exists", slot.0))
    }

    fn room(&self, slot: Slot, bytes: u64) -> Outcome<()> {
        let has = self.bytes(slot)?;
        need(bytes <= has, || format!("R1: slot {} has {has} bytes, {bytes} are touched", slot.0))
    }

    fn cell(&self, state: &State, slot: Slot) -> Outcome<usize> {
        state.pointers.get(slot.0 as usize).copied().ok_or_else(|| format!("R1: slot {} exists", slot.0))
    }

    fn read(&self, state: &State, slots: &[Slot]) -> Outcome<()> {
        for &slot in slots {
            // No bytes hold any value.
            if self.bytes(slot)? == 0 {
                continue;
            }
            let cell = self.cell(state, slot)?;
            let there = state.holds.get(cell).is_some_and(|set| set.contains(&slot.0));
            need(there, || format!("R2: slot {} is read where its value is not, or not any more", slot.0))?;
        }
        Ok(())
    }

    fn write(&self, state: &mut State, slot: Slot, full: bool, cells: &Cells) -> Outcome<()> {
        if !full {
            self.read(state, &[slot])?;
        }
        let cell = self.cell(state, slot)?;
        if let Some(Storage::Param(at)) = cells.storages.get(cell) {
            let donated = self.params.get(*at).is_some_and(|param| param.kind == ParamKind::Array { donated: true });
            need(donated, || format!("R5: argument {at} is only lent and is written"))?;
            state.dirty = true;
        }
        for &other in cells.overlaps.get(cell).map_or(&[][..], Vec::as_slice) {
            if let Some(set) = state.holds.get_mut(other) {
                set.clear();
            }
        }
        if let Some(set) = state.holds.get_mut(cell) {
            *set = BTreeSet::from([slot.0]);
        }
        Ok(())
    }
}

fn overlaps(cells: &Cells, a: usize, b: usize) -> bool {
    cells.overlaps.get(a).is_some_and(|list| list.contains(&b))
}

/// Storages by kind and number.
pub(super) fn key(storage: Storage) -> (u8, u64) {
    match storage {
        Storage::Param(at) => (0, at as u64),
        Storage::Fresh(at) => (1, at as u64),
        Storage::Arena(offset) => (2, offset),
    }
}

fn product(factors: &[u64]) -> Outcome<u64> {
    let product = factors.iter().try_fold(1u64, |product, &factor| product.checked_mul(factor));
    product.ok_or_else(|| "R1: sizes fit 64 bits".into())
}

/// One state per arrangement of pointers: what holds in all of its states.
fn join(states: Vec<State>) -> Outcome<Vec<State>> {
    let mut joined: Vec<State> = Vec::new();
    for state in states {
        match joined.iter_mut().find(|known| known.pointers == state.pointers) {
            Some(known) => {
                known.dirty |= state.dirty;
                for (set, other) in known.holds.iter_mut().zip(&state.holds) {
                    set.retain(|name| other.contains(name));
                }
            }
            None => joined.push(state),
        }
    }
    need(joined.len() <= MOST, || format!("R7: pointers arrange themselves in at most {MOST} ways"))?;
    Ok(joined)
}
