//! One way in which the program may have gone so far: what names mean, who holds which buffer, what is allocated.
//!
//! A world is what a session will be, without memory: handles, buffers, the ledger and the cache are numbers. Worlds
//! are plain data that can be copied where a condition is not known. Invariant: `allocated` is the sum over buffers
//! that some live handle refers to, whether a name, the cache or the [`World::stack`] of values under way holds it.

use super::program::bytes;
use crate::base::{Size, Span, Symbol};
use crate::ir::array::ArrayType;
use crate::ledger::{Amount, BufferId, Contents, Holder, Ledger};
use crate::proof::state::resized_host;
use crate::sema::value::{HostType, Value};
use crate::syntax::ast::Name;
use imbl::{OrdMap, OrdSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A handle: all clones of one array. It loses its buffer when the array is given away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub u64);

/// An array of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Its handle.
    pub handle: Handle,
    /// Its type.
    pub ty: ArrayType,
}

/// A value of a world.
pub type Predicted = Value<Array, HostType>;

/// What a handle refers to.
#[derive(Clone, Debug)]
pub struct Target {
    /// The buffer's identity in the ledger.
    pub buffer: BufferId,
    /// Its size.
    pub bytes: Size,
    /// Whether it still has the buffer.
    pub live: bool,
    /// Values that hold the handle: in names, in the cache, on the stack.
    pub count: u32,
}

/// What a name means.
#[derive(Clone, Debug)]
pub enum Slot {
    /// A value.
    Bound(Predicted),
    /// Dropped there.
    Gone(Span),
}

/// What the compiled programs of one function captured: one entry per different list of arrays.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Where the function is defined.
    pub function: Span,
    /// Its name.
    pub name: Name,
    /// The captured arrays, by handle, each with the identity of its buffer.
    pub originals: BTreeMap<Handle, BufferId>,
}

/// The most bytes that were allocated at once, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct Peak {
    /// All bytes.
    pub bytes: Size,
    /// Of these: live in the ledger.
    pub live: Size,
    /// Of these: the arena of the program that ran.
    pub arena: Size,
    /// The statement of the top level.
    pub statement: Span,
    /// The expression or call that needed it.
    pub at: Span,
    /// The ledger there.
    pub ledger: Ledger<Size>,
    /// The most that the bytes can be: themselves, or by the bounds that `assert`s had stated before.
    pub bound: Option<u64>,
}

/// One state of the predicted session.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Names by scope; 0 is the top level.
    pub names: OrdMap<(u32, Name), Slot>,
    /// The function of each running call.
    pub calls: Vec<Name>,
    /// Values under way, the latest last.
    pub stack: Vec<Predicted>,
    /// Named values of the expressions under way: the name, its scope, the place on the stack.
    pub temporaries: Vec<(Name, u32, usize)>,
    /// Handles that something holds.
    pub handles: OrdMap<Handle, Target>,
    /// Compiled programs that captured something.
    pub cache: OrdSet<Entry>,
    /// Constant copies by the buffer of their original.
    pub constants: OrdMap<BufferId, Array>,
    /// Who holds what.
    pub ledger: Ledger<Size>,
    /// Bytes that the device has handed out.
    pub allocated: Size,
    /// The highest points so far; several where sizes cannot be compared.
    pub peaks: Vec<Peak>,
    /// Buffers given away by the statement under way.
    pub donated: BTreeSet<BufferId>,
    /// Whether every condition so far was known.
    pub certain: bool,
    /// Whether every figure so far is that of the run, and not a bound.
    pub exact: bool,
    /// The greatest values of sizes that are not known, as `assert`s state them.
    pub bounds: OrdMap<Symbol, i64>,
    /// How often a name was taken for a size that is not known.
    pub symbols: OrdMap<Name, u32>,
    buffers: u64,
    next: u64,
}

impl World {
    /// The world in which nothing has happened yet.
    #[must_use]
    pub fn empty() -> Self {
        Self { certain: true, exact: true, ..Self::default() }
    }

    /// The innermost scope.
    #[must_use]
    pub fn frame(&self) -> u32 {
        u32::try_from(self.calls.len()).unwrap_or(u32::MAX)
    }

