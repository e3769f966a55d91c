//! Kernels as PTX text, written from the kernel IR by our own hand: no toolkit is needed, the driver compiles it.
//!
//! One entry per kernel. Its parameters are the buffers' addresses (`.u64` each, in the order of `Kernel::buffers`). A
//! map runs one thread per point, a reduction one warp per point, both in strides over the whole grid, so that any grid
//! is right. Blocks have [`BLOCK`] threads. Arithmetic is rounded to nearest (`.rn`) and never flushed or approximated,
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
use crate::ir::plan::{Plan, Step};

/// Threads per block.
pub const BLOCK: u32 = 256;
/// Blocks at most: more points than these reach are taken in strides.
pub const MOST_BLOCKS: u32 = 4096;

/// An entry with its launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name in the module.
    pub name: String,
    /// Blocks of [`BLOCK`] threads.
    pub blocks: u32,
    /// The PTX of the entry alone.
    pub text: String,
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

/// The entries of a plan: those of its kernels, in their order, then those of its other steps that compute, in the order
/// of the text. Loops, branches, copies, checks and exchanges of pointers are the host's.
#[must_use]
pub fn entries(plan: &Plan) -> Vec<Entry> {
    fn others(steps: &[Step], into: &mut Vec<Entry>) {
        for step in steps {
            match step {
                Step::For { body, .. } => others(body, into),
                Step::While { condition, body, .. } => {
                    others(condition, into);
                    others(body, into);
                }
                Step::If { then, otherwise, .. } => {
                    others(then, into);
                    others(otherwise, into);
                }
                step => into.extend(step_entry(step, &format!("step_{}", into.len()))),
            }
        }
    }
    let named = plan.kernels.iter().enumerate().map(|(at, kernel)| entry(kernel, &format!("{}_{at}", kernel.name)));
    let mut all: Vec<Entry> = named.collect();
    let mut steps = Vec::new();
    others(&plan.steps, &mut steps);
    all.extend(steps);
    all
}

/// The module of a plan, each kernel behind the kernel IR that it comes from.
#[must_use]
pub fn module(plan: &Plan) -> String {
    let mut text = HEAD.to_owned();
    for (at, entry) in entries(plan).iter().enumerate() {
        text.push('\n');
        if let Some(kernel) = plan.kernels.get(at) {
            kernel.to_string().lines().for_each(|line| text += &format!("// {line}\n"));
        }
        text += &entry.text;
    }
    text
}
