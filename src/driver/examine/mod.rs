//! What `arr check` answers: findings, verdicts, the predicted ledger and peak, all before anything runs.
//!
//! Here is decided what is asked and found; `text` and `json` say it. Invariant: nothing is executed.

pub mod budget;
pub mod text;
pub mod json;
pub mod suggest;

use super::checked::Checked;
use super::pipeline;
use crate::base::{Severity, Sources};
use crate::proof::predict::program::Planned;
use crate::proof::predict::{self, Compiled, PATIENT, Prediction};
use suggest::Suggestions;

/// Statements that a check goes through by itself, looking for leaks and for `assert`s that fail.
const BY_ITSELF: u64 = 2_000;

/// Warnings that `--deny` can make errors, by kind.
pub const DENIABLE: [(&str, &[&str]); 3] =
    [("capture", &["W0301"]), ("handed-over", &["W0302"]), ("leak", &["W0303", "W0304"])];

/// What is asked beside the findings.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The ledger after each statement, and the peak.
    pub ledger: bool,
    /// The verdict on each donation and assignment to elements.
    pub explain: bool,
    /// Donations that are missing.
    pub suggest: bool,
    /// The certificate of each program.
    pub certify: bool,
    /// Bytes that must be enough.
    pub budget: Option<u64>,
    /// Codes of warnings that are errors.
    pub deny: Vec<String>,
}

/// The codes that a kind of `--deny` stands for: a name of [`DENIABLE`], `all`, or the code itself.
#[must_use]
pub fn denied(kind: &str) -> Option<Vec<String>> {
    let codes = |codes: &[&str]| codes.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>();
    if kind == "all" {
        return Some(DENIABLE.iter().flat_map(|(_, all)| codes(all)).collect());
    }
    if let Some((_, all)) = DENIABLE.iter().find(|(name, _)| *name == kind) {
        return Some(codes(all));
    }
    let code = kind.to_uppercase();
    let known = DENIABLE.iter().any(|(_, all)| all.contains(&code.as_str()));
    known.then(|| vec![code])
}

/// A program with everything that was found out about it.
pub struct Examined {
    /// The program and its findings.
    pub checked: Checked,
    /// What will be held; absent for a rejected program.
    pub prediction: Option<Prediction>,
    /// Donations that are missing.
    pub suggestions: Suggestions,
    /// Per program that will be compiled: its certificate, or what is wrong with its plan.
    pub certificates: Vec<Result<String, String>>,
}

impl Examined {
    /// Checks a text and answers what is asked.
    #[must_use]
    pub fn new(sources: &mut Sources, name: &str, text: &str, asked: &Asked) -> Self {
        Self::within(sources, name, text, asked, BY_ITSELF)
    }

    /// Likewise for a program that is about to run: it is not gone through beforehand unless that is asked for.
    #[must_use]
    pub fn before_running(sources: &mut Sources, name: &str, text: &str, asked: &Asked) -> Self {
        Self::within(sources, name, text, asked, 0)
    }

    fn within(sources: &mut Sources, name: &str, text: &str, asked: &Asked, by_itself: u64) -> Self {
        let mut checked = Checked::new(sources, name, text, &[]);
        let mut prediction = None;
        let all = asked.ledger || asked.explain || asked.suggest || asked.certify || asked.budget.is_some();
        let limit = if all { PATIENT } else { by_itself };
        if checked.accepted() && limit > 0 {
            let found = predict::predict(&checked.program, limit);
            checked.broken.clone_from(&found.broken);
            checked.diagnostics.extend(found.findings.iter().map(predict::diagnostic));
            checked.diagnostics.extend(asked.budget.and_then(|budget| budget::over(&found, budget)));
            prediction = Some(found);
        }
        for diagnostic in &mut checked.diagnostics {
            if diagnostic.severity == Severity::Warning && asked.deny.iter().any(|code| code == diagnostic.code.0) {
                diagnostic.severity = Severity::Error;
                diagnostic.notes.push("denied on the command line".to_owned());
            }
        }
        let mut suggestions = Suggestions::default();
        if asked.suggest && checked.accepted() {
            suggestions = suggest::suggestions(text, &checked.program, prediction.as_ref());
        }
        let programs = prediction.iter().flat_map(|prediction| &prediction.programs).filter(|_| asked.certify);
        let certificates = programs.filter_map(|compiled| certificate(sources, compiled)).collect();
        Self { checked, prediction, suggestions, certificates }
    }

    /// Whether it may run, every plan is certified included.
    #[must_use]
    pub fn accepted(&self) -> bool {
        self.checked.accepted() && self.certificates.iter().all(Result::is_ok)
    }
}

/// The certificate of a program whose sizes are numbers, or what is wrong with its plan.
fn certificate(sources: &Sources, compiled: &Compiled) -> Option<Result<String, String>> {
    let Planned { program, plan, exact: true, .. } = &*compiled.planned else { return None };
    let (line, _) = sources.line_column(compiled.at);
    let name = compiled.function.as_ref().map_or_else(String::new, |name| format!("{name}: "));
    let found = pipeline::optimise(program.clone()).and_then(|program| pipeline::certificate(&program, plan));
    Some(match found {
        Ok(certificate) => Ok(format!("line {line}: {name}{certificate}")),
        Err(broken) => Err(format!("line {line}: {name}{broken}")),
    })
}
