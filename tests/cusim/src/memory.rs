//! Device memory: allocations at addresses of their own, with what was written of each.
//!
//! Invariant: an address is given out once and never again, and unused bytes lie between allocations, so that whatever
//! misses its allocation, even one freed long ago, is noticed.

use crate::fault::{FaultKind, Misuse};

/// Where the first allocation lies: no host pointer looks like it.
const FIRST: u64 = 0x0c0d_0000_0000;
/// Addresses are multiples of this, as a driver's are.
const ALIGN: u64 = 256;
/// Bytes that belong to nobody, at least, after each allocation.
const GAP: u64 = 64 << 10;
/// Bytes of a device when nothing else is said.
const LIMIT: u64 = 8 << 30;

/// One array of bytes: an allocation in device memory or an array in a block's shared memory.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    base: u64,
    bytes: Vec<u8>,
    /// A bit per byte: whether somebody wrote it.
    written: Vec<u64>,
}

impl Region {
    pub(crate) fn new(base: u64, bytes: usize) -> Self {
        Self { base, bytes: vec![0; bytes], written: vec![0; bytes.div_ceil(64)] }
    }

    pub(crate) fn base(&self) -> u64 {
        self.base
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets all that was written.
    pub(crate) fn reset(&mut self) {
        self.written.fill(0);
    }

    /// The `N`-or-fewer bytes at `at` as a number.
    #[inline]
    pub(crate) fn load(&self, at: usize, bytes: usize) -> u64 {
        let mut value = [0; 8];
        value[..bytes].copy_from_slice(&self.bytes[at..at + bytes]);
        u64::from_le_bytes(value)
    }

    /// Writes the low bytes of `value` at `at`.
    #[inline]
    pub(crate) fn store(&mut self, at: usize, bytes: usize, value: u64) {
        self.bytes[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }

    /// Whether all of `bytes` bytes from `at` were written.
    #[inline]
    pub(crate) fn is_written(&self, at: usize, bytes: usize) -> bool {
        let mut all = true;
        Self::words(at, bytes, |word, mask| all &= self.written[word] & mask == mask);
        all
    }

    /// Notes that they were, or that they are as good as never written.
    #[inline]
    pub(crate) fn mark(&mut self, at: usize, bytes: usize, written: bool) {
        Self::words(at, bytes, |word, mask| {
            if written {
                self.written[word] |= mask;
            } else {
                self.written[word] &= !mask;
            }
        });
    }

    /// The words of the bit map that hold `bytes` bits from `at`, each with its mask.
    #[inline]
    fn words(at: usize, bytes: usize, mut each: impl FnMut(usize, u64)) {
        let mut from = at;
        let end = at + bytes;
        while from < end {
            let low = from % 64;
            let count = (64 - low).min(end - from);
            each(from / 64, (u64::MAX >> (64 - count)) << low);
            from += count;
        }
    }

    /// The first byte of `bytes` from `at` that was never written.
    fn first_unwritten(&self, at: usize, bytes: usize) -> Option<usize> {
        if self.is_written(at, bytes) { None } else { (at..at + bytes).find(|&byte| !self.is_written(byte, 1)) }
    }
}

/// Regions by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Regions(pub(crate) Vec<Region>);

impl Regions {
    /// The region that holds all of `bytes` bytes at `address`, and where in it they lie. `hint` is the region that was
    /// found last.
    #[inline]
    pub(crate) fn locate(&self, address: u64, bytes: u64, hint: &mut usize) -> Option<(usize, usize)> {
        if let Some(at) = self.within(*hint, address, bytes) {
            return Some((*hint, at));
        }
        let above = self.0.partition_point(|region| region.base <= address);
        *hint = above.checked_sub(1)?;
        self.within(*hint, address, bytes).map(|at| (*hint, at))
    }

    #[inline]
    fn within(&self, index: usize, address: u64, bytes: u64) -> Option<usize> {
        let region = self.0.get(index)?;
        let at = address.checked_sub(region.base)?;
        let end = at.checked_add(bytes)?;
        (end <= region.bytes.len() as u64).then_some(at as usize)
    }
}

/// The memory of a device.
#[derive(Clone, Debug)]
pub struct Memory {
    pub(crate) live: Regions,
    /// Base and bytes of what was freed, by address.
    freed: Vec<(u64, u64)>,
    next: u64,
    used: u64,
    peak: u64,
    limit: u64,
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl Memory {
    /// An empty memory of 8 GiB.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(LIMIT)
    }

    /// An empty memory of `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: u64) -> Self {
        Self { live: Regions::default(), freed: Vec::new(), next: FIRST, used: 0, peak: 0, limit }
    }

    /// Bytes that are allocated now.
    #[must_use]
    pub fn used(&self) -> u64 {
        self.used
    }

    /// The most bytes that were ever allocated at once.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// Bytes that there are.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// How many allocations are live.
    #[must_use]
    pub fn allocations(&self) -> usize {
        self.live.0.len()
    }

    /// Allocates `bytes` bytes, which hold nothing yet. `None` when there are not so many left.
    pub fn alloc(&mut self, bytes: u64) -> Option<u64> {
        if bytes > self.limit - self.used {
            return None;
        }
        let base = self.next;
        self.live.0.push(Region::new(base, usize::try_from(bytes).ok()?));
        self.next = (base + bytes + GAP).next_multiple_of(ALIGN);
        self.used += bytes;
        self.peak = self.peak.max(self.used);
        Some(base)
    }

    /// Frees the allocation at `address`.
    pub fn free(&mut self, address: u64) -> Result<(), Misuse> {
        let Ok(index) = self.live.0.binary_search_by_key(&address, Region::base) else {
            return Err(self.outside("a free", address, 0));
        };
        let bytes = self.live.0.remove(index).len() as u64;
        let at = self.freed.partition_point(|(base, _)| *base < address);
        self.freed.insert(at, (address, bytes));
        self.used -= bytes;
        Ok(())
    }

    /// Writes `bytes` at `address`.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Misuse> {
        let (index, at) = self.range("a write from the host", address, bytes.len() as u64)?;
        let region = &mut self.live.0[index];
        region.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        region.mark(at, bytes.len(), true);
        Ok(())
    }

