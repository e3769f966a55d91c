//! Kernels on the CPU against an interpreter of the kernel IR: bit for bit, at the sizes where tails hide.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod interpreter;
mod rig;

mod maps;
mod plans;
mod reductions;
mod scalars;
mod speed;
