//! What is wrong with the user's program, as plain data: a code, every place involved, a fix.
//!
//! Nothing here draws; `driver::render` does. The texts stand in one `diagnostics.rs` per room.

use super::span::Span;

/// A stable code such as `E0301`; `arr explain CODE` has a page for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub &'static str);

/// Whether the program is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// Refuses the program.
    Error,
    /// Lets it pass.
    Warning,
}

/// One place with what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What, in a few words.
    pub message: String,
}

/// One finding. The first label is the main place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// One line that says what is wrong.
    pub message: String,
    /// Every place involved, main place first.
    pub labels: Vec<Label>,
    /// Facts that belong to it but to no place.
    pub notes: Vec<String>,
    /// How to fix it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    #[must_use]
    pub fn error(code: &'static str, message: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Self {
            code: Code(code),
            severity: Severity::Error,
            message: message.into(),
            labels: vec![Label { span, message: label.into() }],
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning at `span`.
    #[must_use]
    pub fn warning(code: &'static str, message: impl Into<String>, span: Span, label: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message, span, label) }
    }

    /// Adds a further place.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the help line.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Whether it refuses the program.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
