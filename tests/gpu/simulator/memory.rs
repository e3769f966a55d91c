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

    /// What is at an address now.
    pub(crate) fn contents(&self, base: u64) -> &[u8] {
        self.all.iter().find(|one| one.base == base).map_or(&[], |one| &one.bytes)
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
        let within = |one: &&mut Allocation| one.base <= address && address + size <= one.base + one.bytes.len() as u64;
        let found = self.all.iter_mut().find(within);
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
