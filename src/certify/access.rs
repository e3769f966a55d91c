//! What one kernel touches: the map from its points to the elements that it writes, and where it reads.
//!
//! A map is taken apart by loop variable, after variables of one round are dropped. It is *dense* when the points and
//! the elements correspond one to one: the strides, sorted, are then 1, e0, e0 e1, ... and nothing else will do (a box
//! that tiles an interval has no other form). It is *injective* when each stride is beyond the reach of all smaller
//! ones. Invariant: what is not of these forms is refused, never assumed.

use super::{Rule, Violation, need};
use crate::ir::kernel::{Atom, Block, Body, Index, Inst, InstKind, Kernel};

/// An index expression by loop variable.
#[derive(Clone, Debug, PartialEq)]
struct Map {
    /// Stride of each variable; 0 where it has one round.
    strides: Vec<i128>,
    /// Divisions, remainders and values.
    rest: Vec<(Atom, i64)>,
    constant: i128,
}

/// What is stored to one buffer.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) buffer: usize,
    /// Every element of the buffer, each by one point.
    pub(super) dense: bool,
    map: Map,
}

/// What is loaded at one place of the code.
#[derive(Debug)]
struct Read {
    buffer: usize,
    map: Map,
    /// In the code whose values the stores may name; the inner code of a reduction is not.
    beside_stores: bool,
}

/// All accesses of one kernel.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) written: Vec<Written>,
    read: Vec<Read>,
    /// Accesses whose range is not an affine fact: guarded loads and indices from memory, which the program checks.
    pub(super) trusted: usize,
    /// Some index comes from memory.
    pub(super) from_memory: bool,
    widths: Vec<usize>,
}

impl Access {
    /// Takes a kernel apart.
    ///
    /// # Errors
    /// When it may touch what is outside its buffers, or store an element twice.
    pub(super) fn new(kernel: &Kernel) -> Result<Self, Violation> {
        let widths = kernel.buffers.iter().map(|info| info.dtype.bytes()).collect();
        let mut found = Self { written: Vec::new(), read: Vec::new(), trusted: 0, from_memory: false, widths };
        let outer = kernel.extents.as_slice();
        let (code, stores) = match &kernel.body {
            Body::Map { block, stores } => (block, stores),
            Body::Reduce { inner, block, finish, stores, .. } => {
                let all: Vec<u64> = outer.iter().chain(inner).copied().collect();
                found.loads(kernel, block, &all, false)?;
                (finish, stores)
            }
        };
        found.loads(kernel, code, outer, true)?;
        let varying = varying(code);
        for store in stores {
            let info = kernel.buffers.get(store.buffer).ok_or_else(|| fault(kernel, "names a buffer it lacks"))?;
            need(info.stored, Rule::Once, || {
                format!("{} stores to b{}, which is for reading", kernel.name, store.buffer)
            })?;
            let again = found.written.iter().any(|other| other.buffer == store.buffer);
            need(!again, Rule::Once, || format!("{} stores to b{} in two places", kernel.name, store.buffer))?;
            found.within(kernel, &store.index, outer, store.buffer, &Guard::none())?;
            let map = Map::new(&store.index, outer);
            let dense = map.dense(outer, info.elements, &varying);
            let once = dense || map.injective(outer, &varying);
            need(once, Rule::Once, || {
                format!("{}: two points may store b{}[{}]", kernel.name, store.buffer, store.index)
            })?;
            found.written.push(Written { buffer: store.buffer, dense, map });
        }
        for (at, info) in kernel.buffers.iter().enumerate() {
            let is_written = found.written.iter().any(|written| written.buffer == at);
            need(!info.stored || is_written, Rule::Once, || format!("{} never stores to b{at}", kernel.name))?;
        }
        Ok(found)
    }

    /// Whether a buffer is loaded.
    pub(super) fn reads(&self, buffer: usize) -> bool {
        self.read.iter().any(|read| read.buffer == buffer)
    }

    /// Whether each point loads from `buffer` at most the element that it overwrites through `written`, when both
    /// begin at one byte.
    pub(super) fn own_element(&self, buffer: usize, written: &Written) -> bool {
        let same = |read: &Read| read.beside_stores && read.map == written.map;
        self.widths.get(buffer) == self.widths.get(written.buffer)
            && self.read.iter().filter(|read| read.buffer == buffer).all(same)
    }

