//! The three kinds of error beside [`Diagnostic`](super::Diagnostic): while running, of the environment, our own.

use super::span::Span;

/// Something that failed while a statement ran; the statement has had no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Stable code, `R....`.
    pub code: &'static str,
    /// What happened, with the values that matter.
    pub message: String,
    /// The place in the program.
    pub span: Span,
    /// How to avoid it.
    pub help: Option<String>,
    /// The call chain: call sites from the outermost in.
    pub calls: Vec<Span>,
}

impl Fault {
    /// A fault at a place.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>, span: Span) -> Self {
        Self { code, message: message.into(), span, help: None, calls: Vec::new() }
    }

    /// With a help line.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Something the environment lacks: a file, a device, memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// What is missing.
    pub what: String,
    /// Why, as the system said it.
    pub why: String,
    /// What to try.
    pub hint: String,
}

/// An invariant of ours that does not hold: an internal error, to be reported as a bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The pass or room that noticed.
    pub pass: &'static str,
    /// The invariant.
    pub invariant: String,
}

impl Broken {
    /// Invariant `invariant`, noticed in `pass`.
    #[must_use]
    pub fn new(pass: &'static str, invariant: impl Into<String>) -> Self {
        Self { pass, invariant: invariant.into() }
    }
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "internal error in {}: {}", self.pass, self.invariant)
    }
}
