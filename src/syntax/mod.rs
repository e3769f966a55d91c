//! Text to tree: the lexer, the tree, the parser, the formatter. Knows nothing of later stages.

pub mod ast;
pub mod token;
pub mod parser;
