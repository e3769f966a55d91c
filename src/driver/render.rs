//! Draws diagnostics and failures for people. The one file that names ariadne.
//!
//! Plain (no colour, ASCII) where the output is no terminal, so that logs and golden files stay readable.

use super::checked::Checked;
use super::failure::Failure;
use crate::base::{Broken, Diagnostic, Fault, Severity, SourceId, Sources, Span, Unavailable};
use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind};
use std::collections::BTreeSet;
use std::ops::Range;

/// How to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Colours and box-drawing characters.
    pub fancy: bool,
}

type Place = (String, Range<usize>);

fn place(sources: &Sources, span: Span) -> Option<Place> {
    let source = sources.get(span.source)?;
    let end = source.text.len();
    let (start, stop) = ((span.start as usize).min(end), (span.end as usize).min(end));
    Some((source.name.clone(), start..stop.max(start)))
}

/// One diagnostic, drawn with every place involved.
#[must_use]
pub fn diagnostic(sources: &Sources, diagnostic: &Diagnostic, style: Style) -> String {
    let (kind, colour) = match diagnostic.severity {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let places: Vec<(Place, &str)> = diagnostic
        .labels
        .iter()
        .filter(|label| label.span != Span::default())
        .filter_map(|label| Some((place(sources, label.span)?, label.message.as_str())))
        .collect();
    let Some((main, _)) = places.first() else {
        let help = diagnostic.help.as_ref().map_or(String::new(), |help| format!("\nhelp: {help}"));
        return format!("{}: {}{help}\n", diagnostic.code.0, diagnostic.message);
    };
    let config = Config::default()
        .with_color(style.fancy)
        .with_char_set(if style.fancy { CharSet::Unicode } else { CharSet::Ascii })
        .with_index_type(IndexType::Byte);
    let mut report = Report::build(kind, main.clone())
        .with_config(config)
        .with_code(diagnostic.code.0)
        .with_message(&diagnostic.message);
    for (at, (place, message)) in places.iter().enumerate() {
        let colour = if at == 0 { colour } else { Color::Blue };
        // The main place comes first where several share a line.
        let order = i32::try_from(at).unwrap_or(i32::MAX);
        report =
            report.with_label(Label::new(place.clone()).with_message(message).with_color(colour).with_order(order));
    }
    for note in &diagnostic.notes {
        report = report.with_note(note);
    }
    if let Some(help) = &diagnostic.help {
        report = report.with_help(help);
    }
    let involved: BTreeSet<SourceId> = diagnostic.labels.iter().map(|label| label.span.source).collect();
    let texts: Vec<(String, String)> = involved
        .into_iter()
        .filter_map(|id| sources.get(id))
        .map(|source| (source.name.clone(), source.text.clone()))
        .collect();
    let mut out = Vec::new();
    match report.finish().write(ariadne::sources(texts), &mut out) {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        Err(_) => format!("{}: {}\n", diagnostic.code.0, diagnostic.message),
    }
}

/// All that a check found, a bug of ours included.
#[must_use]
pub fn findings(sources: &Sources, checked: &Checked, style: Style) -> String {
    let drawn: String = checked.diagnostics.iter().map(|one| diagnostic(sources, one, style)).collect();
    drawn + &checked.broken.as_ref().map(broken).unwrap_or_default()
}

/// A fault of a running program, with its call chain.
#[must_use]
pub fn fault(sources: &Sources, fault: &Fault, style: Style) -> String {
    let mut drawn = Diagnostic::error(fault.code, &fault.message, fault.span, "stopped here");
    for call in &fault.calls {
        drawn = drawn.label(*call, "in this call");
    }
    drawn.help.clone_from(&fault.help);
    diagnostic(sources, &drawn, style)
}

/// Something that the environment lacks.
#[must_use]
pub fn unavailable(unavailable: &Unavailable) -> String {
    format!("error: {}: {}\nhelp: {}\n", unavailable.what, unavailable.why, unavailable.hint)
}

/// A bug of ours.
#[must_use]
pub fn broken(broken: &Broken) -> String {
    format!(
        "{broken}\nThis is a bug in arr, not in your program; nothing was lost. Please report it with the program.\n"
    )
}

/// Any failure.
#[must_use]
pub fn failure(sources: &Sources, failure: &Failure, style: Style) -> String {
    match failure {
        Failure::Rejected(all) => all.iter().map(|one| diagnostic(sources, one, style)).collect(),
        Failure::Fault(one) => fault(sources, one, style),
        Failure::Unavailable(one) => unavailable(one),
        Failure::Broken(one) => broken(one),
        Failure::Interrupted => "interrupted\n".to_owned(),
        Failure::Closed => String::new(),
    }
}
