//! The kernel IR: how one loop nest computes elements and where it puts them.
//!
//! A kernel runs its [`Body`] once for every point of `extents` (row major, in any order and in parallel: points are
//! independent). Loads and stores are at *element* offsets given by [`Index`] expressions. All numbers are known.
//! Invariants (the verifier's): instructions use earlier ones only; every executed load and store is in range; no two
//! points store to one element; a buffer that is both loaded and stored is loaded only by the point that stores
//! there, before it does.

pub mod print;
mod range;
pub mod verify;

use crate::base::{DType, Literal};
use crate::ir::array::ReduceOp;
use crate::ops::scalar::ScalarOp;

/// A loop nest over buffers.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// For people: `add_mul_2048x2048`.
    pub name: String,
    /// Buffers by position; a launch binds each to a slot.
    pub buffers: Vec<BufferInfo>,
    /// The parallel axes, outermost first; loop variable `k` runs over `0..extents[k]`.
    pub extents: Vec<u64>,
    /// What happens at each point.
    pub body: Body,
}

/// What a kernel knows of one buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferInfo {
    /// Element type (as this kernel sees it).
    pub dtype: DType,
    /// Number of elements.
    pub elements: u64,
    /// Whether the kernel stores into it.
    pub stored: bool,
}

/// What happens at one point.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// `block`, then the stores.
    Map {
        /// Computes the stored values.
        block: Block,
        /// Where they go.
        stores: Vec<Store>,
    },
    /// A reduction over `inner` at each point, then a block over its result.
    ///
    /// The elements are numbered `r` in row-major order over `inner`. Sum and Prod: elements are cut into chunks of
    /// [`CHUNK`]; in a chunk, lane `l` of [`LANES`] starts at the identity and combines elements `l`, `l + 32`, ... in
    /// order; then lanes halve: lane `i` combines with lane `i + 16`, then 8, 4, 2, 1. More than one chunk: the chunk
    /// results, in order, are reduced in the same way, as often as needed. No element: the identity.
    Reduce {
        /// The reduced axes; loop variable `extents.len() + k` runs over `0..inner[k]`.
        inner: Vec<u64>,
        /// Computes the reduced value from all loop variables.
        block: Block,
        /// The instruction of `block` that is reduced.
        value: Inst,
        /// How.
        op: ReduceOp,
        /// Runs once per point on the result: its instruction 0 is [`InstKind::Reduced`].
        finish: Block,
        /// Values of `finish` and where they go.
        stores: Vec<Store>,
    },
}

/// Elements per chunk of the reduction tree.
pub const CHUNK: u64 = 4096;
/// Lanes per chunk of the reduction tree.
pub const LANES: u64 = 32;

/// Straight-line scalar code.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Block {
    /// In order.
    pub insts: Vec<InstData>,
}

/// An instruction of a block, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inst(pub u32);

/// One instruction and the dtype of its value.
#[derive(Clone, Debug, PartialEq)]
pub struct InstData {
    /// What it does.
    pub kind: InstKind,
    /// What it gives.
    pub dtype: DType,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum InstKind {
    /// A constant.
    Const(Literal),
    /// An element of a buffer. With a guard (a bool instruction): only where it is true, else the value is zero bits.
    Load {
        /// Position in [`Kernel::buffers`].
        buffer: usize,
        /// Element offset.
        index: Index,
        /// When the load happens.
        guard: Option<Inst>,
    },
    /// The value of an index expression, as `i64`.
    Index(Index),
    /// A scalar operation.
    Op(ScalarOp, Vec<Inst>),
    /// The result of the reduction (first instruction of `finish`).
    Reduced,
}

/// One element written.
#[derive(Clone, Debug, PartialEq)]
pub struct Store {
    /// Position in [`Kernel::buffers`].
    pub buffer: usize,
    /// Element offset; may use loop variables of `extents` and instructions of the block.
    pub index: Index,
    /// The instruction whose value is written.
    pub value: Inst,
}

/// An integer expression: `constant + sum of coefficient * atom`, all `i64` without overflow.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Index {
    /// Sorted by atom, no zero coefficient.
    pub terms: Vec<(Atom, i64)>,
    /// The rest.
    pub constant: i64,
}

/// What an index expression is linear in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// A loop variable.
    Var(u32),
    /// An instruction of the same block, of dtype `i64`.
    Value(Inst),
    /// Floor division of a non-negative expression by a positive number.
    Div(Box<Index>, u64),
    /// Its remainder.
    Mod(Box<Index>, u64),
}

impl Index {
    /// Whether it depends on the value of an instruction, so that its range is not known from the loops.
    #[must_use]
    pub fn from_value(&self) -> bool {
        self.terms.iter().any(|(atom, _)| match atom {
            Atom::Var(_) => false,
            Atom::Value(_) => true,
            Atom::Div(inner, _) | Atom::Mod(inner, _) => inner.from_value(),
        })
    }
}

impl Kernel {
    /// Whether it loads or stores at an index that is in range only because the program has checked it before.
    #[must_use]
    pub fn trusts_checks(&self) -> bool {
        let (blocks, stores): (&[&Block], _) = match &self.body {
            Body::Map { block, stores } => (&[block], stores),
            Body::Reduce { block, finish, stores, .. } => (&[block, finish], stores),
        };
        let mut insts = blocks.iter().flat_map(|block| &block.insts);
        insts.any(InstData::trusts_checks) || stores.iter().any(|store| store.index.from_value())
    }
}

impl InstData {
    /// Whether it is a load of that kind.
    #[must_use]
    pub fn trusts_checks(&self) -> bool {
        matches!(&self.kind, InstKind::Load { index, .. } if index.from_value())
    }
}

impl PartialOrd for Index {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Index {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.terms.cmp(&other.terms).then(self.constant.cmp(&other.constant))
    }
}
