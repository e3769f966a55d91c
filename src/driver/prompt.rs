//! The prompt without a terminal: takes a text, carries it out, says what there is to say.
//!
//! Invariant: a statement that is refused or fails leaves names and ledger as they were; what follows it in the same
//! text does not run; a printed value is not held.

use super::checked::Checked;
use super::failure::Failure;
use super::render::{self, Style};
use super::session::names::Slot;
use super::session::{Session, changes};
use crate::base::{Sources, bytes};
use crate::sema::builtins;
use crate::sema::elaborate::Scope;
use crate::sema::split::INSTRUMENTS;
use crate::syntax::ast::Block;
use std::rc::Rc;

/// Commands of the prompt, with what they do.
pub const COMMANDS: [(&str, &str); 5] = [
    (":help", "this list"),
    (":ledger", "every live array, its bytes, who holds it; and what the pool keeps"),
    (":why NAME", "who holds the arrays of NAME, and since which line"),
    (":names", "every name that is bound"),
    (":quit", "leave (Ctrl-D too)"),
];

/// Keywords, for completion.
pub const KEYWORDS: [&str; 16] = [
    "jit", "fn", "donate", "del", "for", "while", "in", "if", "else", "and", "or", "not", "true", "false", "bench",
    "assert",
];

/// A session at the prompt.
pub struct Prompt {
    /// Texts typed so far.
    pub sources: Sources,
    /// What they have done.
    pub session: Session,
    style: Style,
    lines: usize,
    /// Programs stay alive: their spans identify compiled code.
    programs: Vec<Rc<Block>>,
}

/// What to do after an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Read on.
    Read,
    /// Leave.
    Leave,
}

impl Prompt {
    /// A prompt over a session; `style` is how diagnostics are drawn.
    #[must_use]
    pub fn new(session: Session, style: Style) -> Self {
        Self { sources: Sources::default(), session, style, lines: 0, programs: Vec::new() }
    }

    /// Whether a text is complete, or more lines are to be read.
    #[must_use]
    pub fn is_complete(text: &str) -> bool {
        text.trim_start().starts_with(':') || crate::syntax::is_complete(text)
    }

    /// Everything that can be completed here.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words: Vec<String> = self.session.names().iter().map(ToString::to_string).collect();
        words.extend(builtins::all().map(|builtin| builtin.name.to_owned()));
        words.extend(INSTRUMENTS.map(str::to_owned));
        words.extend(KEYWORDS.map(str::to_owned));
        words.extend(COMMANDS.map(|(command, _)| command.split(' ').next().unwrap_or_default().to_owned()));
        words.sort();
        words.dedup();
        words
    }

    /// Carries out what was typed; `problem` takes diagnostics and failures.
    pub fn submit(&mut self, text: &str, problem: &mut dyn FnMut(&str)) -> Next {
        let command = text.trim();
        if command.starts_with(':') {
            return self.command(command, problem);
        }
        self.lines += 1;
        let name = format!("<prompt {}>", self.lines);
        self.carry_out(&name, text, problem)
    }

    /// Runs a file before the first input, as if it had been typed.
    pub fn load(&mut self, name: &str, text: &str, problem: &mut dyn FnMut(&str)) -> Next {
        self.carry_out(name, text, problem)
    }

    fn carry_out(&mut self, name: &str, text: &str, problem: &mut dyn FnMut(&str)) -> Next {
        let known = self.session.known();
        let checked = Checked::new(&mut self.sources, name, text, &known);
        let found = render::findings(&self.sources, &checked, self.style);
        if !found.is_empty() {
            problem(&found);
        }
        if !checked.accepted() {
            return Next::Read;
        }
        self.programs.push(checked.program.clone());
        for statement in &checked.program.statements {
            let before = self.session.ledger.clone();
            let done = self.session.shown(statement).and_then(|()| {
                let report = changes(&before, &self.session);
                self.session.print(&report)
            });
            match done {
                Ok(()) => {}
                Err(Failure::Closed) => return Next::Leave,
                Err(failure) => {
                    problem(&render::failure(&self.sources, &failure, self.style));
                    return Next::Read;
                }
            }
        }
        Next::Read
    }

    fn command(&mut self, command: &str, problem: &mut dyn FnMut(&str)) -> Next {
        let mut words = command.split_whitespace();
        let text = match (words.next(), words.next()) {
            (Some(":quit" | ":q" | ":exit"), _) => return Next::Leave,
            (Some(":help"), _) => COMMANDS.map(|(command, what)| format!("{command:<10} {what}")).join("\n"),
            (Some(":ledger"), _) => {
                let pooled = bytes::human(self.session.device.backend.pooled());
                format!("{}\npool: {pooled} kept for reuse", self.session.ledger.table())
            }
            (Some(":names"), _) => self.names(),
            (Some(":why"), Some(name)) => self.why(name),
            (Some(":why"), None) => "write :why NAME".to_owned(),
            _ => {
                problem(&format!("unknown command {command}; :help lists them\n"));
                return Next::Read;
            }
        };
        match self.session.print(&text) {
            Err(Failure::Closed) => Next::Leave,
            _ => Next::Read,
        }
    }

    fn names(&self) -> String {
        let globals = self.session.names.globals.names.iter();
        let bound = globals.filter(|(_, slot)| matches!(slot, Slot::Bound { .. }));
        let mut names: Vec<String> = bound.map(|(name, _)| name.to_string()).collect();
        names.sort();
        if names.is_empty() { "no names yet".to_owned() } else { names.join("  ") }
    }

    /// Who holds the buffers of a name, by which path, since when.
    fn why(&self, name: &str) -> String {
        let value = match self.session.names.find(name) {
            Some(Slot::Bound { value, .. }) => value,
            Some(Slot::Gone { at, how }) => return format!("{name} was {how} at {}", self.place(*at)),
            None => return format!("{name} is not bound"),
        };
        let mut lines = Vec::new();
        value.each_array(name, &mut |path, array| {
            if let Some(at) = array.given() {
                lines.push(format!("{path} was given away at {}", self.place(at)));
                return;
            }
            let Some(row) = self.session.ledger.rows().get(&array.id()) else { return };
            lines.push(format!("{path} is {} {}  {}", array.id(), row.contents, bytes::human(row.contents.bytes)));
            for holder in &row.holders {
                let holder = holder.to_string();
                let root = holder.split(['.', '[', ' ']).next().unwrap_or_default();
                match self.session.names.find(root) {
                    Some(Slot::Bound { since, .. }) if holder.starts_with(root) && !holder.contains(' ') => {
                        lines.push(format!("  held by {holder}, bound at {}", self.place(*since)));
                    }
                    _ => lines.push(format!("  held by {holder}")),
                }
            }
        });
        if lines.is_empty() { format!("{name} holds no array") } else { lines.join("\n") }
    }

    fn place(&self, span: crate::base::Span) -> String {
        let (line, _) = self.sources.line_column(span);
        let name = self.sources.get(span.source).map_or("?", |source| source.name.as_str());
        format!("{name}:{line}: {}", self.sources.text(span).lines().next().unwrap_or_default())
    }
}
