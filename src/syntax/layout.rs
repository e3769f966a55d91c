//! The layout: lexemes to statements and blocks; what a newline and a brace mean is decided here and nowhere else.
//!
//! `while c {\n x = f(a,\n b)\n}` becomes one statement of three items: `while`, `c` and a block of one statement.
//!
//! * A newline or `;` ends a statement, unless a bracket is open, or an operator, a comma or the like comes before it,
//!   or `else` comes behind it after a block.
//! * `{` behind an operand or `else` opens a block; elsewhere it opens a record if `name:` or `}` follows, else a block.
//! * A bracket that never closes ends at the first place where no expression could go on, so that it costs one statement.
//!
//! Invariant: the items of a statement that is not `broken` have balanced brackets, and blocks nest no deeper
//! than [`MAX_DEPTH`]. Comments are left out: the formatter finds them by their offsets.

use super::ast::MAX_DEPTH;
use super::diagnostics;
use super::token::{Lexeme, Token};
use crate::base::{Diagnostic, SourceId};

/// Blocks around a statement that can have no further block: the statement and the file are levels of the tree too.
const DEEPEST_LINE: u32 = MAX_DEPTH - 2;

/// The lexemes of one statement.
#[derive(Debug)]
pub(super) struct Line {
    /// Tokens and blocks, in order; never empty.
    pub(super) items: Vec<Item>,
    /// A finding in it was reported already; nothing more is to be said about it.
    pub(super) broken: bool,
}

/// A part of a statement.
#[derive(Debug)]
pub(super) enum Item {
    /// One token.
    Token(Lexeme),
    /// `{ ... }` with statements in it.
    Block(Braces),
}

/// A block with its braces.
#[derive(Debug)]
pub(super) struct Braces {
    /// Offset of `{`.
    pub(super) start: usize,
    /// One past `}`, or the end of the text.
    pub(super) end: usize,
    /// What stands between.
    pub(super) lines: Vec<Line>,
    /// A finding inside it was reported already.
    pub(super) broken: bool,
}

impl Item {
    /// First byte.
    pub(super) fn start(&self) -> usize {
        match self {
            Self::Token(lexeme) => lexeme.start,
            Self::Block(braces) => braces.start,
        }
    }

    /// One past the last byte.
    pub(super) fn end(&self) -> usize {
        match self {
            Self::Token(lexeme) => lexeme.end,
            Self::Block(braces) => braces.end,
        }
    }

    fn token(&self) -> Option<Token> {
        match self {
            Self::Token(lexeme) => Some(lexeme.token),
            Self::Block(_) => None,
        }
    }
}

/// A whole text, laid out.
#[derive(Debug)]
pub(super) struct Layout {
    /// Its statements.
    pub(super) lines: Vec<Line>,
    /// More text could still complete the last statement: a bracket is open, an operand or a block is missing.
    pub(super) incomplete: bool,
}

/// Groups `lexemes` into statements; unbalanced brackets are reported.
pub(super) fn lay_out(source: SourceId, text: &str, lexemes: &[Lexeme], diagnostics: &mut Vec<Diagnostic>) -> Layout {
    let mut lexemes: Vec<Lexeme> = lexemes.iter().copied().filter(|lexeme| lexeme.token != Token::Comment).collect();
    // One newline says what many say, and looking beyond it stays cheap.
    lexemes.dedup_by(|next, last| next.token == Token::Newline && last.token == Token::Newline);
    let mut reader = Reader { source, text, lexemes, at: 0, diagnostics, incomplete: false };
    let lines = reader.lines(0);
    Layout { lines, incomplete: reader.incomplete }
}

