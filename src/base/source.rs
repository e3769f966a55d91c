//! The texts that spans point into: files, and the lines typed at the prompt.

use super::span::Span;

/// Number of a source in its [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SourceId(pub u32);

/// One text with the name that messages show.
#[derive(Clone, Debug)]
pub struct Source {
    /// File name as the user gave it, or `<prompt>`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Byte offset of each line's first byte.
    line_starts: Vec<u32>,
}

/// All texts read so far.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    all: Vec<Source>,
}

impl Sources {
    /// Adds a text; spans into it carry the returned id.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let text = text.into();
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        self.all.push(Source { name: name.into(), text, line_starts });
        SourceId(self.all.len() as u32 - 1)
    }

    /// The source with this id, if it was added here.
    #[must_use]
    pub fn get(&self, id: SourceId) -> Option<&Source> {
        self.all.get(id.0 as usize)
    }

    /// The text under a span; empty if the span lies outside.
    #[must_use]
    pub fn text(&self, span: Span) -> &str {
        self.get(span.source).and_then(|s| s.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    /// Line and column of the span's first byte, both from 1; columns count characters.
    #[must_use]
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let Some(source) = self.get(span.source) else { return (1, 1) };
        let line = source.line_starts.partition_point(|&start| start <= span.start).max(1);
        let start = source.line_starts.get(line - 1).copied().unwrap_or(0) as usize;
        let column = source.text.get(start..span.start as usize).map_or(1, |s| s.chars().count() + 1);
        (line, column)
    }
}
