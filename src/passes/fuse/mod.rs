//! From whole arrays to loop nests: which values own a buffer, and the kernels that compute them.
//!
//! `y = reshape(x * 2.0, ...) + b` has one value that is stored (`y`) and one kernel, which pulls `x` and `b` through
//! index expressions. The result is a [`Draft`]: the steps in program order, every stored value in a slot of its own.
//! Where the slots lie, and which may be one buffer, is the matter of `passes::place`.
//! Invariant: each slot is written completely before it is read, and nothing is read after its slot is written again.

mod choose;
mod draft;
mod emit;
mod facts;
mod index;
mod kernel;
mod region;

pub use draft::{Draft, draft};
