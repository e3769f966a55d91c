//! The plan of a program: which kernels run in which order in which buffers. Plain data; nothing is decided here.
//!
//! A slot is a pointer that steps read and write through. It starts at its [`Storage`]; only [`Step::Permute`] moves
//! pointers (carried buffers of a loop rotate instead of being copied). `passes::place` makes plans and checks them.

use crate::base::{DType, Span};
use crate::ir::array::{Check, ParamKind};
use crate::ir::kernel::Kernel;

/// Index into [`Plan::slots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u32);

/// Where a slot points at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Storage {
    /// The buffer of argument `k` (an array, a captured constant, or the 8 bytes of a scalar).
    Param(usize),
    /// Fresh buffer `k`, allocated at the call and handed to the caller.
    Fresh(usize),
    /// This many bytes into the arena (a multiple of 64).
    Arena(u64),
}

/// A pointer with what it points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SlotInfo {
    /// Where it starts.
    pub storage: Storage,
    /// Bytes that may be touched through it.
    pub bytes: u64,
}

/// How an argument arrives, with its size.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanParam {
    /// How.
    pub kind: ParamKind,
    /// The path that messages show.
    pub name: String,
    /// Element type.
    pub dtype: DType,
    /// Extents.
    pub extents: Vec<u64>,
    /// Bytes.
    pub bytes: u64,
}

/// Where an output's buffer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputSource {
    /// [`Storage::Fresh`]; no donation.
    Fresh(usize),
    /// The argument's own buffer, lent: the result shares it.
    Shared(usize),
    /// The donated argument's own buffer, overwritten or passed on.
    InPlace(usize),
    /// Fresh buffer `fresh`; argument `param` was donated for it and is released after the call.
    HandedOver {
        /// The new buffer.
        fresh: usize,
        /// The donated argument.
        param: usize,
    },
    /// The same buffer as an earlier output.
    Same(usize),
}

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanOutput {
    /// Where its buffer comes from.
    pub source: OutputSource,
    /// The slot whose value it is.
    pub slot: Slot,
    /// Element type.
    pub dtype: DType,
    /// Extents.
    pub extents: Vec<u64>,
    /// Bytes.
    pub bytes: u64,
}

/// One thing that is done.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Runs a kernel with its buffers bound to slots.
    Launch {
        /// Index into [`Plan::kernels`].
        kernel: usize,
        /// One per kernel buffer.
        buffers: Vec<Slot>,
    },
    /// Copies `bytes` from one slot to another; they do not overlap.
    Copy {
        /// Source.
        from: Slot,
        /// Target.
        to: Slot,
        /// How many.
        bytes: u64,
    },
    /// `out[b, m, n] = a[b, m, k] @ b[b, k, n]`, element strides per operand; `out` is dense and overlaps neither.
    Matmul {
        /// Left operand.
        a: MatmulOperand,
        /// Right operand.
        b: MatmulOperand,
        /// Result, row major.
        out: Slot,
        /// `[b, m, k, n]`.
        sizes: [u64; 4],
        /// Element type of all three.
        dtype: DType,
    },
    /// Rows `[outer, extent, inner]` along the middle axis, dense; `out` does not overlap `from`.
    Along {
        /// What is done along it.
        op: AlongOp,
        /// Operand.
        from: Slot,
        /// Result (i32 for Argsort).
        out: Slot,
        /// `[outer, extent, inner]`.
        sizes: [u64; 3],
        /// Operand's dtype.
        dtype: DType,
    },
    /// `target[outer, index[j], inner] = updates[outer, j, inner]` for `j` in order, in place.
    Scatter {
        /// Written.
        target: Slot,
        /// i64, in range.
        index: Slot,
        /// `[outer, count, inner]`.
        updates: Slot,
        /// `[outer, extent, count, inner]`.
        sizes: [u64; 4],
        /// Element type.
        dtype: DType,
    },
    /// Faults with [`Plan::checks`]`[check]` when the bool at `bad` is set.
    Check {
        /// Which.
        check: usize,
        /// A bool.
        bad: Slot,
        /// Rank-0 values for the message.
        shown: Vec<(Slot, DType)>,
    },
    /// Counts `index` (i64) from `start` while it is below `end` (above, for a negative step).
    For {
        /// i64.
        start: Slot,
        /// i64.
        end: Slot,
        /// i64, not 0.
        step: Slot,
        /// Written before each round.
        index: Slot,
        /// The round.
        body: Vec<Step>,
    },
    /// Runs `condition`, then `body` while the bool at `flag` is set.
    While {
        /// Computes the flag.
        condition: Vec<Step>,
        /// A bool.
        flag: Slot,
        /// The round.
        body: Vec<Step>,
    },
    /// One of two.
    If {
        /// A bool.
        flag: Slot,
        /// When set.
        then: Vec<Step>,
        /// When not.
        otherwise: Vec<Step>,
    },
    /// Every `to` slot takes the pointer that its `from` slot had, all at once. A permutation of pointers.
    Permute(Vec<(Slot, Slot)>),
}

impl Step {
    /// Whether it may fault, itself or a step within.
    #[must_use]
    pub fn checks(&self) -> bool {
        let any = |steps: &[Self]| steps.iter().any(Self::checks);
        match self {
            Self::Check { .. } => true,
            Self::For { body, .. } => any(body),
            Self::While { condition, body, .. } => any(condition) || any(body),
            Self::If { then, otherwise, .. } => any(then) || any(otherwise),
            _ => false,
        }
    }
}

/// An operand of a matrix product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatmulOperand {
    /// The buffer.
    pub slot: Slot,
    /// First element.
    pub offset: u64,
    /// Element strides of `[b, row, column]`; 0 repeats.
    pub strides: [i64; 3],
}

/// What [`Step::Along`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlongOp {
    /// Running sum.
    Cumsum,
    /// Ascending, stable, NaN last.
    Sort,
    /// The permutation.
    Argsort,
}

/// A program ready to be checked and run.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Plan {
    /// Arguments in order.
    pub params: Vec<PlanParam>,
    /// Results in order.
    pub outputs: Vec<PlanOutput>,
    /// Bytes of each fresh buffer.
    pub fresh: Vec<u64>,
    /// Bytes of the arena.
    pub arena: u64,
    /// Pointers.
    pub slots: Vec<SlotInfo>,
    /// Loop nests.
    pub kernels: Vec<Kernel>,
    /// What is done, in order.
    pub steps: Vec<Step>,
    /// Faults that steps may raise, with their places.
    pub checks: Vec<(Check, Span)>,
    /// What became of each donated argument.
    pub donations: Vec<Donation>,
}

/// The verdict on one donated argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Donation {
    /// The argument.
    pub param: usize,
    /// What became of it.
    pub verdict: Verdict,
}

/// In place, handed over, or refused; section 6 of the language guide.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Output `output` is computed in the buffer.
    InPlace {
        /// Which.
        output: usize,
    },
    /// Output `output` has the bytes but needs its own buffer during the call.
    HandedOver {
        /// Which.
        output: usize,
        /// Why not in place, with a witness.
        why: String,
    },
    /// Nothing takes it.
    Refused(Refusal),
}

/// Why no output takes a donated buffer, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// An output has the bytes but is taken by another donation.
    NoOutputLeft,
    /// An output has the elements, but of another width.
    DType,
    /// No output has the number of elements.
    Shape,
    /// Symbolic sizes not known equal.
    NotProvable,
}
