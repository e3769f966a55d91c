//! The tokens of the IR's text, each with its line.

use std::fmt::{self, Display, Formatter};

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// `program`, `cast.f32`, `n`.
    Word(String),
    /// `%name`, without the sign.
    Value(String),
    /// `12`, `0.5`, `1e-45`, `0x7f`.
    Number(String),
    /// Text between quotes, escapes resolved.
    String(String),
    /// Punctuation.
    Symbol(&'static str),
}

impl Display for Token {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(text) | Self::Number(text) => write!(f, "`{text}`"),
            Self::Value(name) => write!(f, "`%{name}`"),
            Self::String(text) => write!(f, "{text:?}"),
            Self::Symbol(symbol) => write!(f, "`{symbol}`"),
        }
    }
}

/// Longer ones first.
const SYMBOLS: [&str; 14] = ["**", "*", "(", ")", "[", "]", "{", "}", "|", ",", ":", "=", "+", ">"];

/// All tokens of a text.
pub(super) fn scan(text: &str) -> Result<Vec<(Token, usize)>, String> {
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = text;
    // Inside brackets stand sizes, whose symbols may be named by an expression: `((n) // 2)`, `len((n)[1:m:2])`.
    let mut brackets = 0usize;
    while let Some(first) = rest.chars().next() {
        let token = match first {
            '\n' => {
                line += 1;
                rest = rest.get(1..).unwrap_or("");
                continue;
            }
            _ if first.is_whitespace() => {
                rest = rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
                continue;
            }
            '#' => {
                rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or("");
                continue;
            }
            '"' => {
                let (text, after) = string(rest.get(1..).unwrap_or("")).ok_or(format!("line {line}: open string"))?;
                line += rest.matches('\n').count() - after.matches('\n').count();
                rest = after;
                Token::String(text)
            }
            '%' => Token::Value(take(&mut rest, 1, |c, _| c.is_alphanumeric() || c == '_')),
            _ if first.is_ascii_digit() => {
                // A sign belongs to the number behind an exponent only: `1e-45`, but `n - 1`.
                let hex = rest.starts_with("0x");
                Token::Number(take(&mut rest, 0, |c, before| {
                    c.is_ascii_alphanumeric() || c == '.' || (!hex && c == '-' && before == 'e')
                }))
            }
            '(' if brackets > 0 => Token::Word(balanced(&mut rest)),
            _ if first.is_alphabetic() || first == '_' => {
                let mut word = take(&mut rest, 0, |c, _| c.is_alphanumeric() || matches!(c, '_' | '.' | '@'));
                if brackets > 0 && rest.starts_with('(') {
                    word.push_str(&balanced(&mut rest));
                }
                Token::Word(word)
            }
            '-' => {
                rest = rest.get(1..).unwrap_or("");
                Token::Symbol("-")
            }
            _ => {
                let symbol = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol));
                let symbol = symbol.ok_or_else(|| format!("line {line}: `{first}` begins nothing"))?;
                rest = rest.get(symbol.len()..).unwrap_or("");
                match symbol {
                    "[" => brackets += 1,
                    "]" => brackets = brackets.saturating_sub(1),
                    _ => {}
                }
                Token::Symbol(symbol)
            }
        };
        tokens.push((token, line));
    }
    Ok(tokens)
}

/// Cuts off the characters that `belongs` accepts (given the one before), leaving out the first `skip`.
fn take(rest: &mut &str, skip: usize, belongs: impl Fn(char, char) -> bool) -> String {
    let body = rest.get(skip..).unwrap_or("");
    let mut before = ' ';
    let end = body.char_indices().find(|&(_, c)| {
        let ends = !belongs(c, before);
        before = c;
        ends
    });
    let (text, after) = body.split_at(end.map_or(body.len(), |(at, _)| at));
    *rest = after;
    text.to_owned()
}

/// Cuts off a parenthesis with all that it holds.
fn balanced(rest: &mut &str) -> String {
    let mut depth = 0usize;
    let end = rest.char_indices().find(|&(_, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    let (text, after) = rest.split_at(end.map_or(rest.len(), |(at, c)| at + c.len_utf8()));
    *rest = after;
    text.to_owned()
}

/// The text up to the closing quote, and what is behind it.
fn string(body: &str) -> Option<(String, &str)> {
    let mut text = String::new();
    let mut chars = body.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((text, body.get(at + 1..)?)),
            '\\' => match chars.next()?.1 {
                'n' => text.push('\n'),
                other => text.push(other),
            },
            c => text.push(c),
        }
    }
    None
}
