//! Instructions as they are executed: checked, with operands resolved.
//!
//! Invariant: every operand is a register; constants, special registers and addresses of shared arrays are registers
//! that are filled before a kernel starts. Operations with fewer than three operands repeat the first one.

use crate::types::Type;

/// Index of a register in a kernel's file.
pub(crate) type Reg = usize;

/// Integer and bit operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntOp {
    Add,
    Sub,
    MulLow,
    MulHigh,
    MulWide,
    MadLow,
    MadWide,
    Div,
    Rem,
    Neg,
    Abs,
    Min,
    Max,
    And,
    Or,
    Xor,
    Not,
    ShiftLeft,
    ShiftRight,
    LeadingZeros,
    Population,
    Reverse,
}

/// Floating-point operations, rounded to nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatOp {
    Add,
    Sub,
    Mul,
    Fma,
    Div,
    Sqrt,
    Neg,
    Abs,
    /// The number, when the other is NaN.
    Min,
    /// The number, when the other is NaN.
    Max,
    /// NaN, when either is.
    MinNan,
    /// NaN, when either is.
    MaxNan,
    /// The sign of the first on the magnitude of the second.
    CopySign,
}

/// Comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// Whether equal operands satisfy it.
    pub(crate) equal: bool,
    /// Whether a smaller first operand does.
    pub(crate) less: bool,
    /// Whether a larger first operand does.
    pub(crate) greater: bool,
    /// Whether a NaN among them does.
    pub(crate) unordered: bool,
}

/// How a setp joins its result with a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joined {
    /// Not at all.
    Alone,
    And,
    Or,
    Xor,
}

/// Directions of rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    /// To the nearest, ties to even.
    Nearest,
    /// To zero.
    Zero,
    /// Down.
    Minus,
    /// Up.
    Plus,
}

/// What a thread computes from up to three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alu {
    Move,
    Int { op: IntOp, signed: bool, bits: u32 },
    Float32(FloatOp),
    Float64(FloatOp),
    Compare { comparison: Comparison, of: Type, joined: Joined, negated: bool },
    Convert { to: Type, from: Type, rounding: Option<Rounding>, width: u32 },
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Global,
    Shared,
}

/// How a shuffle picks its source lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Compute { alu: Alu, to: Reg, a: Reg, b: Reg, c: Reg },
    Select { to: Reg, a: Reg, b: Reg, condition: Reg },
    Parameter { to: Reg, index: usize },
    Load { space: Space, of: Type, to: Vec<Reg>, widths: u32, base: Reg, offset: i64 },
    Store { space: Space, of: Type, from: Vec<Reg>, base: Reg, offset: i64 },
    Pack { to: Reg, from: Vec<Reg>, bits: u32 },
    Unpack { to: Vec<Reg>, from: Reg, bits: u32 },
    Shuffle { mode: ShuffleMode, to: Reg, valid: Option<Reg>, value: Reg, lane: Reg, clamp: Reg, mask: u32 },
    Branch { target: usize, uniform: bool },
    Barrier,
    Return,
    Trap,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// Line of the text.
    pub(crate) line: u32,
    /// The predicate under which it is executed, and whether that is negated.
    pub(crate) guard: Option<(Reg, bool)>,
    /// What it does.
    pub(crate) op: Op,
}

/// An array in shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SharedArray {
    /// Its address.
    pub(crate) base: u64,
    /// Its bytes; `None` for the one array whose size the launch gives.
    pub(crate) bytes: Option<u64>,
}

/// What a register holds before a kernel starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preset {
    /// The same number in every thread.
    Constant(u64),
    /// `%tid.x`.
    Thread,
    /// `%ntid.x`.
    Threads,
    /// `%ctaid.x`.
    Block,
    /// `%nctaid.x`.
    Blocks,
    /// `%laneid`.
    Lane,
}

/// An entry, ready to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    /// Its name.
    pub(crate) name: String,
    /// How many parameters it takes, each 8 bytes.
    pub(crate) params: usize,
    /// How many registers, presets included.
    pub(crate) registers: usize,
    /// Registers that are filled beforehand.
    pub(crate) presets: Vec<(Reg, Preset)>,
    /// Names of registers, for messages.
    pub(crate) names: Vec<String>,
    /// Arrays in shared memory, by address.
    pub(crate) shared: Vec<SharedArray>,
    /// The most threads that a block may have.
    pub(crate) most_threads: u32,
    /// The code; its last instruction is a return.
    pub(crate) code: Vec<Instruction>,
}
