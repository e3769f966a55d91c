//! A stand-in for a GPU: reads the PTX that arr writes and executes it thread by thread.
//!
//! It is strict about what hardware forgives: accesses out of bounds or misaligned, reads of registers that nothing has
//! written, two threads that touch one byte of which one writes, shuffles that not all lanes reach, registers of another
//! class than the instruction's. What it does not know it refuses when a module is loaded. It shares no code with the
//! writer or with any backend.

mod execute;
mod memory;
mod parse;

pub(crate) use memory::Memory;
pub(crate) use parse::Module;

/// Why a module is not loaded or a launch does not end well; with the line of PTX where there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault(pub(crate) String);

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
