//! A text that was parsed and proved: what may run, and everything that was found.

use crate::base::{Broken, Diagnostic, SourceId, Sources};
use crate::proof::{self, Known};
use crate::syntax::ast::Block;
use crate::syntax::parse;
use std::rc::Rc;

/// The text as `arr fmt` writes it.
///
/// # Errors
/// What is wrong with its syntax.
pub fn formatted(sources: &mut Sources, name: &str, text: &str) -> Result<String, Vec<Diagnostic>> {
    sources.add(name, text);
    crate::syntax::format(text)
}

/// A program with its findings.
pub struct Checked {
    /// Where its text is.
    pub source: SourceId,
    /// The statements.
    pub program: Rc<Block>,
    /// Errors and warnings of all stages, syntax first.
    pub diagnostics: Vec<Diagnostic>,
    /// A bug of ours that the proof met; nothing may run.
    pub broken: Option<Broken>,
}

impl Checked {
    /// Parses and proves a text, given what a session has bound already.
    #[must_use]
    pub fn new(sources: &mut Sources, name: &str, text: &str, known: &[Known]) -> Self {
        let source = sources.add(name, text);
        let parsed = parse(source, text);
        let mut diagnostics = parsed.diagnostics;
        // What follows from a syntax error is not worth reporting.
        let mut broken = None;
        if !diagnostics.iter().any(Diagnostic::is_error) {
            let report = proof::check(&parsed.program, known);
            diagnostics.extend(report.diagnostics);
            broken = report.broken;
        }
        Self { source, program: Rc::new(parsed.program), diagnostics, broken }
    }

    /// Whether it may run.
    #[must_use]
    pub fn accepted(&self) -> bool {
        self.broken.is_none() && !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}
