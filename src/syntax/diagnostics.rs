//! The texts of everything that can be wrong with a program's form.
//!
//! | code | meaning |
//! |---|---|
//! | E0101 | a character that begins no token |
//! | E0102 | a string that does not end on its line |
//! | E0103 | an escape in a string that is none of `\n \t \" \\` |
//! | E0104 | an integer literal above 9223372036854775807 |
//! | E0105 | a malformed number |
//! | E0106 | a syntax error: something else was expected here |
//! | E0107 | a bracket that is never closed |
//! | E0108 | a bracket closed by one of another kind |
//! | E0109 | a closing bracket that closes nothing |
//! | E0110 | a chained comparison |
//! | E0111 | nested too deeply |
//! | E0112 | something that cannot be assigned to |
//! | E0113 | an array type of a dtype that does not exist |
//! | E0114 | an `if` used as a value without `else` |
//! | E0115 | a positional argument behind a named one |
//! | E0116 | a type annotation on something else than one name |
//! | E0117 | a text of more than 4 GiB |

use super::ast::{BinaryOp, ExprKind, Ident, MAX_DEPTH};
use super::token::{LexError, Lexeme, Token};
use crate::base::{Code, DType, Diagnostic, SourceId, Span};

pub(super) fn lexical(source: SourceId, text: &str, error: LexError, start: usize, end: usize) -> Diagnostic {
    let span = Span::new(source, start, end);
    let piece = text.get(start..end).unwrap_or("");
    match error {
        LexError::UnexpectedCharacter => {
            let short: String = piece.chars().take(20).flat_map(shown).collect();
            let finding = Diagnostic::error("E0101", format!("`{short}` has no meaning here"), span, "begins no token");
            match piece.chars().next() {
                Some('!') => finding.help("write `not` for negation, and `!=` for unequal"),
                Some('\'') => finding.help("strings stand in double quotes: \"...\""),
                Some('\\') => finding.help("a line goes on by itself after an operator, a comma or an open bracket"),
                _ => finding,
            }
        }
        LexError::UnterminatedString => {
            Diagnostic::error("E0102", "this string does not end on its line", span, "no closing `\"` follows")
                .help("close it with `\"`, and write a line break in a string as `\\n`")
        }
        LexError::UnknownEscape => {
            let at = super::token::unescape(piece).err().unwrap_or(0);
            let bad = piece.get(at..).and_then(|rest| rest.chars().nth(1)).map_or(1, char::len_utf8);
            let place = Span::new(source, start + at, start + at + 1 + bad);
            let shown = text.get(place.start as usize..place.end as usize).unwrap_or("\\");
            Diagnostic::error("E0103", format!("`{shown}` is no escape"), place, "in this string")
                .help("the escapes are `\\n`, `\\t`, `\\\"` and `\\\\`; write a backslash as `\\\\`")
        }
        LexError::IntTooLarge => {
            Diagnostic::error("E0104", "this integer is too large", span, format!("above {}", i64::MAX))
                .help("write it as a float, for example with `.0` at its end")
        }
        LexError::MalformedNumber => {
            let finding = Diagnostic::error("E0105", format!("`{piece}` is not a number"), span, "malformed number");
            if piece.starts_with('0') && piece.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
                return finding
                    .help(format!("leave out the leading zeros: `{}`", piece.trim_start_matches(['0', '_'])));
            }
            finding.help("numbers are decimal: `2048`, `1_000_000`, `0.99`, `1e-8`")
        }
    }
}

/// A syntax error: `expected` in words, `found` as it stands in the text.
pub(super) fn unexpected(span: Span, found: &str, expected: &str) -> Diagnostic {
    Diagnostic::error("E0106", format!("expected {expected}, found {found}"), span, format!("expected {expected}"))
}

/// A statement that ends too early; `span` is its last token.
pub(super) fn ends_early(span: Span, expected: &str) -> Diagnostic {
    let message = format!("the statement ends where {expected} was expected");
    Diagnostic::error("E0106", message, span, format!("expected {expected} after this"))
}

pub(super) fn unclosed(source: SourceId, opened: Lexeme, last: Option<Lexeme>) -> Diagnostic {
    let (this, needed) = (bracket(opened.token), partner(opened.token));
    let finding = Diagnostic::error("E0107", format!("`{this}` is never closed"), opened.span(source), "opened here");
    let finding = finding.help(format!("add the missing `{needed}`"));
    if let Some(last) = last
        && last.start > opened.start
    {
        return finding.label(last.span(source), format!("`{needed}` is missing after this"));
    }
    finding
}

pub(super) fn mismatched(source: SourceId, opened: Lexeme, closing: Lexeme) -> Diagnostic {
    let (this, other, needed) = (bracket(opened.token), bracket(closing.token), partner(opened.token));
    let message = format!("`{this}` is closed by `{other}`");
    Diagnostic::error("E0108", message, closing.span(source), format!("expected `{needed}` before this"))
        .label(opened.span(source), "opened here")
        .help(format!("add the missing `{needed}`"))
}

