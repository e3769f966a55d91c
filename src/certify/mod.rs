//! A second opinion on a plan: what it does with memory, derived again from the plan alone.
//!
//! Nothing of the planner is used, only the types of `ir`. [`access`] takes each kernel's index maps apart,
//! [`memory`] walks the steps and keeps, for each slot, the bytes it points to and whether they still hold what was
//! written through it, [`contract`] compares outputs, donations and allocations with what is announced. So a plan with
//! a [`Certificate`] computes what it would compute if every slot had memory of its own. [`meaning`] then compares
//! *that* with the steps as they were before anything was planned.
//! Invariant: a plan that passes both computes the bits of the steps that it was made of.

mod access;
mod contract;
mod meaning;
mod memory;

pub use meaning::Meant;

use crate::base::bytes::human;
use crate::ir::plan::Plan;
use std::fmt::{self, Display, Formatter};

/// What a plan was found to break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// Everything that is touched lies inside its buffer, and every slot inside its storage.
    Bounds,
    /// Each element is written by one point.
    Once,
    /// What is read is what was last written through the slot.
    Overwritten,
    /// What a step writes, it reads at most where the same point writes.
    Conflict,
    /// What is only lent is not written.
    Lent,
    /// Pointers are exchanged, none lost or doubled.
    Pointers,
    /// Nothing can fail after a donated argument has been written.
    Fault,
    /// Outputs hold their value, in the buffer that is announced.
    Output,
    /// Fresh buffers are exactly the outputs that take over nothing; the arena is as large as what lies in it.
    Allocation,
    /// Each donated argument is matched to one output, or no output could take it.
    Donation,
    /// Outputs and checks are made as they were meant to be.
    Meaning,
}

/// Why a plan gets no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What it breaks.
    pub rule: Rule,
    /// Where: the step, the slot, the bytes or the index.
    pub witness: String,
}

impl Violation {
    fn new(rule: Rule, witness: impl Into<String>) -> Self {
        Self { rule, witness: witness.into() }
    }
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.rule, self.witness)
    }
}

/// One kernel launch, as it was examined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel.
    pub kernel: String,
    /// Maps that visit every element of their buffer once.
    pub dense: usize,
    /// Maps that visit some elements, each once.
    pub sparse: usize,
    /// Buffers that are read where the same point then writes.
    pub in_place: usize,
    /// Accesses at indices that come from memory, or under a guard: their range is the program's own check.
    pub trusted: usize,
}

/// What became of one donated argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The argument's name.
    pub param: String,
    /// The output, and whether it is computed in the argument's buffer; `None` where nothing takes it.
    pub output: Option<(usize, bool)>,
}

/// What was shown of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Certificate {
    /// Launches in the order of the text; each stands for all rounds of the loops that it is in.
    pub launches: Vec<Launch>,
    /// Steps, those of loops and branches counted once.
    pub steps: usize,
    /// Ways in which the pointers of loops arrange themselves, at most.
    pub arrangements: usize,
    /// Bytes of buffers that outputs take because no argument gives them one.
    pub fresh: u64,
    /// Bytes of the arena.
    pub arena: u64,
    /// Donated arguments.
    pub matching: Vec<Match>,
}

impl Certificate {
    /// Bytes that a call allocates: outputs that take over nothing, and the arena.
    #[must_use]
    pub fn allocated(&self) -> u64 {
        self.fresh.saturating_add(self.arena)
    }
}

fn counted(count: usize, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

impl Display for Certificate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sum = |part: fn(&Launch) -> usize| self.launches.iter().map(part).sum::<usize>();
        let (dense, sparse, trusted) = (sum(|l| l.dense), sum(|l| l.sparse), sum(|l| l.trusted));
        let (steps, launches) =
            (counted(self.steps, "step", "steps"), counted(self.launches.len(), "launch", "launches"));
        write!(f, "{steps}, {launches}: no byte is overwritten before its last read")?;
        if self.arrangements > 1 {
            write!(f, ", in {} arrangements of pointers", self.arrangements)?;
        }
        if dense + sparse > 0 {
            write!(f, "; each index is visited once by {}", counted(dense + sparse, "map", "maps"))?;
        }
        if sparse > 0 {
            write!(f, " ({sparse} in part of a buffer)")?;
        }
        let in_place = sum(|l| l.in_place);
        if in_place > 0 {
            write!(f, ", {} read by the points that overwrite", counted(in_place, "buffer is", "buffers are"))?;
        }
        if trusted > 0 {
            write!(f, ", {} from memory", counted(trusted, "index is guarded or", "indices are guarded or"))?;
        }
        let all = human(self.allocated());
        write!(f, ". A call allocates {all}: {} of outputs, {} of arena.", human(self.fresh), human(self.arena))?;
        for Match { param, output } in &self.matching {
            match output {
                Some((output, true)) => write!(f, " {param} becomes output {output} in place.")?,
                Some((output, false)) => write!(f, " {param} is handed over for output {output}.")?,
                None => write!(f, " {param} is taken by no output.")?,
            }
        }
        Ok(())
    }
}

fn need(holds: bool, rule: Rule, witness: impl FnOnce() -> String) -> Result<(), Violation> {
    if holds { Ok(()) } else { Err(Violation::new(rule, witness())) }
}

/// Derives from the plan alone that its memory is used rightly.
///
/// # Errors
/// The first rule that does not hold.
pub fn certify(plan: &Plan) -> Result<Certificate, Violation> {
    contract::storages(plan)?;
    let mut walk = memory::Walk::new(plan)?;
    let ends = walk.run()?;
    let matching = contract::outputs(plan, &ends)?;
    Ok(Certificate {
        launches: walk.launches,
        steps: walk.steps,
        arrangements: walk.arrangements,
        fresh: plan.fresh.iter().sum(),
        arena: plan.arena,
        matching,
    })
}

/// Compares a plan, which has a [`Certificate`], with the steps that it was made of.
///
/// # Errors
/// The first output or check that is made differently.
pub fn means(plan: &Plan, meant: &Meant<'_>) -> Result<(), Violation> {
    meaning::same(plan, meant)
}
