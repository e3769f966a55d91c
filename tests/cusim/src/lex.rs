//! PTX text into words and marks.
//!
//! Invariant: comments and white space are all that is dropped, and each token knows its line.

use crate::fault::Refused;

/// A word (name, opcode, number) or a mark of one character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Word(String),
    Mark(char),
}

/// A token with its line.
pub(crate) type Placed = (Token, u32);

/// Cuts `text` into tokens.
pub(crate) fn tokens(text: &str) -> Result<Vec<Placed>, Refused> {
    let mut found = Vec::new();
    let mut line = 1;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let Some(end) = comment.find("*/") else {
                return Err(Refused { line, message: "a comment is not closed".to_owned() });
            };
            line += newlines(&comment[..end]);
            rest = &comment[end + 2..];
        } else if first.is_whitespace() {
            line += u32::from(first == '\n');
            rest = &rest[first.len_utf8()..];
        } else if belongs_to_word(first) {
            let end = rest.find(|c| !belongs_to_word(c)).unwrap_or(rest.len());
            found.push((Token::Word(rest[..end].to_owned()), line));
            rest = &rest[end..];
        } else if "@!{}[]()<>,;:+-|".contains(first) {
            found.push((Token::Mark(first), line));
            rest = &rest[1..];
        } else {
            return Err(Refused { line, message: format!("`{first}` is no part of PTX that is known here") });
        }
    }
    Ok(found)
}

fn belongs_to_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.$%".contains(c)
}

fn newlines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}
