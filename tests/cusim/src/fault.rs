//! The ways in which a module is refused and a launch goes wrong.
//!
//! Invariant: every fault names the kernel, the line of the PTX, the block and the thread; nothing is forgiven and
//! carried on from.

use std::fmt;

/// Why a text is not loaded: it is no PTX, or it is PTX that the simulator does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Line of the text, from 1.
    pub line: u32,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "PTX line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Refused {}

/// What kind of wrong a launch did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No such entry, or sizes or parameters that no device takes.
    Configuration,
    /// An access outside of every live allocation, or across the end of one.
    OutOfBounds,
    /// An address that is no multiple of the width of the access.
    Misaligned,
    /// A register or a byte is read that nobody wrote.
    Uninitialised,
    /// Two threads touch a byte, one of them writes, and nothing orders them.
    Race,
    /// Threads of a block wait at different barriers, or some wait that the others never reach.
    Barrier,
    /// A shuffle whose threads are not those that its mask names.
    Shuffle,
    /// `bra.uni` of which threads of a warp went two ways.
    Diverged,
    /// The kernel said `trap`.
    Trap,
    /// More instructions than any kernel of a test should need.
    Endless,
}

/// A launch that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What kind.
    pub kind: FaultKind,
    /// The entry.
    pub kernel: String,
    /// Line of the PTX, from 1; 0 when the launch itself is wrong.
    pub line: u32,
    /// That line.
    pub text: String,
    /// `%ctaid.x`.
    pub block: u32,
    /// `%tid.x`.
    pub thread: u32,
    /// What happened.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, line, text, block, thread, message, .. } = self;
        if *line == 0 {
            return write!(out, "kernel `{kernel}`: {message}");
        }
        write!(out, "kernel `{kernel}`, PTX line {line} `{text}`, block {block}, thread {thread}: {message}")
    }
}

impl std::error::Error for Fault {}

/// A host access to device memory that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misuse {
    /// What kind.
    pub kind: FaultKind,
    /// What happened.
    pub message: String,
}

impl fmt::Display for Misuse {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Misuse {}
