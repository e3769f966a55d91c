//! The formatter: one way to write a program, in the user's own tokens.
//!
//! `f( x,y )   # why` becomes `f(x, y)  # why`. It moves white space only: comments and brackets stay, and so does one
//! of several blank lines. A block that was written on one line stays there while it fits. Invariant: the result
//! parses to the same tree, and formatting it again changes nothing.

use super::layout::{Braces, Item, Line, lay_out};
use super::parser::parse;
use super::token::{Lexeme, Token, lex};
use crate::base::{Diagnostic, SourceId};
use std::ops::Range;

/// Longest line that is not broken at its brackets.
const WIDTH: usize = 100;
const INDENT: usize = 4;

/// The program in the standard form, or why it does not parse.
pub fn format(text: &str) -> Result<String, Vec<Diagnostic>> {
    let source = SourceId::default();
    let parsed = parse(source, text);
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(parsed.diagnostics);
    }
    // The text is free of findings, so that these steps have nothing to report.
    let lexemes = lex(source, text, &mut Vec::new());
    let layout = lay_out(source, text, &lexemes, &mut Vec::new());
    let comments = lexemes.into_iter().filter(|lexeme| lexeme.token == Token::Comment).collect();
    let formatter = Formatter { text, comments };
    let mut out = String::new();
    formatter.lines(&layout.lines, 0..text.len(), 0, &mut out);
    Ok(out)
}

struct Formatter<'a> {
    text: &'a str,
    comments: Vec<Lexeme>,
}

impl Formatter<'_> {
    fn written(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or("")
    }

    fn comments_in(&self, range: Range<usize>) -> &[Lexeme] {
        let first = self.comments.partition_point(|comment| comment.start < range.start);
        let last = self.comments.partition_point(|comment| comment.start < range.end);
        self.comments.get(first..last).unwrap_or(&[])
    }

    fn has_newline(&self, range: Range<usize>) -> bool {
        self.written(range).contains('\n')
    }

    /// All statements and comments of a region, each on its lines.
    fn lines(&self, lines: &[Line], region: Range<usize>, indent: usize, out: &mut String) {
        let mut cursor = region.start;
        let mut first = true;
        for (at, line) in lines.iter().enumerate() {
            let (Some(start), Some(end)) = (line.items.first().map(Item::start), line.items.last().map(Item::end))
            else {
                continue;
            };
            self.own_line_comments(&mut cursor, start, indent, &mut first, out);
            self.blank_line(cursor..start, first, out);
            first = false;
            margin(indent, out);
            out.push_str(&self.statement(line, indent));
            cursor = end;
            let next = lines.get(at + 1).and_then(|next| next.items.first()).map_or(region.end, Item::start);
            if let Some(comment) = self.comments_in(end..next).first()
                && !self.has_newline(end..comment.start)
            {
                out.push_str("  ");
                out.push_str(self.written(comment.start..comment.end).trim_end());
                cursor = comment.end;
            }
            out.push('\n');
        }
        self.own_line_comments(&mut cursor, region.end, indent, &mut first, out);
    }

    fn own_line_comments(&self, cursor: &mut usize, end: usize, indent: usize, first: &mut bool, out: &mut String) {
        for comment in self.comments_in(*cursor..end) {
            self.blank_line(*cursor..comment.start, *first, out);
            *first = false;
            margin(indent, out);
            out.push_str(self.written(comment.start..comment.end).trim_end());
            out.push('\n');
            *cursor = comment.end;
        }
    }

    fn blank_line(&self, gap: Range<usize>, first: bool, out: &mut String) {
        if !first && self.written(gap).matches('\n').count() > 1 {
            out.push('\n');
        }
    }

    /// One statement without its margin; its later lines have theirs.
    fn statement(&self, line: &Line, indent: usize) -> String {
        let items = &line.items[..];
        let spaces = spaces(items, self.text);
        let mut writer = Writer { formatter: self, items, spaces: &spaces, open_blocks: false, out: String::new() };
        let gaps = items.windows(2).filter_map(|pair| match pair {
            [left, right] => Some(left.end()..right.start()),
            _ => None,
        });
        if gaps.into_iter().any(|gap| !self.comments_in(gap).is_empty()) {
            writer.keep_lines(indent);
            return writer.out;
        }
        let all = 0..items.len();
        if !writer.fits(all.clone(), indent, indent) {
            writer.open_blocks = true;
        }
        writer.broken(all, indent, indent);
        writer.out
    }

    /// A block with its braces, on one line where it was written so (unless `open`).
    fn block(&self, braces: &Braces, indent: usize, open: bool) -> String {
        let inner = braces.start + 1..braces.end.saturating_sub(1);
        if self.is_empty(braces) {
            return "{}".to_owned();
        }
        if !open && self.is_inline(braces) {
            let statements: Vec<_> = braces.lines.iter().map(|line| self.statement(line, indent)).collect();
            let joined = statements.join("; ");
            if !joined.contains('\n') {
                return format!("{{ {joined} }}");
            }
        }
        let mut out = "{\n".to_owned();
        self.lines(&braces.lines, inner, indent + INDENT, &mut out);
        margin(indent, &mut out);
        out.push('}');
        out
    }

    fn is_empty(&self, braces: &Braces) -> bool {
        braces.lines.is_empty() && self.comments_in(braces.start..braces.end).is_empty()
    }

    /// Whether a block may stay on one line. One with further blocks in it never does: it reads badly, and laying out
    /// each level both ways would take time without bound.
    fn is_inline(&self, braces: &Braces) -> bool {
        let mut items = braces.lines.iter().flat_map(|line| &line.items);
        !self.has_newline(braces.start..braces.end) && items.all(|item| matches!(item, Item::Token(_)))
    }
}