    fn loads(&mut self, kernel: &Kernel, block: &Block, extents: &[u64], beside_stores: bool) -> Result<(), Violation> {
        for inst in &block.insts {
            let InstKind::Load { buffer, index, guard } = &inst.kind else { continue };
            let guard = guard.map_or_else(Guard::none, |guard| Guard::new(block, guard));
            self.within(kernel, index, extents, *buffer, &guard)?;
            let map = Map::new(index, if beside_stores { &kernel.extents } else { extents });
            self.read.push(Read { buffer: *buffer, map, beside_stores });
        }
        Ok(())
    }

    fn within(
        &mut self,
        kernel: &Kernel,
        index: &Index,
        extents: &[u64],
        buffer: usize,
        guard: &Guard<'_>,
    ) -> Result<(), Violation> {
        let info = kernel.buffers.get(buffer).ok_or_else(|| fault(kernel, "names a buffer it lacks"))?;
        if extents.contains(&0) {
            return Ok(());
        }
        let inside = |low: i128, high: i128| low > high || (low >= 0 && high < i128::from(info.elements));
        let bounded = bounds(index, extents, &guard.known);
        if bounded.is_some_and(|(low, high)| inside(low, high)) {
            return Ok(());
        }
        self.from_memory |= bounded.is_none();
        // Under a guard the bounds may be too wide; an element that shows it decides.
        let outside = match bounded {
            Some((low, high)) if guard.known.is_empty() => Some(if low < 0 { low } else { high }),
            Some(_) if guard.complete => guard.escapes(index, extents, info.elements),
            _ => None,
        };
        self.trusted += usize::from(outside.is_none());
        need(outside.is_none(), Rule::Bounds, || {
            let at = outside.unwrap_or_default();
            format!("{} touches b{buffer}[{at}], which has {} elements", kernel.name, info.elements)
        })
    }
}

fn fault(kernel: &Kernel, what: &str) -> Violation {
    Violation::new(Rule::Bounds, format!("{} {what}", kernel.name))
}

impl Map {
    fn new(index: &Index, extents: &[u64]) -> Self {
        let mut map = Self { strides: vec![0; extents.len()], rest: Vec::new(), constant: i128::from(index.constant) };
        for (atom, by) in &index.terms {
            match atom {
                Atom::Var(at) if extents.get(*at as usize).is_some_and(|&extent| extent <= 1) => {}
                Atom::Var(at) if (*at as usize) < extents.len() => {
                    if let Some(stride) = map.strides.get_mut(*at as usize) {
                        *stride += i128::from(*by);
                    }
                }
                _ => map.rest.push((atom.clone(), *by)),
            }
        }
        map
    }

    /// Stride and rounds of the variables that have several.
    fn moving(&self, extents: &[u64]) -> Vec<(u128, u128)> {
        let pairs = self.strides.iter().zip(extents).filter(|(_, extent)| **extent > 1);
        let mut moving: Vec<(u128, u128)> =
            pairs.map(|(by, extent)| (by.unsigned_abs(), u128::from(*extent))).collect();
        moving.sort_unstable();
        moving
    }

    fn dense(&self, extents: &[u64], elements: u64, varying: &[bool]) -> bool {
        if extents.contains(&0) {
            return elements == 0;
        }
        let mut tiled = 1u128;
        for (stride, extent) in self.moving(extents) {
            if stride != tiled {
                return false;
            }
            tiled = tiled.saturating_mul(extent);
        }
        // An offset from memory, the same for all points, is in range by the program's own check: only 0 is.
        let least = if self.rest.is_empty() { self.least(extents) } else { 0 };
        tiled == u128::from(elements) && least == 0 && self.fixed(varying)
    }

    /// The least value over the box, of the affine part.
    fn least(&self, extents: &[u64]) -> i128 {
        let backwards = self.strides.iter().zip(extents).filter(|(by, _)| **by < 0);
        backwards.fold(self.constant, |low, (by, &extent)| low + by * (i128::from(extent) - 1))
    }

    /// Whether what is not affine is the same for all points.
    fn fixed(&self, varying: &[bool]) -> bool {
        self.rest.iter().all(|(atom, _)| match atom {
            Atom::Value(inst) => !varying.get(inst.0 as usize).copied().unwrap_or(true),
            Atom::Var(_) | Atom::Div(..) | Atom::Mod(..) => false,
        })
    }

