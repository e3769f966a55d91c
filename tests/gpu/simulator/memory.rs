//! Global memory: allocations with gaps, and who touched which byte since a launch began.

use super::Fault;

/// Bytes between allocations that belong to nobody.
const GAP: u64 = 4096;
/// Nobody has touched the byte.
const NOBODY: u32 = 0;
/// More than one has.
const MANY: u32 = u32::MAX;

struct Allocation {
    base: u64,
    bytes: Vec<u8>,
    /// Per byte: nobody, many, or one more than the number of who read it, and who wrote it.
    readers: Vec<u32>,
    writers: Vec<u32>,
}

impl Allocation {
    fn holds(&self, address: u64, size: u64) -> bool {
        self.base <= address && address + size <= self.base + self.bytes.len() as u64
    }
}

/// All allocations.
#[derive(Default)]
pub(crate) struct Memory {
    all: Vec<Allocation>,
    next: u64,
}

impl Memory {
    /// A new allocation with these bytes; its address.
    pub(crate) fn allocate(&mut self, bytes: &[u8]) -> u64 {
        self.next = (self.next + GAP).next_multiple_of(256);
        let base = self.next;
        self.next += bytes.len() as u64;
        let nobody = vec![NOBODY; bytes.len()];
        self.all.push(Allocation { base, bytes: bytes.to_vec(), readers: nobody.clone(), writers: nobody });
        base
    }

    /// Copies bytes from the host.
    pub(crate) fn write(&mut self, address: u64, bytes: &[u8]) {
        if let Some(one) = self.all.iter_mut().find(|one| one.holds(address, bytes.len() as u64)) {
            let at = (address - one.base) as usize;
            one.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        }
    }

    /// Copies bytes to the host.
    pub(crate) fn read(&self, address: u64, into: &mut [u8]) {
        if let Some(one) = self.all.iter().find(|one| one.holds(address, into.len() as u64)) {
            let at = (address - one.base) as usize;
            into.copy_from_slice(&one.bytes[at..at + into.len()]);
        }
    }

    /// Gives an allocation back.
    pub(crate) fn free(&mut self, base: u64) {
        self.all.retain(|one| one.base != base);
    }

    /// A launch begins.
    pub(crate) fn begin(&mut self) {
        for one in &mut self.all {
            one.readers.fill(NOBODY);
            one.writers.fill(NOBODY);
        }
    }

    fn find(&mut self, address: u64, size: u64) -> Result<(&mut Allocation, usize), Fault> {
        if !address.is_multiple_of(size) {
            return Err(Fault(format!("address {address:#x} is not a multiple of {size}")));
        }
        let found = self.all.iter_mut().find(|one| one.holds(address, size));
        let one = found.ok_or_else(|| Fault(format!("{size} B at {address:#x} are in no allocation")))?;
        let at = (address - one.base) as usize;
        Ok((one, at))
    }

    /// Reads `size` bytes for thread (or warp) `who`.
    pub(crate) fn load(&mut self, address: u64, size: u64, who: u32) -> Result<u64, Fault> {
        let (one, at) = self.find(address, size)?;
        let mut bits = 0;
        for byte in (at..at + size as usize).rev() {
            if ![NOBODY, who + 1].contains(&one.writers[byte]) {
                return Err(Fault(format!(
                    "a race: {address:#x} is read by {who} and written by {}",
                    one.writers[byte] - 1
                )));
            }
            let reader = &mut one.readers[byte];
            *reader = if [NOBODY, who + 1].contains(reader) { who + 1 } else { MANY };
            bits = bits << 8 | u64::from(one.bytes[byte]);
        }
        Ok(bits)
    }

    /// Writes `size` bytes.
    pub(crate) fn store(&mut self, address: u64, size: u64, bits: u64, who: u32) -> Result<(), Fault> {
        let (one, at) = self.find(address, size)?;
        for (k, byte) in (at..at + size as usize).enumerate() {
            for touched in [one.readers[byte], one.writers[byte]] {
                if ![NOBODY, who + 1].contains(&touched) {
                    return Err(Fault(format!("a race: {address:#x} is written by {who} and touched by another")));
                }
            }
            one.writers[byte] = who + 1;
            one.bytes[byte] = (bits >> (8 * k)) as u8;
        }
        Ok(())
    }
}
