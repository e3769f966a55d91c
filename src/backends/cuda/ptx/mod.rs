//! Kernels as PTX text, written from the kernel IR by our own hand: no toolkit is needed, the driver compiles it.
//!
//! A kernel becomes an [`Entry`]: one or more launches, whose parameters are addresses (`.u64` each). A
//! map runs one thread per point, a reduction one warp per point, both in strides over the whole grid, so that any grid
//! is right. Arithmetic is rounded to nearest (`.rn`) and never flushed or approximated,
//! and a reduction follows the tree of docs/reductions.md: lane `l` of the warp is lane `l` of the tree.
//! Invariant: the same bits as every other backend, a NaN's payload aside.
//!
//! Instructions used: `ld.param.u64`, `ld/st.global`, `mov`, `add sub mul.lo mad.lo div rem neg` of s32, u32, s64, u64,
//! `min max` of ints and floats, `and or xor not shl shr` of b32, b64 and pred, `setp`, `selp`, `cvt`, `clz.b64`, `add sub
//! mul div fma sqrt .rn` of f32 and f64, `shfl.sync.{down,idx}.b32`, `bra`, `ret`.

mod block;
mod casts;
mod fmod;
mod halves;
mod kernel;
mod scalars;
mod steps;
mod writer;

use crate::ir::kernel::Kernel;
use crate::ir::plan::Step;

/// Threads per block.
pub const BLOCK: u32 = 256;
/// Blocks at most: more points than these reach are taken in strides.
pub const MOST_BLOCKS: u32 = 4096;

/// What a kernel or a step becomes: one or more launches, done in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The PTX: an `.entry` per launch.
    pub text: String,
    /// What to launch.
    pub launches: Vec<Launch>,
    /// Bytes of device memory that the launches share while they run, contents undefined before and after.
    pub scratch: u64,
}

/// One launch. Any number of blocks gives the same result: work is taken in strides over the grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The `.entry`'s name in the module.
    pub name: String,
    /// Blocks that find work to do.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// The values of the parameters, all `.u64`.
    pub arguments: Vec<Argument>,
}

/// An address that an entry is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// The buffer of this position: of the kernel's, or of the step's (`a, b, out`; `from, out`; `target, index, updates`).
    Buffer(usize),
    /// This many bytes into the scratch memory (a multiple of 256).
    Scratch(u64),
}

impl Entry {
    /// One launch over all buffers, with blocks of [`BLOCK`] threads.
    fn single(name: &str, blocks: u32, buffers: usize, text: String) -> Self {
        let arguments = (0..buffers).map(Argument::Buffer).collect();
        let launch = Launch { name: name.to_owned(), blocks, threads: BLOCK, arguments };
        Self { text, launches: vec![launch], scratch: 0 }
    }
}

/// What stands at the head of a module: old enough for every driver since CUDA 11.8, new enough for all that is used.
pub const HEAD: &str = ".version 7.8\n.target sm_80\n.address_size 64\n";

/// The entry of one kernel, under this name.
#[must_use]
pub fn entry(kernel: &Kernel, name: &str) -> Entry {
    kernel::entry(kernel, name)
}

/// The entry of a product of matrices, a sum or sort along an axis, or a scatter; none for other steps.
#[must_use]
pub fn step_entry(step: &Step, name: &str) -> Option<Entry> {
    steps::entry(step, name)
}