fn margin(indent: usize, out: &mut String) {
    (0..indent).for_each(|_| out.push(' '));
}

struct Writer<'a> {
    formatter: &'a Formatter<'a>,
    items: &'a [Item],
    /// Whether a space stands before each item.
    spaces: &'a [bool],
    /// Blocks written on one line go on several.
    open_blocks: bool,
    out: String,
}

impl Writer<'_> {
    fn item_text(&self, item: &Item, indent: usize) -> String {
        match item {
            Item::Token(lexeme) => self.formatter.written(lexeme.start..lexeme.end).to_owned(),
            Item::Block(braces) => self.formatter.block(braces, indent, self.open_blocks),
        }
    }

    fn space(&self, at: usize) -> bool {
        self.spaces.get(at).copied().unwrap_or(false)
    }

    fn one_line(&mut self, range: Range<usize>, indent: usize) {
        for at in range.clone() {
            if let Some(item) = self.items.get(at) {
                if at > range.start && self.space(at) {
                    self.out.push(' ');
                }
                let text = self.item_text(item, indent);
                self.out.push_str(&text);
            }
        }
    }

    /// Whether the items fit behind `column`; what stands on the inner lines of a block is not theirs to answer for.
    fn fits(&self, range: Range<usize>, column: usize, indent: usize) -> bool {
        let mut column = column;
        for at in range.clone() {
            let Some(item) = self.items.get(at) else { continue };
            column += usize::from(at > range.start && self.space(at));
            let closed = match item {
                Item::Block(braces) => {
                    self.formatter.is_empty(braces) || !self.open_blocks && self.formatter.is_inline(braces)
                }
                Item::Token(_) => true,
            };
            if closed {
                column += self.item_text(item, indent).chars().count();
            } else if column < WIDTH {
                column = indent + 1;
            } else {
                return false;
            }
            if column > WIDTH {
                return false;
            }
        }
        true
    }

    /// The items on one line if they fit, else broken at their widest brackets, one item of those a line.
    fn broken(&mut self, range: Range<usize>, column: usize, indent: usize) {
        let group = if self.fits(range.clone(), column, indent) { None } else { self.widest_group(range.clone()) };
        let Some((open, close)) = group else { return self.one_line(range, indent) };
        self.one_line(range.start..open + 1, indent);
        for part in self.parts(open + 1..close) {
            self.out.push('\n');
            margin(indent + INDENT, &mut self.out);
            self.broken(part, indent + INDENT, indent + INDENT);
        }
        self.out.push('\n');
        margin(indent, &mut self.out);
        self.broken(close..range.end, indent, indent);
    }

    /// Change of the bracket depth at an item.
    fn step(&self, at: usize) -> i32 {
        match self.items.get(at) {
            Some(Item::Token(lexeme)) => match lexeme.token {
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace => 1,
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace => -1,
                _ => 0,
            },
            _ => 0,
        }
    }

    fn widest_group(&self, range: Range<usize>) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        let mut open: Option<usize> = None;
        // A closing bracket at the start belongs to brackets that were broken before.
        let first = if self.step(range.start) < 0 { range.start + 1 } else { range.start };
        let mut depth = 0;
        for at in first..range.end {
            let step = self.step(at);
            if step > 0 && depth == 0 {
                open = Some(at);
            }
            depth += step;
            if step < 0
                && depth == 0
                && let Some(open) = open
                && at > open + 1
                && best.is_none_or(|(from, to)| self.width(open, at) > self.width(from, to))
            {
                best = Some((open, at));
            }
        }
        best
    }

    fn width(&self, open: usize, close: usize) -> usize {
        match (self.items.get(open), self.items.get(close)) {
            (Some(open), Some(close)) => close.end() - open.start(),
            _ => 0,
        }
    }

    /// The ranges between commas, each with its comma.
    fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        let (mut start, mut depth) = (range.start, 0);
        for at in range.clone() {
            depth += self.step(at);
            let comma = matches!(self.items.get(at), Some(Item::Token(lexeme)) if lexeme.token == Token::Comma);
            if depth == 0 && comma {
                parts.push(start..at + 1);
                start = at + 1;
            }
        }
        if start < range.end {
            parts.push(start..range.end);
        }
        parts
    }

    /// A statement with comments between its tokens keeps its lines; only spaces and margins change.
    fn keep_lines(&mut self, indent: usize) {
        let mut depth = 0_i32;
        let mut end = self.items.first().map_or(0, Item::start);
        for at in 0..self.items.len() {
            let Some(item) = self.items.get(at) else { continue };
            let gap = end..item.start();
            let closing = self.step(at) < 0;
            let is_else = matches!(item, Item::Token(lexeme) if lexeme.token == Token::Else);
            let inner = |depth: i32| indent + INDENT * usize::try_from(depth).unwrap_or(0);
            let comments = self.formatter.comments_in(gap.clone());
            let mut line_end = gap.start;
            for comment in comments {
                if self.formatter.has_newline(line_end..comment.start) {
                    self.out.push('\n');
                    margin(inner(depth), &mut self.out);
                } else {
                    self.out.push_str("  ");
                }
                self.out.push_str(self.formatter.written(comment.start..comment.end).trim_end());
                line_end = comment.end;
            }
            if self.formatter.has_newline(line_end..gap.end) {
                self.out.push('\n');
                let levels = if is_else { 0 } else { depth - i32::from(closing) };
                margin(inner(levels), &mut self.out);
            } else if at > 0 && self.space(at) {
                self.out.push(' ');
            }
            let text = self.item_text(item, inner(depth));
            self.out.push_str(&text);
            depth += self.step(at);
            end = item.end();
        }
    }
}

