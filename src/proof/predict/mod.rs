//! The predicted ledger: what every statement of the top level will leave, and the most that is ever allocated.
//!
//! A program is gone through as the session will run it, with sizes in place of memory, in every way in which the
//! conditions that are not known beforehand may turn out. Invariant: where there is one way, ledger and peak are those
//! of the run, byte for byte and holder for holder; where there are several, each of them is among the predicted.

pub mod program;
pub mod world;
pub mod canonical;
pub mod run;
pub mod evaluate;
pub mod call;
pub mod statement;
pub mod loops;
pub mod memo;
pub mod explain;

use crate::base::{Broken, Diagnostic, Size, Span};
use crate::ledger::{Amount, BufferId, Ledger, Row};
use crate::sema::elaborate::Rejected;
use crate::sema::split::Split;
use crate::syntax::ast::{Block, Name, StatementKind};
use explain::Explained;
use program::Planned;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::rc::Rc;
use world::{Peak, World};

/// Calls nested deeper than this are not followed.
const DEEPEST_CALL: usize = 2000;

/// Enough for programs whose ledger somebody wants to see.
pub const PATIENT: u64 = 20_000_000;

/// Why a prediction ends before the program does.
#[derive(Clone, Debug)]
pub(super) enum Failure {
    /// A bug of ours.
    Broken(Broken),
    /// Too many possibilities.
    Stopped(&'static str),
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

/// Something that the prediction found out besides numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// A statement that fails in every run, with what is wrong for the sizes that reach it.
    Fails {
        /// What the run would say.
        diagnostic: Box<Diagnostic>,
    },
    /// An `assert` that fails in every run.
    Refuted {
        /// Its condition.
        at: Span,
    },
    /// Each round of a loop leaves this many bytes behind.
    Leak {
        /// The loop.
        at: Span,
        /// Bytes per round.
        bytes: Size,
    },
    /// A loop may go on growing: nothing bounds what is held.
    Unbounded {
        /// The loop.
        at: Span,
    },
}

/// What a statement of the top level leaves.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The statement.
    pub statement: Span,
    /// The ledgers that there may be, each once; none when the statement certainly fails.
    pub ledgers: Vec<Ledger<Size>>,
    /// With one ledger: buffers that were given away.
    pub donated: BTreeSet<BufferId>,
}

/// All that was predicted.
#[derive(Clone, Debug, Default)]
pub struct Prediction {
    /// After every statement of the top level.
    pub moments: Vec<Moment>,
    /// The highest points; several where their sizes cannot be compared.
    pub peaks: Vec<Peak>,
    /// Whether the peaks are reached in every run, and not only bounds.
    pub exact: bool,
    /// Why it ends early, and at which statement.
    pub stopped: Option<(Span, String)>,
    /// What it found.
    pub findings: Vec<Finding>,
    /// What became of each donation and element assignment.
    pub explained: Vec<Explained>,
    /// Every program that will be compiled.
    pub programs: Vec<Compiled>,
    /// A bug of ours.
    pub broken: Option<Broken>,
}

/// A program that will be compiled.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The `jit`, or an expression of the top level.
    pub function: Option<Name>,
    /// The call or expression.
    pub at: Span,
    /// What it does.
    pub planned: Rc<Planned>,
}

/// Predicts the ledger of a program that starts in an empty session, as far as going through `limit` statements (those
/// of calls and rounds counted each time) leads.
#[must_use]
pub fn predict(program: &Block, limit: u64) -> Prediction {
    let mut predictor = Predictor { left: limit, ..Predictor::default() };
    let mut prediction = Prediction::default();
    let mut worlds = vec![World::empty()];
    let mut ended: Vec<Peak> = Vec::new();
    for statement in &program.statements {
        predictor.statement = statement.span;
        for world in &mut worlds {
            world.donated.clear();
        }
        let before: Vec<Peak> = worlds.iter().flat_map(|world| world.peaks.clone()).collect();
        worlds = match predictor.statement(statement, worlds) {
            Ok(worlds) => worlds,
            Err(failure) => {
                match failure {
                    Failure::Broken(broken) => prediction.broken = Some(broken),
                    Failure::Stopped(why) => prediction.stopped = Some((statement.span, why.to_owned())),
                }
                ended.extend(before);
                worlds = Vec::new();
                break;
            }
        };
        if worlds.is_empty() {
            ended.extend(before);
            if let StatementKind::Assert { condition, .. } = &statement.kind {
                predictor.find(Finding::Refuted { at: condition.span });
            }
        }
        prediction.moments.push(moment(statement.span, &worlds));
        if worlds.is_empty() {
            break;
        }
    }
    if let Some(world) = worlds.first() {
        predictor.explain_definitions(program, world);
    }
    let mut top = World::default();
    top.join_peaks(&ended);
    top.join_peaks(&predictor.over.peaks);
    for world in &worlds {
        top.join_peaks(&world.peaks);
    }
    prediction.peaks = top.peaks;
    prediction.exact = prediction.stopped.is_none() && worlds.iter().all(|world| world.certain && world.exact);
    prediction.findings = predictor.findings;
    prediction.explained = predictor.explained;
    prediction.programs = predictor.programs;
    prediction
}

