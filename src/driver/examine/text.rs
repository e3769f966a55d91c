//! What was found out about a program, as text for people.

use super::suggest::{Suggestion, Suggestions};
use super::{Asked, Examined, budget};
use crate::base::{Size, Sources, Span};
use crate::ledger::{Amount, Ledger, changes};
use crate::proof::predict::world::Peak;
use crate::proof::predict::{Moment, Prediction};
use crate::syntax::ast::{Block, StatementKind};
use std::collections::BTreeSet;

/// Characters of a statement that a line shows.
const WIDTH: usize = 60;

/// All answers to what was asked, in the order of the options.
#[must_use]
pub fn answers(sources: &Sources, examined: &Examined, asked: &Asked) -> String {
    let Some(prediction) = &examined.prediction else { return String::new() };
    let mut out = String::new();
    if asked.ledger {
        out += &ledger(sources, prediction);
    }
    if asked.explain {
        out += &explain(sources, &examined.checked.program, prediction);
    }
    if asked.suggest {
        out += &suggestions(sources, &examined.suggestions);
    }
    if asked.certify {
        out += &certificates(&examined.certificates);
    }
    out
}

/// What was derived from each plan.
fn certificates(all: &[Result<String, String>]) -> String {
    if all.is_empty() {
        return "nothing is compiled\n".to_owned();
    }
    let line = |one: &Result<String, String>| match one {
        Ok(text) => format!("{text}\n"),
        Err(text) => format!("NOT certified: {text}\n"),
    };
    all.iter().map(line).collect()
}

/// `program.arr:3`.
fn place(sources: &Sources, span: Span) -> String {
    let name = sources.get(span.source).map_or("", |source| source.name.as_str());
    format!("{name}:{}", sources.line_column(span).0)
}

/// The first line of a statement.
fn excerpt(sources: &Sources, span: Span) -> String {
    let text = sources.text(span);
    let first = text.lines().next().unwrap_or_default();
    let short: String = first.chars().take(WIDTH).collect();
    let cut = short.len() < text.trim_end().len();
    if cut { format!("{short} ...") } else { short }
}

/// The ledger after each statement, the ledger at the end, and the peak.
fn ledger(sources: &Sources, prediction: &Prediction) -> String {
    let mut out = String::new();
    let mut before: Option<Ledger<Size>> = Some(Ledger::default());
    for moment in &prediction.moments {
        out += &format!("{}: {}\n", place(sources, moment.statement), excerpt(sources, moment.statement));
        out += &after(moment, before.as_ref());
        before = match moment.ledgers.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        };
    }
    if let Some((statement, why)) = &prediction.stopped {
        out += &format!("{}: not predicted from here on: {why}\n", place(sources, *statement));
    }
    if let Some(end) = before.filter(|end| end.count() > 0) {
        out += &format!("at the end\n{}\n", end.table());
    }
    out + &peaks(sources, prediction)
}

/// What a statement leaves: changes where one ledger leads to one, else every ledger that there may be.
fn after(moment: &Moment, before: Option<&Ledger<Size>>) -> String {
    match (moment.ledgers.as_slice(), before) {
        ([], _) => "it stops here in every run\n".to_owned(),
        ([only], Some(before)) => changes::report(before, only, &moment.donated) + "\n",
        ([only], None) => only.table() + "\n",
        (several, _) => {
            let mut out = format!("ledger: one of {}, as it turns out while running\n", several.len());
            for ledger in several {
                let table = ledger.table();
                let mut lines = table.lines().map(|line| line.trim_start_matches("ledger: "));
                out += &format!("  either {}\n", lines.next().unwrap_or_default());
                lines.for_each(|line| out += &format!("  {line}\n"));
            }
            out
        }
    }
}

fn peaks(sources: &Sources, prediction: &Prediction) -> String {
    let line = |peak: &Peak| {
        let bound = match (peak.bound, peak.bytes.known()) {
            (Some(bound), None) => format!(", at most {}", crate::base::bytes::human(bound)),
            _ => String::new(),
        };
        let at = excerpt(sources, peak.statement);
        let (size, place) = (peak.bytes.human(), place(sources, peak.statement));
        format!("{size}{bound} at {place}: {at}\n  {}\n", budget::parts(peak))
    };
    match prediction.peaks.as_slice() {
        [] => "peak: 0 B\n".to_owned(),
        [only] if prediction.exact => format!("peak: {}", line(only)),
        [only] => format!("peak: at most {}", line(only)),
        several => {
            let lines: String = several.iter().map(|peak| format!("  {}", line(peak))).collect();
            format!("peak: at most the largest of\n{lines}")
        }
    }
}

/// The verdict on every donation and every assignment to elements; dims that occur once in a signature.
fn explain(sources: &Sources, program: &Block, prediction: &Prediction) -> String {
    let mut lines: Vec<(Span, String)> = prediction
        .explained
        .iter()
        .map(|explained| (explained.at, format!("{}: {}\n", place(sources, explained.at), explained.what)))
        .collect();
    for statement in &program.statements {
        let StatementKind::Function(function) = &statement.kind else { continue };
        for (name, at) in crate::sema::elaborate::bind::lone_dims(function) {
            let function = &function.name.name;
            let text = format!("{function}: the dim `{name}` occurs once in the signature (a typo?)");
            lines.push((at, format!("{}: {text}\n", place(sources, at))));
        }
    }
    lines.sort();
    let distinct: BTreeSet<(Span, String)> = lines.into_iter().collect();
    if distinct.is_empty() {
        return "nothing is donated, and no elements are assigned\n".to_owned();
    }
    distinct.into_iter().map(|(_, line)| line).collect()
}

/// Donations that are missing.
fn suggestions(sources: &Sources, all: &Suggestions) -> String {
    if all.each.is_empty() {
        return "no donation is missing\n".to_owned();
    }
    let saving = |one: &Suggestion| {
        let sizes = |sizes: &[Size]| sizes.iter().map(Size::human).collect::<Vec<_>>().join(" or ");
        let change = format!("({} -> {})", sizes(&one.before), sizes(&one.after));
        match &one.saved {
            Some(Size::Known(0)) => "the peak stays as it is".to_owned(),
            Some(saved) => format!("saves {} at the peak {change}", saved.human()),
            None => format!("lowers the peak {change}"),
        }
    };
    let line = |one: &Suggestion| format!("{}: {}: {}\n", place(sources, one.at), one.edit, saving(one));
    let each: String = all.each.iter().map(line).collect();
    each + &all.together.iter().map(|one| format!("{}: {}\n", one.edit, saving(one))).collect::<String>()
}
