//! Text to tree: the lexer, the layout, the tree, the parser, the formatter. Knows nothing of later stages.
//!
//! A text goes down in three steps: [`token`] cuts it into lexemes, `layout` groups those into statements and blocks
//! (the only place that knows what a newline and a brace mean), and [`parser`] runs the LR grammar of
//! `grammar/arr.lalrpop` over one statement at a time, so that a statement that is wrong costs only itself.
//!
//! Invariant: whatever the bytes, `parse` returns a tree no deeper than [`ast::MAX_DEPTH`]; the tree holds a
//! [`ast::StatementKind::Error`] exactly where an error was reported.

pub mod ast;
pub mod token;
mod layout;
mod build;
pub mod parser;
pub mod format;
pub mod dump;
mod diagnostics;

pub use dump::{dump_ast, dump_tokens};
pub use format::format;
pub use parser::{Parsed, is_complete, parse};
