//! Who touched which byte: the bookkeeping that finds races.
//!
//! Blocks run one after the other and the warps of a block in turns, but the answer does not depend on that order: an
//! access conflicts with an earlier one when one of them writes and they are ordered by nothing but the simulator's own
//! schedule. Two threads of one block are ordered by a barrier between (the block's *epoch* counts barriers); threads of
//! different blocks by nothing within a launch.
//!
//! Invariant: a cell that stands for four bytes is only touched by accesses of all four; the first narrower access to
//! its page splits every cell of the page.

/// A thread in a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Who {
    /// The block.
    pub(crate) block: u32,
    /// The thread within it.
    pub(crate) thread: u32,
    /// Barriers that the block has passed.
    pub(crate) epoch: u32,
}

/// An earlier access that conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conflict {
    /// Who it was.
    pub(crate) who: Who,
    /// Whether it wrote.
    pub(crate) wrote: bool,
}

/// The latest accesses to one byte or four.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    /// 1 + the block that wrote last, or 0.
    written_by: u32,
    write: Stamp,
    /// 1 + the block that read last, or 0.
    read_by: u32,
    read: Stamp,
}

/// A thread and an epoch in 32 bits, so that a cell has 16 bytes: bits 0 to 9 the thread, bit 10 whether other threads
/// of the block did the same in this epoch, bit 11 whether another block did, from bit 12 the epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stamp(u32);

impl Stamp {
    const SHARED: u32 = 1 << 10;
    const FOREIGN: u32 = 1 << 11;

    fn of(who: Who) -> Self {
        // 2^20 epochs are more than the simulator's budget of instructions allows any test to reach.
        Self((who.thread & 0x3ff) | (who.epoch << 12))
    }

    fn thread(self) -> u32 {
        self.0 & 0x3ff
    }

    fn epoch(self) -> u32 {
        self.0 >> 12
    }

    fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }
}

impl Cell {
    /// The earlier write that is not ordered before `who`.
    #[inline]
    fn unordered_write(&self, who: Who) -> Option<Conflict> {
        if self.written_by == 0 {
            return None;
        }
        let block = self.written_by - 1;
        let (thread, epoch) = (self.write.thread(), self.write.epoch());
        let ordered = block == who.block && (thread == who.thread || epoch != who.epoch & 0xf_ffff);
        (!ordered).then_some(Conflict { who: Who { block, thread, epoch }, wrote: true })
    }

    /// The earlier read that is not ordered before a write by `who`.
    #[inline]
    fn unordered_read(&self, who: Who) -> Option<Conflict> {
        if self.read_by == 0 {
            return None;
        }
        let block = self.read_by - 1;
        let (thread, epoch) = (self.read.thread(), self.read.epoch());
        let alone = thread == who.thread && !self.read.has(Stamp::SHARED);
        let ordered = block == who.block && !self.read.has(Stamp::FOREIGN) && (alone || epoch != who.epoch & 0xf_ffff);
        (!ordered).then_some(Conflict { who: Who { block, thread, epoch }, wrote: false })
    }

    #[inline]
    fn note_read(&mut self, who: Who) {
        let mut stamp = Stamp::of(who);
        if self.read_by == who.block + 1 {
            let same_epoch = self.read.epoch() == stamp.epoch();
            if same_epoch && (self.read.thread() != who.thread || self.read.has(Stamp::SHARED)) {
                stamp.0 |= Stamp::SHARED;
            }
            stamp.0 |= self.read.0 & Stamp::FOREIGN;
        } else if self.read_by != 0 {
            stamp.0 |= Stamp::FOREIGN;
        }
        self.read_by = who.block + 1;
        self.read = stamp;
    }

    #[inline]
    fn note_write(&mut self, who: Who) {
        self.written_by = who.block + 1;
        self.write = Stamp::of(who);
    }
}

/// Bytes of a page.
const PAGE: usize = 4096;

/// The cells of a page: one per `1 << shift` bytes.
#[derive(Clone, Debug)]
struct Page {
    shift: u32,
    cells: Vec<Cell>,
}

impl Page {
    fn split(&mut self) {
        if self.shift == 2 {
            self.cells = self.cells.iter().flat_map(|cell| [*cell; 4]).collect();
            self.shift = 0;
        }
    }
}

/// The cells of a region, made as they are needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    pages: Vec<Option<Page>>,
}

impl Shadow {
    /// For a region of `bytes` bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self { pages: vec![None; bytes.div_ceil(PAGE)] }
    }

    /// Notes an access to `bytes` bytes at `at`, aligned to their number, and reports a conflict with an earlier one.
    #[inline]
    pub(crate) fn access(&mut self, who: Who, at: usize, bytes: usize, writes: bool) -> Option<Conflict> {
        let page =
            self.pages[at / PAGE].get_or_insert_with(|| Page { shift: 2, cells: vec![Cell::default(); PAGE / 4] });
        if bytes < 4 {
            page.split();
        }
        let first = (at % PAGE) >> page.shift;
        let count = bytes >> page.shift;
        for cell in &mut page.cells[first..first + count] {
            if let Some(conflict) = cell.unordered_write(who) {
                return Some(conflict);
            }
            if writes {
                if let Some(conflict) = cell.unordered_read(who) {
                    return Some(conflict);
                }
                cell.note_write(who);
            } else {
                cell.note_read(who);
            }
        }
        None
    }
}
