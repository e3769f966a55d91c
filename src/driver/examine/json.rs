//! What was found out about a program, as JSON. The schema is that of docs/check.md; its version changes with it.

use super::Examined;
use super::suggest::Suggestion;
use crate::base::{Diagnostic, Severity, Size, Sources, Span};
use crate::ir::plan::Verdict;
use crate::ledger::Ledger;
use crate::proof::predict::explain::{Explained, What};
use crate::proof::predict::world::Peak;
use crate::proof::predict::{Moment, Prediction};
use serde_json::{Value, json};

/// Of the schema.
pub const VERSION: u32 = 1;

fn span(sources: &Sources, span: Span) -> Value {
    if span == Span::default() {
        return Value::Null;
    }
    let (line, column) = sources.line_column(span);
    let (end_line, end_column) = sources.line_column(Span { start: span.end, ..span });
    let file = sources.get(span.source).map(|source| source.name.clone());
    json!({
        "file": file, "start": span.start, "end": span.end,
        "line": line, "column": column, "end_line": end_line, "end_column": end_column,
    })
}

/// A number, or a polynomial as text.
fn size(size: &Size) -> Value {
    match size.constant() {
        Some(n) => json!(n),
        None => json!(size.to_string()),
    }
}

fn sizes(all: &[Size]) -> Vec<Value> {
    all.iter().map(size).collect()
}

fn diagnostic(sources: &Sources, one: &Diagnostic) -> Value {
    let labels: Vec<Value> =
        one.labels.iter().map(|label| json!({ "span": span(sources, label.span), "message": label.message })).collect();
    let severity = match one.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    json!({
        "code": one.code.0, "severity": severity, "message": one.message,
        "labels": labels, "notes": one.notes, "help": one.help,
    })
}

fn ledger(ledger: &Ledger<Size>) -> Value {
    let arrays: Vec<Value> = ledger
        .rows()
        .iter()
        .map(|(id, row)| {
            let holders: Vec<String> = row.holders.iter().map(ToString::to_string).collect();
            json!({
                "buffer": id.0, "type": row.contents.to_string(),
                "bytes": size(&row.contents.bytes), "holders": holders,
            })
        })
        .collect();
    json!({ "count": ledger.count(), "bytes": size(&ledger.bytes()), "arrays": arrays })
}

fn moment(sources: &Sources, moment: &Moment) -> Value {
    let ledgers: Vec<Value> = moment.ledgers.iter().map(ledger).collect();
    json!({ "statement": span(sources, moment.statement), "ledgers": ledgers })
}

fn peak(sources: &Sources, peak: &Peak) -> Value {
    json!({
        "bytes": size(&peak.bytes), "held": size(&peak.live), "temporary": size(&peak.arena), "bound": peak.bound,
        "statement": span(sources, peak.statement), "at": span(sources, peak.at), "ledger": ledger(&peak.ledger),
    })
}

fn verdict(sources: &Sources, explained: &Explained) -> Value {
    let at = span(sources, explained.at);
    match &explained.what {
        What::Donation { function, param, leaf, ty, verdict, output, .. } => {
            let (word, why) = match verdict {
                Verdict::InPlace { .. } => ("in place", None),
                Verdict::HandedOver { why, .. } => ("handed over", Some(why)),
                Verdict::Refused(_) => ("refused", None),
            };
            json!({
                "kind": "donation", "at": at, "function": function.as_ref(), "parameter": span(sources, *param), "leaf": leaf,
                "type": ty.to_string(), "verdict": word, "why": why, "extra_bytes": size(&explained.extra()),
                "output": output.as_ref().map(|(at, ty)| json!({ "index": at, "type": ty.to_string() })),
            })
        }
        What::Assignment { target, ty, in_place, holders, why } => json!({
            "kind": "assignment", "at": at, "target": target, "type": ty.to_string(),
            "verdict": if *in_place { "in place" } else { "copied" }, "why": why,
            "extra_bytes": size(&explained.extra()), "held_by": holders,
        }),
    }
}

fn prediction(sources: &Sources, prediction: &Prediction) -> Value {
    let moments: Vec<Value> = prediction.moments.iter().map(|one| moment(sources, one)).collect();
    let peaks: Vec<Value> = prediction.peaks.iter().map(|one| peak(sources, one)).collect();
    let stopped = prediction.stopped.as_ref();
    json!({
        "statements": moments, "peaks": peaks, "exact": prediction.exact,
        "stopped": stopped.map(|(at, why)| json!({ "statement": span(sources, *at), "why": why })),
    })
}

/// Everything about one file.
#[must_use]
pub fn file(sources: &Sources, name: &str, examined: &Examined) -> Value {
    let diagnostics: Vec<Value> = examined.checked.diagnostics.iter().map(|one| diagnostic(sources, one)).collect();
    let found = examined.prediction.as_ref();
    let verdicts: Vec<Value> =
        found.iter().flat_map(|found| &found.explained).map(|one| verdict(sources, one)).collect();
    let suggestion = |one: &Suggestion| {
        json!({
            "at": span(sources, one.at), "edit": one.edit, "text": one.text, "saved": one.saved.as_ref().map(size),
            "peaks_before": sizes(&one.before), "peaks_after": sizes(&one.after),
        })
    };
    let each: Vec<Value> = examined.suggestions.each.iter().map(suggestion).collect();
    let together = examined.suggestions.together.as_ref().map(suggestion);
    let certificates: Vec<Value> = examined
        .certificates
        .iter()
        .map(|one| match one {
            Ok(text) => json!({ "accepted": true, "text": text }),
            Err(text) => json!({ "accepted": false, "text": text }),
        })
        .collect();
    json!({
        "file": name, "accepted": examined.checked.accepted(), "diagnostics": diagnostics, "verdicts": verdicts,
        "ledger": found.map(|found| prediction(sources, found)), "suggestions": json!({ "each": each, "together": together }),
        "certificates": certificates,
        "internal_error": examined.checked.broken.as_ref().map(ToString::to_string),
    })
}

/// The whole answer.
#[must_use]
pub fn answer(files: Vec<Value>) -> Value {
    json!({ "version": VERSION, "files": files })
}