pub(super) fn unmatched(source: SourceId, closing: Lexeme, inside: Option<Lexeme>) -> Diagnostic {
    if let Some(opened) = inside {
        return mismatched(source, opened, closing);
    }
    let this = bracket(closing.token);
    Diagnostic::error("E0109", format!("`{this}` closes nothing"), closing.span(source), "no bracket is open here")
        .help(format!("remove it, or add the missing `{}`", partner(closing.token)))
}

pub(super) fn chained(span: Span, with_and: &str) -> Diagnostic {
    Diagnostic::error("E0110", "comparisons cannot be chained", span, "more than one comparison")
        .help(format!("write `{with_and}`"))
}

/// The code of [`too_deep`].
pub(super) const TOO_DEEP: Code = Code("E0111");

pub(super) fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(TOO_DEEP.0, format!("nested more than {MAX_DEPTH} levels deep"), span, "too deep from here on")
        .help("bind a part of it to a name first; a long chain of one operator is a nesting too")
}

pub(super) fn not_a_target(kind: &ExprKind, span: Span) -> Diagnostic {
    let (what, help) = match kind {
        ExprKind::Call(..) => {
            ("the result of a call", "to define a function, write `fn` or `jit` before it; to compare, write `==`")
        }
        ExprKind::Tuple(_) => ("a tuple inside another", "unpack it in a second statement"),
        ExprKind::List(_) => ("a list", "unpack a tuple without brackets: `a, b = ...`"),
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Str(_) => {
            ("a literal", "to compare, write `==`")
        }
        _ => ("an expression", "a value goes to a name, a field or an index: `x = ...`, `r.w = ...`, `x[i] = ...`"),
    };
    Diagnostic::error("E0112", format!("{what} cannot be assigned to"), span, "not a place for a value").help(help)
}

pub(super) fn index_inside_target(span: Span, target: Span) -> Diagnostic {
    Diagnostic::error("E0112", "an index can only come last where a value is assigned", span, "indexed here")
        .label(target, "the whole target")
        .help("write the indexes between one pair of brackets, `x[i, j] = ...`, or bind the inner part to a name first")
}

pub(super) fn short_targets(span: Span) -> Diagnostic {
    Diagnostic::error("E0112", "a tuple of targets needs two or more", span, "fewer than two")
        .help("to take the only element of a tuple, index it: `x = t[0]`")
}

pub(super) fn augmented_tuple(span: Span, op: BinaryOp) -> Diagnostic {
    let message = format!("`{}=` takes one target", op.symbol());
    Diagnostic::error("E0112", message, span, "more than one").help("write one statement for each")
}

pub(super) fn unknown_dtype(name: &Ident) -> Diagnostic {
    let known = DType::ALL.map(DType::name).join(", ");
    Diagnostic::error(
        "E0113",
        format!("`{}` is not a dtype", name.name),
        name.span,
        "an array type begins with its dtype",
    )
    .help(format!("the dtypes are {known}"))
}

pub(super) fn if_without_else(span: Span) -> Diagnostic {
    Diagnostic::error("E0114", "an `if` that is used as a value needs an `else`", span, "expected `else` after this")
        .help("write `if c { a } else { b }`")
}

pub(super) fn positional_after_named(span: Span, named: Span) -> Diagnostic {
    Diagnostic::error("E0115", "a positional argument follows a named one", span, "has no name")
        .label(named, "named arguments begin here")
        .help("move it before the named arguments, or name it too")
}

pub(super) fn misplaced_annotation(span: Span, target: Span) -> Diagnostic {
    Diagnostic::error("E0116", "only a single name can be given a type", span, "this type")
        .label(target, "is not given to a single name")
        .help("bind the value to a name first, with its type: `x: f32[n] = ...`")
}

pub(super) fn too_large(source: SourceId) -> Diagnostic {
    Diagnostic::error("E0117", "this text is larger than 4 GiB", Span::new(source, 0, 0), "starts here")
        .help("split the program, and keep data in `.npy` files")
}

/// A character as it is, unless it would disturb a terminal.
fn shown(character: char) -> Vec<char> {
    match character {
        '\'' | '"' | '\\' => vec![character],
        _ => character.escape_debug().collect(),
    }
}

fn bracket(token: Token) -> char {
    match token {
        Token::OpenParen => '(',
        Token::CloseParen => ')',
        Token::OpenBracket => '[',
        Token::CloseBracket => ']',
        Token::OpenBrace => '{',
        _ => '}',
    }
}

fn partner(token: Token) -> char {
    match token {
        Token::OpenParen => ')',
        Token::CloseParen => '(',
        Token::OpenBracket => ']',
        Token::CloseBracket => '[',
        Token::OpenBrace => '}',
        _ => '{',
    }
}
