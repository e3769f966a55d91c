//! Host memory: buffers of 64-byte alignment, the pool of freed ones, and the raw pointers that a plan works through.
//!
//! Fresh pages cost more than arithmetic on them, so that freed memory is used again first. Invariant: `allocated` is
//! the sum of the sizes of living buffers, `pooled` what is kept beside them; a buffer never changes its address.

#![expect(unsafe_code, reason = "owns memory by address, and reads and writes it there")]

use crate::backends::Buffer;
use crate::base::Unavailable;
use crate::base::bytes::human;
use std::alloc::Layout;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Of every buffer; a cache line, and more than any vector load asks for.
const ALIGNMENT: usize = 64;
/// Bytes that the pool keeps at most.
const POOL_LIMIT: u64 = 1 << 30;

/// An address inside a buffer. Whether it may be read or written, and how far, is what the checked plan proves.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(super) struct Raw(*mut u8);

// SAFETY: an address may be known on any thread; what is done through it is divided among threads without overlap.
unsafe impl Send for Raw {}
// SAFETY: as above.
unsafe impl Sync for Raw {}

/// A number type whose every bit pattern is a value.
pub(super) trait Plain: Copy + Send + Sync {}
impl Plain for u8 {}
impl Plain for u16 {}
impl Plain for u32 {}
impl Plain for u64 {}
impl Plain for i32 {}
impl Plain for i64 {}
impl Plain for f32 {}
impl Plain for f64 {}

impl Raw {
    /// Points nowhere; no step may touch it.
    pub(super) const NOWHERE: Self = Self(std::ptr::without_provenance_mut(ALIGNMENT));

    /// The address of plain data that is only read.
    pub(super) fn of<T: Plain>(data: &T) -> Self {
        Self(std::ptr::from_ref(data).cast_mut().cast())
    }

    /// The address of numbers that are only read.
    pub(super) fn of_numbers<T: Plain>(data: &[T]) -> Self {
        Self(data.as_ptr().cast_mut().cast())
    }

    /// The address of numbers that are written.
    pub(super) fn of_numbers_mut<T: Plain>(data: &mut [T]) -> Self {
        Self(data.as_mut_ptr().cast())
    }

    /// So many bytes further on.
    pub(super) fn plus(self, bytes: u64) -> Self {
        Self(self.0.wrapping_add(bytes as usize))
    }

    /// `count` numbers from here on.
    pub(super) fn numbers<'a, T: Plain>(self, count: u64) -> &'a [T] {
        debug_assert!(self.0.cast::<T>().is_aligned(), "numbers lie at multiples of their size");
        // SAFETY: only `run` asks, for a slot of a plan that was proved: the slot has these bytes, nobody writes
        // them while the step reads, and the buffer is borrowed for the whole run.
        unsafe { std::slice::from_raw_parts(self.0.cast::<T>(), count as usize) }
    }

    /// `count` numbers from here on, to be written.
    pub(super) fn numbers_mut<'a, T: Plain>(self, count: u64) -> &'a mut [T] {
        debug_assert!(self.0.cast::<T>().is_aligned(), "numbers lie at multiples of their size");
        // SAFETY: as in `numbers`; the step that writes is the only one running, its operands do not overlap its
        // result (the plan's checker), and blocks of one step are disjoint.
        unsafe { std::slice::from_raw_parts_mut(self.0.cast::<T>(), count as usize) }
    }

    /// The address itself, for machine code.
    pub(super) fn address(self) -> *mut u8 {
        self.0
    }
}

/// Freed memory by size, and the counters.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Size class -> freed blocks with the time of freeing, oldest first.
    free: RefCell<BTreeMap<usize, Vec<(u64, Raw)>>>,
    clock: Cell<u64>,
    allocated: Cell<u64>,
    pooled: Cell<u64>,
    /// Bytes of memory that the machine has.
    limit: u64,
}

impl Pool {
    /// Empty; refuses what the machine cannot hold.
    pub(super) fn new() -> Rc<Self> {
        let mut pool = Self::default();
        pool.limit = machine_memory();
        Rc::new(pool)
    }

    pub(super) fn allocated(&self) -> u64 {
        self.allocated.get()
    }

    pub(super) fn pooled(&self) -> u64 {
        self.pooled.get()
    }

    /// A buffer of this size, contents undefined.
    pub(super) fn allocate(self: &Rc<Self>, bytes: u64) -> Result<HostBuffer, Unavailable> {
        let refused = |why: String| Unavailable {
            what: format!("{} of memory", human(bytes)),
            why,
            hint: "use smaller arrays, or release some first".into(),
        };
        let total = self.allocated.get().checked_add(bytes).filter(|&total| total <= self.limit);
        if total.is_none() {
            let held = human(self.allocated.get());
            return Err(refused(format!("the machine has {}, and {held} are in use", human(self.limit))));
        }
        let layout = layout(bytes).ok_or_else(|| refused("no address space is that large".into()))?;
        let raw = match layout {
            None => Raw::NOWHERE,
            Some(layout) => {
                let found = self.take(layout.size()).or_else(|| acquire(layout));
                let found = found.or_else(|| {
                    self.release_all();
                    acquire(layout)
                });
                found.ok_or_else(|| refused("the system has no more".into()))?
            }
        };
        self.allocated.set(self.allocated.get() + bytes);
        Ok(HostBuffer { raw, bytes, pool: Rc::clone(self) })
    }

