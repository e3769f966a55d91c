//! Kernels on the CPU against an interpreter of the kernel IR: bit for bit, at the sizes where tails hide.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod interpreter;
#[path = "../passes/random.rs"]
mod random;
mod rig;

mod maps;
mod plans;
mod programs;
mod reductions;
mod scalars;