    fn injective(&self, extents: &[u64], varying: &[bool]) -> bool {
        if extents.contains(&0) {
            return true;
        }
        let mut reach = 0u128;
        let apart = self.moving(extents).into_iter().all(|(stride, extent)| {
            let beyond = stride > reach;
            reach = reach.saturating_add(stride.saturating_mul(extent - 1));
            beyond
        });
        apart && self.fixed(varying)
    }
}

/// Per instruction, whether its value may differ from point to point.
fn varying(block: &Block) -> Vec<bool> {
    let mut varies: Vec<bool> = Vec::new();
    for inst in &block.insts {
        let of = |inst: &Inst| varies.get(inst.0 as usize).copied().unwrap_or(true);
        let differs = match &inst.kind {
            InstKind::Const(_) => false,
            InstKind::Load { index, guard, .. } => index_varies(index, &of) || guard.as_ref().is_some_and(of),
            InstKind::Index(index) => index_varies(index, &of),
            InstKind::Op(_, operands) => operands.iter().any(of),
            InstKind::Reduced => true,
        };
        varies.push(differs);
    }
    varies
}

fn index_varies(index: &Index, of: &dyn Fn(&Inst) -> bool) -> bool {
    index.terms.iter().any(|(atom, _)| match atom {
        Atom::Var(_) => true,
        Atom::Value(inst) => of(inst),
        Atom::Div(inner, _) | Atom::Mod(inner, _) => index_varies(inner, of),
    })
}

/// An expression with the least and the greatest value that a guard leaves it.
type Known<'a> = (&'a Index, i128, i128);

/// Beyond every index.
const FAR: i128 = 1 << 100;
/// Points at each end that are tried where bounds do not decide.
const TRIED: u64 = 4096;

/// What is true where a guard is.
struct Guard<'a> {
    known: Vec<Known<'a>>,
    /// And nothing else is needed for it to be true.
    complete: bool,
}

impl<'a> Guard<'a> {
    /// Always true.
    fn none() -> Self {
        Self { known: Vec::new(), complete: true }
    }

    fn new(block: &'a Block, guard: Inst) -> Self {
        let kind = |inst: Inst| block.insts.get(inst.0 as usize).map(|inst| &inst.kind);
        let unknown = Self { known: Vec::new(), complete: false };
        let Some(InstKind::Op(op, operands)) = kind(guard) else { return unknown };
        let &[a, b] = operands.as_slice() else { return unknown };
        let known = match (op.name().as_str(), kind(a), kind(b)) {
            ("and", ..) => {
                let (mut both, b) = (Self::new(block, a), Self::new(block, b));
                both.known.extend(b.known);
                return Self { complete: both.complete && b.complete, ..both };
            }
            ("le", Some(InstKind::Const(low)), Some(InstKind::Index(at))) => (at, i128::from(low.to_i64()), FAR),
            ("lt", Some(InstKind::Index(at)), Some(InstKind::Const(end))) => (at, -FAR, i128::from(end.to_i64()) - 1),
            _ => return unknown,
        };
        Self { known: vec![known], complete: true }
    }

    /// An element outside of the buffer that a point loads which passes the guard; the points at both ends are tried.
    fn escapes(&self, index: &Index, extents: &[u64], elements: u64) -> Option<i128> {
        let count = extents.iter().try_fold(1u64, |count, &extent| count.checked_mul(extent))?;
        let turns = (0..count.min(TRIED)).flat_map(|turn| [turn, count - 1 - turn]);
        turns.into_iter().find_map(|mut turn| {
            let mut point = vec![0i128; extents.len()];
            for (at, &extent) in point.iter_mut().zip(extents).rev() {
                *at = i128::from(turn % extent);
                turn /= extent;
            }
            let passes =
                |(about, low, high): &Known<'_>| value(about, &point).is_some_and(|at| (*low..=*high).contains(&at));
            let at = value(index, &point)?;
            (self.known.iter().all(passes) && !(0..i128::from(elements)).contains(&at)).then_some(at)
        })
    }
}

/// The value at one point; `None` where it comes from memory.
fn value(index: &Index, point: &[i128]) -> Option<i128> {
    index.terms.iter().try_fold(i128::from(index.constant), |sum, (atom, by)| {
        let atom = match atom {
            Atom::Var(at) => *point.get(*at as usize)?,
            Atom::Value(_) => return None,
            Atom::Div(inner, by) => value(inner, point)?.checked_div_euclid(i128::from(*by))?,
            Atom::Mod(inner, by) => value(inner, point)?.checked_rem_euclid(i128::from(*by))?,
        };
        sum.checked_add(atom.checked_mul(i128::from(*by))?)
    })
}

