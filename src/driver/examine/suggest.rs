//! Donations that are missing: each is tried by checking and predicting the edited program.
//!
//! Two kinds of edit: a parameter becomes `donate`, and `p = e` with `p` in `e` becomes a call of a `jit` that is given
//! `p`. Invariant: what is suggested was accepted, and the bytes are those of the edited program's prediction.

use crate::base::{Diagnostic, Size, Sources, Span};
use crate::driver::checked::Checked;
use crate::ir::plan::Verdict;
use crate::ledger::Amount;
use crate::proof::predict::explain::What;
use crate::proof::predict::world::at_least;
use crate::proof::predict::{PATIENT, Prediction, predict};
use crate::sema::split::{Splitter, names};
use crate::syntax::ast::{Block, Expr, Function, Name, Statement, StatementKind, Target};
use std::collections::BTreeSet;

/// Edits that are tried at most.
const MOST_TRIED: usize = 200;

/// One missing donation.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The place of the edit.
    pub at: Span,
    /// The edit in words.
    pub edit: String,
    /// The whole edited program.
    pub text: String,
    /// The highest points before, several where sizes cannot be compared.
    pub before: Vec<Size>,
    /// The highest points after.
    pub after: Vec<Size>,
    /// The difference, where there is one of each.
    pub saved: Option<Size>,
}

/// An edit to be tried: pieces of text put in place of spans.
struct Edit {
    at: Span,
    words: String,
    pieces: Vec<Piece>,
}

/// What is put in place of some bytes.
type Piece = (std::ops::Range<usize>, String);

/// All missing donations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suggestions {
    /// Each by itself, largest saving first.
    pub each: Vec<Suggestion>,
    /// Those that are accepted together, where there are several.
    pub together: Option<Suggestion>,
}

/// The search for missing donations.
struct Search<'a> {
    text: &'a str,
    before: Vec<Size>,
    handed: usize,
}

/// All missing donations.
#[must_use]
pub fn suggestions(text: &str, program: &Block, prediction: Option<&Prediction>) -> Suggestions {
    let Some(prediction) = prediction else { return Suggestions::default() };
    let search = Search { text, before: peaks(prediction), handed: handed_over(prediction) };
    let mut edits = Vec::new();
    let mut bound = BTreeSet::new();
    bound_names(program, &mut bound);
    for statement in &program.statements {
        collect(text, statement, statement, &bound, &mut edits);
    }
    let mut each: Vec<Suggestion> = Vec::new();
    let mut joined: Vec<Edit> = Vec::new();
    let mut together = None;
    for edit in edits.into_iter().take(MOST_TRIED) {
        let Some(found) = search.tried(edit.at, &edit.words, &edit.pieces) else { continue };
        each.push(found);
        joined.push(edit);
        let pieces: Vec<Piece> = joined.iter().flat_map(|edit| edit.pieces.clone()).collect();
        match search.tried(Span::default(), "all of these", &pieces) {
            Some(found) => together = Some(found),
            None => _ = joined.pop(),
        }
    }
    each.sort_by_key(|one| std::cmp::Reverse(one.saved.as_ref().and_then(Size::known)));
    let words = format!("{} of these together", joined.len());
    let together = together.filter(|_| joined.len() > 1).map(|found| Suggestion { edit: words, ..found });
    Suggestions { each, together }
}

impl Search<'_> {
    /// The edited program, if it is accepted and its peak is no higher.
    fn tried(&self, at: Span, words: &str, pieces: &[Piece]) -> Option<Suggestion> {
        let edited = apply(self.text, pieces);
        let checked = Checked::new(&mut Sources::default(), "edited", &edited, &[]);
        if !checked.accepted() {
            return None;
        }
        let tried = predict(&checked.program, PATIENT);
        let fails = |finding| Diagnostic::is_error(&crate::proof::predict::diagnostic(finding));
        if tried.stopped.is_some() || tried.broken.is_some() || tried.findings.iter().any(fails) {
            return None;
        }
        let (before, after) = (self.before.clone(), peaks(&tried));
        let no_higher = after.iter().all(|after| before.iter().any(|before| at_least(before, after)));
        if !no_higher || (after == before && handed_over(&tried) > self.handed) {
            return None;
        }
        let saved = match (before.as_slice(), after.as_slice()) {
            ([before], [after]) => Some(before.minus(after)),
            _ if before == after => Some(Size::Known(0)),
            _ => None,
        };
        Some(Suggestion { at, edit: words.to_owned(), text: edited, before, after, saved })
    }
}

/// The highest points.
fn peaks(prediction: &Prediction) -> Vec<Size> {
    match prediction.peaks.as_slice() {
        [] => vec![Size::Known(0)],
        peaks => peaks.iter().map(|peak| peak.bytes.clone()).collect(),
    }
}