struct Reader<'a> {
    source: SourceId,
    text: &'a str,
    lexemes: Vec<Lexeme>,
    at: usize,
    diagnostics: &'a mut Vec<Diagnostic>,
    incomplete: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<Lexeme> {
        self.lexemes.get(self.at).copied()
    }

    /// The first token behind `at` that is no newline.
    fn beyond_newlines(&self, at: usize) -> Option<Token> {
        let rest = self.lexemes.get(at..).unwrap_or(&[]);
        rest.iter().map(|lexeme| lexeme.token).find(|token| *token != Token::Newline)
    }

    /// Statements up to the `}` of the enclosing block (left unread), or the end.
    fn lines(&mut self, depth: u32) -> Vec<Line> {
        let mut lines = Vec::new();
        while let Some(lexeme) = self.peek() {
            match lexeme.token {
                Token::Newline | Token::Semicolon => self.at += 1,
                Token::CloseBrace if depth > 0 => break,
                _ => lines.push(self.line(depth)),
            }
        }
        lines
    }

    /// One statement; takes at least one lexeme.
    fn line(&mut self, depth: u32) -> Line {
        let mut line = Line { items: Vec::new(), broken: false };
        let mut open: Vec<Lexeme> = Vec::new();
        while let Some(lexeme) = self.peek() {
            let last = line.items.last();
            match lexeme.token {
                Token::Newline => {
                    if self.newline_ends(&line, &open) {
                        break;
                    }
                    self.at += 1;
                    continue;
                }
                Token::Semicolon => break,
                Token::OpenBrace if self.opens_block(last) => {
                    line.broken |= depth >= DEEPEST_LINE;
                    let braces = self.block(lexeme, depth);
                    line.items.push(Item::Block(braces));
                    continue;
                }
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace => open.push(lexeme),
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace => {
                    let partner = open.iter().rposition(|opened| closes(opened.token, lexeme.token));
                    match partner {
                        None if lexeme.token == Token::CloseBrace && depth > 0 => break,
                        None => {
                            self.report(&mut line, |source| {
                                diagnostics::unmatched(source, lexeme, open.last().copied())
                            });
                        }
                        Some(at) => {
                            if let Some(inner) = open.get(at + 1).copied() {
                                self.report(&mut line, |source| diagnostics::mismatched(source, inner, lexeme));
                            }
                            open.truncate(at);
                        }
                    }
                }
                Token::Error => line.broken = true,
                _ => {}
            }
            self.at += 1;
            let token = match (lexeme.token, line.items.last().and_then(Item::token)) {
                (Token::Str, Some(Token::Bench)) => Token::Label,
                (Token::Name, Some(before))
                    if before.ends_operand()
                        && open.is_empty()
                        && is_for(&line)
                        && self.text.get(lexeme.start..lexeme.end) == Some("step") =>
                {
                    Token::Step
                }
                (token, _) => token,
            };
            line.items.push(Item::Token(Lexeme { token, ..lexeme }));
        }
        if self.beyond_newlines(self.at).is_none() && (!open.is_empty() || awaits_more(&line)) {
            self.incomplete = true;
        }
        if let Some(opened) = open.first().copied() {
            if let Some(Item::Block(Braces { broken: true, .. })) = line.items.last() {
                // What cut off the block cut off the bracket.
                line.broken = true;
            }
            let read = self.lexemes.get(..self.at).unwrap_or(&[]);
            let last = read.iter().rfind(|lexeme| lexeme.token != Token::Newline).copied();
            self.report(&mut line, |source| diagnostics::unclosed(source, opened, last));
        }
        line
    }

    /// Reports a finding about brackets, unless the statement is known to be broken.
    fn report(&mut self, line: &mut Line, finding: impl FnOnce(SourceId) -> Diagnostic) {
        if !line.broken {
            self.diagnostics.push(finding(self.source));
        }
        line.broken = true;
    }

    /// Whether the newline at hand ends the statement.
    fn newline_ends(&self, line: &Line, open: &[Lexeme]) -> bool {
        let next = self.beyond_newlines(self.at);
        let Some(next) = next else { return open.is_empty() };
        if next.begins_statement() {
            return true;
        }
        match line.items.last() {
            None => true,
            Some(Item::Block(_)) if !open.is_empty() => next.begins_operand(),
            Some(Item::Block(_)) => next != Token::Else,
            Some(Item::Token(last)) if !open.is_empty() => last.token.ends_operand() && next.begins_operand(),
            Some(Item::Token(last)) => last.token.ends_operand() && !(next == Token::OpenBrace && awaits_block(line)),
        }
    }

    /// Whether the `{` at hand opens a block, given what stands before it.
    fn opens_block(&self, last: Option<&Item>) -> bool {
        match last {
            Some(Item::Block(_)) => true,
            Some(Item::Token(last)) if last.token.ends_operand() || last.token == Token::Else => true,
            _ => {
                let mut behind = self.lexemes.get(self.at + 1..).unwrap_or(&[]).iter().map(|lexeme| lexeme.token);
                match behind.by_ref().find(|token| *token != Token::Newline) {
                    // An empty record, unless the header before it would end with it.
                    Some(Token::CloseBrace) => {
                        matches!(last.and_then(Item::token), Some(Token::If | Token::While | Token::Bench))
                            && matches!(behind.next(), None | Some(Token::Newline | Token::Semicolon | Token::Else))
                    }
                    None => false,
                    Some(Token::Name) => behind.find(|token| *token != Token::Newline) != Some(Token::Colon),
                    Some(_) => true,
                }
            }
        }
    }

    fn block(&mut self, opened: Lexeme, depth: u32) -> Braces {
        let found = self.diagnostics.len();
        self.at += 1;
        let mut braces = Braces { start: opened.start, end: opened.end, lines: Vec::new(), broken: false };
        if depth >= DEEPEST_LINE {
            self.diagnostics.push(diagnostics::too_deep(opened.span(self.source)));
            self.skip_braces();
        } else {
            braces.lines = self.lines(depth + 1);
        }
        match self.peek() {
            Some(closing) => {
                self.at += 1;
                braces.end = closing.end;
            }
            None => {
                // One report for all blocks that the end of the text cuts off.
                if !self.incomplete && self.diagnostics.len() == found {
                    self.diagnostics.push(diagnostics::unclosed(self.source, opened, None));
                }
                self.incomplete = true;
                braces.end = self.lexemes.last().map_or(opened.end, |last| last.end);
            }
        }
        braces.broken = self.diagnostics.len() > found;
        braces
    }

    /// Moves to the `}` that belongs to a `{` already read.
    fn skip_braces(&mut self) {
        let mut open = 1_usize;
        while let Some(lexeme) = self.peek() {
            match lexeme.token {
                Token::OpenBrace => open += 1,
                Token::CloseBrace => open -= 1,
                _ => {}
            }
            if open == 0 {
                return;
            }
            self.at += 1;
        }
    }
}

