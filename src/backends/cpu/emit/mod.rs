//! Kernels as cranelift IR. Nothing is compiled or run here.
//!
//! One element or four neighbours are computed by the same code ([`lanes`], [`scalars`], [`casts`], [`halves`]);
//! [`access`] loads and stores them, [`block`] walks the instructions, and [`map`] and [`reduce`] make the loops.

pub(super) mod access;
pub(super) mod block;
mod casts;
mod halves;
pub(super) mod lanes;
pub(super) mod map;
mod nest;
pub(super) mod reduce;
mod scalars;