fn handed_over(prediction: &Prediction) -> usize {
    let handed = |what: &What| matches!(what, What::Donation { verdict: Verdict::HandedOver { .. }, .. });
    prediction.explained.iter().filter(|explained| handed(&explained.what)).count()
}

/// The text with pieces replaced.
fn apply(text: &str, pieces: &[Piece]) -> String {
    let mut pieces = pieces.to_vec();
    pieces.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len() + 64);
    let mut last = 0;
    for (range, piece) in pieces {
        out.push_str(text.get(last..range.start).unwrap_or_default());
        out.push_str(&piece);
        last = range.end;
    }
    out.push_str(text.get(last..).unwrap_or_default());
    out
}

/// Names that the program binds somewhere.
fn bound_names(block: &Block, names: &mut BTreeSet<Name>) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Bind { targets, .. } => names.extend(targets.iter().map(|t| t.root.name.clone())),
            StatementKind::Augment { target, .. } => _ = names.insert(target.root.name.clone()),
            StatementKind::For { index, body, .. } => {
                names.insert(index.name.clone());
                bound_names(body, names);
            }
            StatementKind::While { body, .. } | StatementKind::Bench { body, .. } => bound_names(body, names),
            StatementKind::If { then, otherwise, .. } => {
                bound_names(then, names);
                otherwise.iter().for_each(|block| bound_names(block, names));
            }
            StatementKind::Function(function) => {
                names.insert(function.name.name.clone());
                names.extend(function.params.iter().map(|param| param.name.name.clone()));
                bound_names(&function.body, names);
            }
            _ => {}
        }
    }
}

/// Edits inside a statement; definitions go before `top`.
fn collect(text: &str, top: &Statement, statement: &Statement, bound: &BTreeSet<Name>, edits: &mut Vec<Edit>) {
    let mut blocks: Vec<&Block> = Vec::new();
    match &statement.kind {
        StatementKind::Function(function) => parameters(function, edits),
        StatementKind::Bind { targets, annotation: None, value } => {
            if let [target] = targets.as_slice() {
                let range = value.span.start as usize..value.span.end as usize;
                let written = text.get(range).unwrap_or_default().to_owned();
                assignment(top, statement, target, value, &written, bound, edits);
            }
        }
        StatementKind::Augment { target, op, value } => {
            let whole = target.augmented(*op, value, statement.span);
            let range = value.span.start as usize..value.span.end as usize;
            let written = format!("{} {} ({})", target.root.name, op.symbol(), text.get(range).unwrap_or_default());
            assignment(top, statement, target, &whole, &written, bound, edits);
        }
        StatementKind::For { body, .. } | StatementKind::While { body, .. } | StatementKind::Bench { body, .. } => {
            blocks.push(body);
        }
        StatementKind::If { then, otherwise, .. } => {
            blocks.push(then);
            blocks.extend(otherwise);
        }
        _ => {}
    }
    for block in blocks {
        block.statements.iter().for_each(|inner| collect(text, top, inner, bound, edits));
    }
}

/// Every parameter that is only borrowed could be donated.
fn parameters(function: &Function, edits: &mut Vec<Edit>) {
    for param in function.params.iter().filter(|param| !param.donate && param.default.is_none()) {
        let start = param.span.start as usize;
        let words = format!("write `donate {}` in the parameters of `{}`", param.name.name, function.name.name);
        edits.push(Edit { at: param.span, words, pieces: vec![(start..start, "donate ".to_owned())] });
    }
}

/// `p = e` could be `p = update_p(p, ...)` with `jit update_p(donate p, ...) = e`.
fn assignment(
    top: &Statement,
    statement: &Statement,
    target: &Target,
    value: &Expr,
    written: &str,
    bound: &BTreeSet<Name>,
    edits: &mut Vec<Edit>,
) {
    let own = &target.root.name;
    // A bound name that is called is a function of the program.
    let by_itself = Splitter { is_function: &|name| bound.contains(name) };
    let mut free = BTreeSet::new();
    names(value, &mut free);
    let plain = target.fields.is_empty() && target.index.is_none();
    if !plain || !free.contains(own) || by_itself.has_calls(value) || written == own.as_ref() {
        return;
    }
    free.retain(|name| name != own && bound.contains(name));
    let rest: Vec<&str> = free.iter().map(|name| name.as_ref()).collect();
    let comma = if rest.is_empty() { "" } else { ", " };
    let mut name = format!("update_{own}");
    while bound.contains(name.as_str()) {
        name.push('_');
    }
    let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let definition = format!("jit {name}(donate {own}{comma}{}) = {written}", rest.join(", "));
    let call = format!("{own} = {name}({own}{comma}{})", rest.join(", "));
    let words = format!("give `{own}`: `{call}` with `{definition}`");
    let start = top.span.start as usize;
    let range = statement.span.start as usize..statement.span.end as usize;
    edits.push(Edit {
        at: statement.span,
        words,
        pieces: vec![(start..start, format!("{definition}\n")), (range, call)],
    });
}