    fn take(&self, size: usize) -> Option<Raw> {
        let mut free = self.free.borrow_mut();
        let (_, raw) = free.get_mut(&size)?.pop()?;
        self.pooled.set(self.pooled.get() - size as u64);
        Some(raw)
    }

    fn give(&self, layout: Layout, raw: Raw) {
        if layout.size() as u64 > POOL_LIMIT {
            release(layout, raw);
            return;
        }
        let now = self.clock.get() + 1;
        self.clock.set(now);
        let mut free = self.free.borrow_mut();
        self.pooled.set(self.pooled.get() + layout.size() as u64);
        free.entry(layout.size()).or_default().push((now, raw));
        while self.pooled.get() > POOL_LIMIT {
            // The block that has waited longest goes.
            let oldest = free.iter().filter_map(|(&size, blocks)| Some((blocks.first()?.0, size))).min();
            let Some((_, size)) = oldest else { return };
            let Some(blocks) = free.get_mut(&size) else { return };
            let (_, raw) = blocks.remove(0);
            self.pooled.set(self.pooled.get() - size as u64);
            if let Some(layout) = aligned(size) {
                release(layout, raw);
            }
        }
    }

    fn release_all(&self) {
        for (size, blocks) in std::mem::take(&mut *self.free.borrow_mut()) {
            for (_, raw) in blocks {
                self.pooled.set(self.pooled.get() - size as u64);
                if let Some(layout) = aligned(size) {
                    release(layout, raw);
                }
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.release_all();
    }
}

/// How a buffer lies in memory: `Some(None)` for no bytes, `None` when there is no such layout.
fn layout(bytes: u64) -> Option<Option<Layout>> {
    if bytes == 0 {
        return Some(None);
    }
    let size = usize::try_from(bytes).ok()?.checked_next_multiple_of(ALIGNMENT)?;
    aligned(size).map(Some)
}

fn aligned(size: usize) -> Option<Layout> {
    Layout::from_size_align(size, ALIGNMENT).ok()
}

fn acquire(layout: Layout) -> Option<Raw> {
    // SAFETY: layouts come from `layout`, which makes none of size 0.
    let address = unsafe { std::alloc::alloc(layout) };
    if address.is_null() { None } else { Some(Raw(address)) }
}

fn release(layout: Layout, raw: Raw) {
    // SAFETY: `raw` is from `acquire` with a layout of this size, and its owner (a buffer or the pool) lets go of it.
    unsafe { std::alloc::dealloc(raw.0, layout) }
}

/// `MemTotal`, or no limit where the system does not tell.
fn machine_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kilobytes = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.and_then(|kilobytes| kilobytes.checked_mul(1024)).unwrap_or(u64::MAX)
}

/// The memory of one array.
#[derive(Debug)]
pub(super) struct HostBuffer {
    raw: Raw,
    bytes: u64,
    pool: Rc<Pool>,
}

impl HostBuffer {
    /// Its address; valid as long as the buffer.
    pub(super) fn raw(&self) -> Raw {
        self.raw
    }

    fn part(&self, offset: u64, length: usize) -> Option<Raw> {
        let end = offset.checked_add(length as u64)?;
        let inside = end <= self.bytes;
        debug_assert!(inside, "{length} bytes at {offset} of {}", self.bytes);
        inside.then(|| self.raw.plus(offset))
    }
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        self.pool.allocated.set(self.pool.allocated.get() - self.bytes);
        if let Some(Some(layout)) = layout(self.bytes) {
            self.pool.give(layout, self.raw);
        }
    }
}

impl Buffer for HostBuffer {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&self, offset: u64, into: &mut [u8]) {
        if let Some(part) = self.part(offset, into.len()) {
            // SAFETY: `part` has checked the range, and `into` is exclusive, hence elsewhere.
            unsafe { std::ptr::copy_nonoverlapping(part.0, into.as_mut_ptr(), into.len()) }
        }
    }

    fn write(&self, offset: u64, from: &[u8]) {
        if let Some(part) = self.part(offset, from.len()) {
            // SAFETY: `part` has checked the range; `from` is borrowed by safe code, which never borrows a buffer.
            unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), part.0, from.len()) }
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Copies between places that do not overlap.
pub(super) fn copy(from: Raw, to: Raw, bytes: u64) {
    // SAFETY: the plan's checker has proved that both slots have these bytes and do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(from.0, to.0, bytes as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_memory_is_used_again_and_counted() {
        let pool = Pool::new();
        let first = pool.allocate(1000).expect("small");
        let address = first.raw().address();
        assert!(address.addr().is_multiple_of(ALIGNMENT));
        assert_eq!((pool.allocated(), pool.pooled()), (1000, 0));
        drop(first);
        assert_eq!((pool.allocated(), pool.pooled()), (0, 1024));
        let second = pool.allocate(1024).expect("small");
        assert_eq!(second.raw().address(), address);
        assert_eq!((pool.allocated(), pool.pooled()), (1024, 0));
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let pool = Pool::new();
        for bytes in [u64::MAX, i64::MAX as u64, 1 << 60, pool.limit.saturating_add(1)] {
            assert!(pool.allocate(bytes).is_err(), "{bytes}");
        }
        assert_eq!(pool.allocated(), 0);
        let none = pool.allocate(0).expect("nothing");
        none.write(0, &[]);
        none.read(0, &mut []);
        assert_eq!(pool.pooled(), 0);
    }
}