fn closes(opened: Token, closing: Token) -> bool {
    matches!(
        (opened, closing),
        (Token::OpenParen, Token::CloseParen)
            | (Token::OpenBracket, Token::CloseBracket)
            | (Token::OpenBrace, Token::CloseBrace)
    )
}

fn is_for(line: &Line) -> bool {
    line.items.first().and_then(Item::token) == Some(Token::For)
}

/// Whether the statement is a header whose block is still to come.
fn awaits_block(line: &Line) -> bool {
    if line.items.iter().any(|item| matches!(item, Item::Block(_))) {
        return false;
    }
    match line.items.first().and_then(Item::token) {
        Some(Token::For | Token::While | Token::If | Token::Bench) => true,
        Some(Token::Fn | Token::Jit) => !has_body(line),
        _ => false,
    }
}

/// Whether a definition has its `=`; those of defaults stand in brackets.
fn has_body(line: &Line) -> bool {
    let mut depth = 0_usize;
    line.items.iter().filter_map(Item::token).any(|token| {
        match token {
            Token::OpenParen | Token::OpenBracket | Token::OpenBrace => depth += 1,
            Token::CloseParen | Token::CloseBracket | Token::CloseBrace => depth = depth.saturating_sub(1),
            _ => {}
        }
        token == Token::Equal && depth == 0
    })
}

/// Whether the statement cannot end here.
fn awaits_more(line: &Line) -> bool {
    match line.items.last() {
        Some(Item::Token(last)) => !last.token.ends_operand() || awaits_block(line),
        _ => false,
    }
}