/// Whether a space stands before each item of a statement.
fn spaces(items: &[Item], text: &str) -> Vec<bool> {
    let defines = matches!(items.first(), Some(Item::Token(Lexeme { token: Token::Fn | Token::Jit, .. })));
    let mut parameters = defines;
    let mut open: Vec<(Token, bool)> = Vec::new();
    let mut before: Option<Lexeme> = None;
    let mut after_block = false;
    let mut prefix = false;
    let mut spaces = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let Item::Token(next) = item else {
            spaces.push(at > 0 && !prefix && !matches!(before.map(|last| last.token), Some(Token::OpenParen)));
            (before, after_block, prefix) = (None, true, false);
            continue;
        };
        let operand_before = after_block || before.is_some_and(|last| last.token.ends_operand());
        let inside = open.last().copied();
        let space = at > 0 && !prefix && spaced(before, after_block, *next, inside, text);
        spaces.push(space);
        prefix = matches!(next.token, Token::Minus | Token::Tilde) && !operand_before;
        match next.token {
            Token::OpenParen | Token::OpenBracket | Token::OpenBrace => {
                open.push((next.token, parameters && next.token == Token::OpenParen));
                parameters = false;
            }
            Token::CloseParen | Token::CloseBracket | Token::CloseBrace => {
                open.pop();
            }
            _ => {}
        }
        (before, after_block) = (Some(*next), false);
    }
    spaces
}