    /// What a name means here: a value under way, a local, a global.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Slot> {
        let at = |frame: u32| self.names.get(&(frame, Name::from(name)));
        at(self.frame()).or_else(|| at(0))
    }

    /// The value of a name.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Predicted> {
        let frame = self.frame();
        let under_way = self.temporaries.iter().rev().find(|(other, at, _)| *at == frame && other.as_ref() == name);
        if let Some((_, _, place)) = under_way {
            return self.stack.get(*place);
        }
        match self.find(name)? {
            Slot::Bound(value) => Some(value),
            Slot::Gone(_) => None,
        }
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// A fresh identity: the number that the session will give, as long as no round of a loop is skipped.
    pub fn identity(&mut self) -> BufferId {
        self.buffers += 1;
        BufferId(self.buffers)
    }

    /// A handle that nothing holds yet to a buffer; the caller accounts for its bytes.
    pub fn handle(&mut self, buffer: BufferId, bytes: Size) -> Handle {
        let handle = Handle(self.number());
        self.handles.insert(handle, Target { buffer, bytes, live: true, count: 0 });
        handle
    }

    /// What a handle refers to.
    #[must_use]
    pub fn target(&self, handle: Handle) -> Option<&Target> {
        self.handles.get(&handle)
    }

    /// One more value holds each handle of this one.
    pub fn keep(&mut self, value: &Predicted) {
        value.each_array("", &mut |_, array| {
            if let Some(target) = self.handles.get_mut(&array.handle) {
                target.count += 1;
            }
        });
    }

    /// One value less holds each handle of this one; a buffer without any is freed.
    pub fn discard(&mut self, value: &Predicted) {
        value.each_array("", &mut |_, array| self.loosen(array.handle));
    }

    /// One holder of a handle less.
    pub fn loosen(&mut self, handle: Handle) {
        let Some(target) = self.handles.get_mut(&handle) else { return };
        target.count = target.count.saturating_sub(1);
        if target.count == 0 {
            let (live, bytes) = (target.live, target.bytes.clone());
            self.handles.remove(&handle);
            if live {
                self.allocated = self.allocated.minus(&bytes);
            }
        }
    }

    /// Puts a value on the stack.
    pub fn push(&mut self, value: Predicted) {
        self.keep(&value);
        self.stack.push(value);
    }

    /// Takes the latest value off the stack; who gets it holds its handles.
    pub fn pop(&mut self) -> Predicted {
        self.stack.pop().unwrap_or(Value::Unit)
    }

    /// Drops the latest value.
    pub fn drop_top(&mut self) {
        let value = self.pop();
        self.discard(&value);
    }

    /// Drops what lies below the latest `under` values, `count` values.
    pub fn drop_under(&mut self, under: usize, count: usize) {
        let end = self.stack.len().saturating_sub(under);
        let gone: Vec<Predicted> = self.stack.drain(end.saturating_sub(count)..end).collect();
        gone.iter().for_each(|value| self.discard(value));
    }

    /// The handle loses its buffer, which the caller gets.
    pub fn take(&mut self, handle: Handle) -> Option<(BufferId, Size)> {
        let target = self.handles.get_mut(&handle)?;
        let taken = target.live.then(|| (target.buffer, target.bytes.clone()));
        target.live = false;
        taken
    }

    /// What the ledger lists for an array.
    #[must_use]
    pub fn contents(&self, array: &Array) -> Contents<Size> {
        let extents: Rc<[Size]> = array.ty.shape.0.as_slice().into();
        Contents { dtype: array.ty.dtype, extents, bytes: bytes(&array.ty) }
    }

    fn account(&mut self, name: &Name, value: &Predicted, hold: bool) {
        let depth = self.frame();
        let function = self.calls.last().cloned();
        let mut leaves = Vec::new();
        value.each_array(name, &mut |path, array| leaves.push((Rc::<str>::from(path), array.clone())));
        for (path, array) in leaves {
            let Some(target) = self.handles.get(&array.handle) else { continue };
            let id = target.buffer;
            let holder = match &function {
                Some(function) => Holder::Local { depth, function: function.clone(), path },
                None => Holder::Name(path),
            };
            if hold {
                let contents = self.contents(&array);
                self.ledger.hold(id, &contents, holder);
            } else {
                self.ledger.release(id, &holder);
            }
        }
    }

    /// Binds `name` in the innermost scope to the latest value; what it held is released.
    pub fn bind_top(&mut self, name: &Name) {
        let value = self.pop();
        self.release(name);
        self.account(name, &value, true);
        self.names.insert((self.frame(), name.clone()), Slot::Bound(value));
    }

    /// Binds `name` to a value that nothing holds yet.
    pub fn bind(&mut self, name: &Name, value: Predicted) {
        self.push(value);
        self.bind_top(name);
    }

    /// Releases what `name` holds in the innermost scope.
    pub fn release(&mut self, name: &Name) {
        if let Some(Slot::Bound(value)) = self.names.remove(&(self.frame(), name.clone())) {
            self.account(name, &value, false);
            self.discard(&value);
        }
    }

    /// Marks `name` as gone.
    pub fn gone(&mut self, name: &Name, at: Span) {
        self.release(name);
        self.names.insert((self.frame(), name.clone()), Slot::Gone(at));
    }

    /// Ends the innermost call; its names are dropped.
    pub fn leave(&mut self) {
        let frame = self.frame();
        let own = self.names.range((frame, Name::from(""))..).take_while(|((at, _), _)| *at == frame);
        let names: Vec<Name> = own.map(|((_, name), _)| name.clone()).collect();
        for name in names {
            self.release(&name);
            self.names.remove(&(frame, name));
        }
        self.calls.pop();
    }

    /// A size is known to be another one from here on: the run stops where it is not.
    pub fn assume(&mut self, symbol: &Symbol, with: &Size) {
        let resized = |value: &Predicted| {
            value.map(
                &mut |array| {
                    let ty = ArrayType::new(array.ty.dtype, array.ty.shape.replace(symbol, with));
                    Array { handle: array.handle, ty }
                },
                &mut |host| resized_host(host, symbol, with),
            )
        };
        let slot = |slot: &Slot| match slot {
            Slot::Bound(value) => Slot::Bound(resized(value)),
            gone => gone.clone(),
        };
        self.names = self.names.iter().map(|(name, old)| (name.clone(), slot(old))).collect();
        self.stack = self.stack.iter().map(resized).collect();
        let constant = |old: &Array| Array {
            handle: old.handle,
            ty: ArrayType::new(old.ty.dtype, old.ty.shape.replace(symbol, with)),
        };
        self.constants = self.constants.iter().map(|(id, old)| (*id, constant(old))).collect();
        let target = |old: &Target| Target { bytes: old.bytes.replace(symbol, with), ..old.clone() };
        self.handles = self.handles.iter().map(|(handle, old)| (*handle, target(old))).collect();
        self.ledger = self.ledger.map(&|size| size.replace(symbol, with));
        self.allocated = self.allocated.replace(symbol, with);
    }

    /// `bytes` more are allocated for the time of one run, `arena` of them for the arena: is that the highest point?
    pub fn high(&mut self, bytes: &Size, arena: &Size, statement: Span, at: Span) {
        let total = self.allocated.plus(bytes).plus(arena);
        let most = |symbol: &Symbol| self.bounds.get(symbol).map(|&most| Size::Known(most.max(0)));
        let bound = total.is_nonnegative().then(|| total.substitute(&most)?.known()).flatten();
        // The ledger is copied only for a new highest point.
        if self.peaks.iter().any(|peak| peak.covers(&total, bound)) {
            return;
        }
        let (live, ledger) = (self.ledger.bytes(), self.ledger.clone());
        self.add_peak(Peak { bytes: total, live, arena: arena.clone(), statement, at, ledger, bound });
    }

    fn add_peak(&mut self, peak: Peak) {
        if !self.peaks.iter().any(|own| own.covers(&peak.bytes, peak.bound)) {
            self.peaks.retain(|own| !peak.covers(&own.bytes, own.bound));
            self.peaks.push(peak);
        }
    }

    /// The highest points of both worlds.
    pub fn join_peaks(&mut self, other: &[Peak]) {
        other.iter().for_each(|peak| self.add_peak(peak.clone()));
    }
}

impl Peak {
    /// Whether it is at least as high for every size, and not bounded where the other is not.
    fn covers(&self, bytes: &Size, bound: Option<u64>) -> bool {
        let bounded = match (self.bound, bound) {
            (None, _) => true,
            (Some(own), Some(other)) => own >= other,
            (Some(_), None) => false,
        };
        bounded && at_least(&self.bytes, bytes)
    }
}

/// Whether `a >= b` for every size.
#[must_use]
pub fn at_least(a: &Size, b: &Size) -> bool {
    match (a, b) {
        (Size::Known(a), Size::Known(b)) => a >= b,
        _ => a.sub(b).is_some_and(|difference| difference.is_nonnegative()),
    }
}