impl Moment {
    /// Whether this ledger is among the predicted.
    #[must_use]
    pub fn foresaw(&self, ledger: &Ledger) -> bool {
        let rows = rows(ledger);
        self.ledgers.iter().any(|predicted| self::rows(predicted) == rows || !numbers(predicted))
    }
}

/// Whether every extent is a number.
fn numbers(ledger: &Ledger<Size>) -> bool {
    ledger.rows().values().all(|row| row.contents.extents.iter().all(|extent| extent.known().is_some()))
}

/// What a ledger lists, whatever the numbers of its buffers and the order of holders.
#[must_use]
pub fn rows<N: Amount>(ledger: &Ledger<N>) -> Vec<String> {
    let row = |row: &Row<N>| {
        let mut holders: Vec<String> = row.holders.iter().map(ToString::to_string).collect();
        holders.sort();
        format!("{} {} B: {}", row.contents, row.contents.bytes, holders.join(", "))
    };
    let mut rows: Vec<String> = ledger.rows().values().map(row).collect();
    rows.sort();
    rows
}

fn moment(statement: Span, worlds: &[World]) -> Moment {
    let mut ledgers: Vec<(Vec<String>, Ledger<Size>)> = Vec::new();
    for world in worlds {
        let rows = rows(&world.ledger);
        if !ledgers.iter().any(|(known, _)| *known == rows) {
            ledgers.push((rows, world.ledger.clone()));
        }
    }
    let donated = match worlds {
        [only] => only.donated.clone(),
        _ => BTreeSet::new(),
    };
    Moment { statement, ledgers: ledgers.into_iter().map(|(_, ledger)| ledger).collect(), donated }
}

/// What is kept from statement to statement, whatever the world.
#[derive(Default)]
pub struct Predictor {
    /// The statement of the top level under way.
    statement: Span,
    /// The name that the statement under way binds, for sizes that are not known.
    target: Option<Name>,
    splits: FxHashMap<Span, Rc<Split>>,
    plans: memo::Plans,
    findings: Vec<Finding>,
    programs: Vec<Compiled>,
    explained: Vec<Explained>,
    /// What `explained` holds, as text.
    said: FxHashSet<String>,
    /// The highest points of worlds that ended before the program did.
    over: World,
    /// Statements that may still be gone through.
    left: u64,
}

impl Predictor {
    fn find(&mut self, finding: Finding) {
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// A world that ends here: the run stops with this error, every run if nothing unknown has led here.
    fn ended(&mut self, world: &World, why: Rejected) {
        self.over.join_peaks(&world.peaks);
        let first = match why {
            Rejected::Diagnostics(all) => all.into_iter().find(Diagnostic::is_error),
            Rejected::Fault(fault) => Some(super::diagnostics::certain_fault(&fault)),
        };
        if let (true, Some(diagnostic)) = (world.certain, first) {
            self.find(Finding::Fails { diagnostic: Box::new(diagnostic) });
        }
    }
}

/// The diagnostic of a finding, if it is one.
#[must_use]
pub fn diagnostic(finding: &Finding) -> Diagnostic {
    match finding {
        Finding::Fails { diagnostic } => {
            diagnostic.as_ref().clone().note("found by going through the program: every run stops here")
        }
        Finding::Refuted { at } => crate::sema::diagnostics::refuted(None, *at),
        Finding::Leak { at, bytes } => super::diagnostics::leak(bytes, *at),
        Finding::Unbounded { at } => super::diagnostics::unbounded(*at),
    }
}