/// Least and greatest value over the part of the box in which all of `known` holds, both included; `None` where that
/// depends on memory. Of what is known, that is used which speaks of the whole expression or of one atom of it.
fn bounds(index: &Index, extents: &[u64], known: &[Known<'_>]) -> Option<(i128, i128)> {
    let (mut low, mut high) = (i128::from(index.constant), i128::from(index.constant));
    for (atom, by) in &index.terms {
        let (mut least, mut greatest) = match atom {
            // A variable that does not exist has no bounds.
            Atom::Var(at) => (0, i128::from(*extents.get(*at as usize)?) - 1),
            Atom::Value(_) => return None,
            Atom::Div(inner, by) => {
                let (low, high) = bounds(inner, extents, known)?;
                (low.checked_div_euclid(i128::from(*by))?, high.checked_div_euclid(i128::from(*by))?)
            }
            Atom::Mod(inner, by) => {
                let (low, high) = bounds(inner, extents, known)?;
                let by = i128::from(*by);
                if low.checked_div_euclid(by)? == high.checked_div_euclid(by)? {
                    (low.rem_euclid(by), high.rem_euclid(by))
                } else {
                    (0, by - 1)
                }
            }
        };
        for (about, from, to) in known {
            let [(one, by)] = about.terms.as_slice() else { continue };
            if one == atom {
                let (by, constant) = (i128::from(*by), i128::from(about.constant));
                // `from <= by * atom + constant <= to`, made one of a positive `by`.
                let ends = if by > 0 { (from - constant, to - constant) } else { (constant - to, constant - from) };
                least = least.max(-(-ends.0).checked_div_euclid(by.abs())?);
                greatest = greatest.min(ends.1.checked_div_euclid(by.abs())?);
            }
        }
        if least > greatest {
            return Some((0, -1));
        }
        let ends = [least.checked_mul(i128::from(*by))?, greatest.checked_mul(i128::from(*by))?];
        low = low.checked_add(ends[0].min(ends[1]))?;
        high = high.checked_add(ends[0].max(ends[1]))?;
    }
    for (about, from, to) in known {
        if *about == index {
            (low, high) = (low.max(*from), high.min(*to));
        }
    }
    Some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Every element that the map reaches, in the order of the points.
    fn reached(strides: &[i64], extents: &[u64], constant: i64) -> Vec<i64> {
        let mut all = vec![constant];
        for (by, extent) in strides.iter().zip(extents) {
            all = all.iter().flat_map(|at| (0..*extent as i64).map(move |turn| at + by * turn)).collect();
        }
        all
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

        /// The forms against plain enumeration: `dense` is exact, `injective` and the bounds err on one side only.
        #[test]
        fn maps_are_what_enumeration_says(
            axes in proptest::collection::vec((0u64..5, prop_oneof![-13i64..13, Just(1), Just(2), Just(3), Just(4), Just(6)]), 0..4),
            constant in prop_oneof![Just(0i64), -4i64..20],
            elements in prop_oneof![0u64..30, Just(u64::MAX)],
        ) {
            let extents: Vec<u64> = axes.iter().map(|axis| axis.0).collect();
            let strides: Vec<i64> = axes.iter().map(|axis| axis.1).collect();
            let all = reached(&strides, &extents, constant);
            // Often the very number of points, where density is decided by the strides.
            let elements = if elements == u64::MAX { all.len() as u64 } else { elements };
            let terms = strides.iter().enumerate().filter(|(_, by)| **by != 0);
            let index = Index { terms: terms.map(|(at, by)| (Atom::Var(at as u32), *by)).collect(), constant };
            let map = Map::new(&index, &extents);
            let distinct: BTreeSet<i64> = all.iter().copied().collect();
            let dense = distinct.len() == all.len() && distinct == (0..elements as i64).collect();
            prop_assert_eq!(map.dense(&extents, elements, &[]), dense);
            if map.injective(&extents, &[]) {
                prop_assert_eq!(distinct.len(), all.len());
            }
            if let (Some(least), Some(greatest)) = (distinct.first(), distinct.last()) {
                prop_assert_eq!(bounds(&index, &extents, &[]), Some((i128::from(*least), i128::from(*greatest))));
            }
        }
    }
}