/// Whether a space stands between two tokens, of which the first is no prefix operator. `inside` is the innermost open
/// bracket, and whether it holds parameters.
fn spaced(before: Option<Lexeme>, after_block: bool, next: Lexeme, inside: Option<(Token, bool)>, text: &str) -> bool {
    use Token::{
        CloseBrace, CloseBracket, CloseParen, Colon, Comma, Dot, Equal, Int, OpenBrace, OpenBracket, OpenParen, Range,
    };
    let slice = matches!(inside, Some((OpenBracket, _)));
    let keyword = matches!(inside, Some((OpenParen, false)));
    let Some(last) = before else {
        return after_block
            && !matches!(next.token, OpenParen | OpenBracket | CloseParen | CloseBracket | CloseBrace | Comma | Dot)
            && !(next.token == Colon || next.token == Range);
    };
    match (last.token, next.token) {
        // Joined, these would read as other tokens: `1 .e5`, `1. ..`, `.. .5`.
        (Int(_), Dot) => true,
        (_, Range) => text.get(last.start..last.end).is_some_and(|text| text.ends_with('.')),
        (Range, _) => text.get(next.start..next.end).is_some_and(|text| text.starts_with('.')),
        (OpenParen | OpenBracket | OpenBrace | Dot, _) => false,
        (Comma, Colon) => true,
        (_, CloseParen | CloseBracket | CloseBrace | Comma | Dot | Colon) => false,
        (Colon, _) => !slice,
        (Equal, _) | (_, Equal) => !keyword,
        (_, OpenParen | OpenBracket) => !last.token.ends_operand(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::format;

    fn formatted(text: &str) -> String {
        let once = format(text).unwrap_or_else(|findings| panic!("{text}: {findings:#?}"));
        assert_eq!(format(&once).as_deref(), Ok(&once[..]));
        once
    }

    #[test]
    fn spaces_follow_the_guide() {
        assert_eq!(
            formatted("jit  f( donate p:f32[n,m],lr=0.1 )->f32[n , m]=p-lr*g(p , axis = - 1)**2"),
            "jit f(donate p: f32[n, m], lr = 0.1) -> f32[n, m] = p - lr * g(p, axis=-1) ** 2\n"
        );
        assert_eq!(formatted("x[ 0 : 10,: : -1 ]=not(a)and~b"), "x[0:10, ::-1] = not (a) and ~b\n");
        assert_eq!(formatted("r={w :a,b:[1 ,2]} . w"), "r = {w: a, b: [1, 2]}.w\n");
        assert_eq!(formatted("for i in 0 .. n step k{p=f(p);q = 1 }"), "for i in 0..n step k { p = f(p); q = 1 }\n");
    }

    #[test]
    fn comments_and_single_blank_lines_stay() {
        let text = "\n\n# top\nx = 1   # one\n\n\n\ny = 2; z = 3 # three\nif c {  # why\n\n  f(x)\n\n\n  # end\n}\n\n";
        assert_eq!(
            formatted(text),
            "# top\nx = 1  # one\n\ny = 2\nz = 3  # three\nif c {\n    # why\n\n    f(x)\n\n    # end\n}\n"
        );
        assert_eq!(formatted("f(a, # first\n b)"), "f(a,  # first\n    b)\n");
        assert_eq!(formatted("if c { a }\n# note\nelse { b }"), "if c { a }\n# note\nelse { b }\n");
    }

    #[test]
    fn long_lines_break_at_their_widest_brackets() {
        let name = "a_rather_long_name_of_an_argument";
        assert_eq!(
            formatted(&format!("x = f({name}, {name}, g({name}))")),
            format!("x = f(\n    {name},\n    {name},\n    g({name})\n)\n")
        );
    }
}