    /// Writes `count` bytes `byte` at `address`.
    pub fn fill(&mut self, address: u64, byte: u8, count: u64) -> Result<(), Misuse> {
        let (index, at) = self.range("a fill", address, count)?;
        let region = &mut self.live.0[index];
        region.bytes[at..at + count as usize].fill(byte);
        region.mark(at, count as usize, true);
        Ok(())
    }

    /// Reads what lies at `address`, all of which must have been written.
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), Misuse> {
        let (index, at) = self.range("a read by the host", address, into.len() as u64)?;
        let region = &self.live.0[index];
        if let Some(byte) = region.first_unwritten(at, into.len()) {
            let message = format!(
                "a read by the host at {address:#x}: byte {byte} of the allocation's {} was never written",
                region.len()
            );
            return Err(Misuse { kind: FaultKind::Uninitialised, message });
        }
        into.copy_from_slice(&region.bytes[at..at + into.len()]);
        Ok(())
    }

    /// Copies within the device; bytes that were never written stay so.
    pub fn copy(&mut self, to: u64, from: u64, bytes: u64) -> Result<(), Misuse> {
        let (source, source_at) = self.range("a copy's source", from, bytes)?;
        let (target, target_at) = self.range("a copy's target", to, bytes)?;
        let count = bytes as usize;
        if source == target && source_at.abs_diff(target_at) < count {
            let message = format!("a copy of {bytes} bytes from {from:#x} to {to:#x} overlaps itself");
            return Err(Misuse { kind: FaultKind::Race, message });
        }
        let region = &self.live.0[source];
        let data = region.bytes[source_at..source_at + count].to_vec();
        let unwritten: Vec<usize> = if region.is_written(source_at, count) {
            Vec::new()
        } else {
            (0..count).filter(|byte| !region.is_written(source_at + byte, 1)).collect()
        };
        let region = &mut self.live.0[target];
        region.bytes[target_at..target_at + count].copy_from_slice(&data);
        region.mark(target_at, count, true);
        for byte in unwritten {
            region.mark(target_at + byte, 1, false);
        }
        Ok(())
    }

    fn range(&self, what: &str, address: u64, bytes: u64) -> Result<(usize, usize), Misuse> {
        let mut nowhere = usize::MAX;
        self.live.locate(address, bytes, &mut nowhere).ok_or_else(|| self.outside(what, address, bytes))
    }

    fn outside(&self, what: &str, address: u64, bytes: u64) -> Misuse {
        let message = format!("{what} of {bytes} bytes at {address:#x}: {}", self.describe(address));
        Misuse { kind: FaultKind::OutOfBounds, message }
    }

    /// Where an address that misses lies, in words.
    pub(crate) fn describe(&self, address: u64) -> String {
        let freed = self.freed.partition_point(|(base, _)| *base <= address);
        if let Some((base, bytes)) = freed.checked_sub(1).and_then(|at| self.freed.get(at))
            && address < base + bytes.max(&1)
        {
            return format!("byte {} of an allocation of {bytes} bytes that was freed", address - base);
        }
        let above = self.live.0.partition_point(|region| region.base <= address);
        match above.checked_sub(1).and_then(|at| self.live.0.get(at)) {
            Some(region) if address - region.base < GAP + region.len() as u64 => {
                format!("byte {} of an allocation of {} bytes", address - region.base, region.len())
            }
            _ => "no allocation is near".to_owned(),
        }
    }
}
