//! The array IR: a program over whole arrays, in SSA form, with regions for loops and conditions.
//!
//! Invariants (the verifier's): every value is defined once and before its uses, in its own region or one around it;
//! operand and result types obey [`OpKind`]'s rules; an operation has no effect but [`OpKind::Check`], which may stop
//! the program. The meaning of each operation is that of `backends/reference`.

pub mod builder;
pub mod infer;
pub mod parse;
pub mod print;
pub mod verify;
#[cfg(test)]
mod tests;

pub use builder::Builder;

use crate::base::{DType, Literal, Shape, Size, Span};
use crate::ops::scalar::{Function, ScalarOp};

/// A value of a [`Program`]: index into [`Program::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// Element type and extents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayType {
    /// Element type.
    pub dtype: DType,
    /// Extents, row major.
    pub shape: Shape,
}

impl ArrayType {
    /// The type of these elements in this shape.
    #[must_use]
    pub fn new(dtype: DType, shape: Shape) -> Self {
        Self { dtype, shape }
    }

    /// A rank-0 array of `dtype`.
    #[must_use]
    pub fn scalar(dtype: DType) -> Self {
        Self { dtype, shape: Shape::default() }
    }

    /// Size in bytes as a polynomial; `None` when it does not fit 63 bits.
    #[must_use]
    pub fn bytes(&self) -> Option<Size> {
        self.shape.elements()?.mul(&Size::from(self.dtype.bytes() as u64))
    }
}

impl std::fmt::Display for ArrayType {
    /// `f32[2048, n]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

/// How an argument of a program arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamKind {
    /// A buffer of the caller; given away or only lent.
    Array {
        /// Whether the program may take the buffer over.
        donated: bool,
    },
    /// A constant copy that the cache holds.
    Captured,
    /// A host scalar, passed by value: `i64[]`, `f64[]` or `bool[]`.
    Scalar,
}

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The value in the body.
    pub value: Value,
    /// How it arrives.
    pub kind: ParamKind,
    /// The path that messages show: `params.w`.
    pub name: String,
}

/// A whole program.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Program {
    /// Arguments in order; their values are the parameters of `body` too.
    pub params: Vec<Param>,
    /// The type of every value.
    pub types: Vec<ArrayType>,
    /// What is computed; its results are the outputs.
    pub body: Region,
}

impl Program {
    /// The type of a value of this program.
    #[must_use]
    pub fn ty(&self, value: Value) -> &ArrayType {
        &self.types[value.0 as usize]
    }
}

/// A sequence of operations with its own parameters and results. It may read values defined around it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Region {
    /// Values bound on entry.
    pub params: Vec<Value>,
    /// In order of execution.
    pub ops: Vec<Op>,
    /// What leaves it.
    pub results: Vec<Value>,
}

/// One operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Which.
    pub kind: OpKind,
    /// What it reads.
    pub operands: Vec<Value>,
    /// What it defines.
    pub results: Vec<Value>,
    /// Bodies of loops and branches.
    pub regions: Vec<Region>,
    /// The place in the program that asked for it.
    pub span: Span,
}

/// How a reduction combines. Sum and Prod follow the tree of `docs/reductions.md`; the others do not depend on order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReduceOp {
    /// Identity 0 (+0.0); ints wrap.
    Sum,
    /// Identity 1; ints wrap.
    Prod,
    /// NaN wins, -0.0 below +0.0. Identity: the dtype's least value (-inf).
    Max,
    /// Likewise. Identity: the dtype's greatest value (+inf).
    Min,
    /// Of bools; identity false.
    Any,
    /// Of bools; identity true.
    All,
    /// Index (i32, within the reduced axes in row-major order) of the first NaN, else of the first largest.
    ArgMax,
    /// Index of the first NaN, else of the first smallest.
    ArgMin,
}

/// A condition under which the running program stops with a fault.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Check {
    /// Stable code, `R....`.
    pub code: &'static str,
    /// What happened; `{0}`, `{1}` stand for the shown operands.
    pub message: String,
    /// How to avoid it.
    pub help: Option<String>,
}

/// The operations. "Extent" rules speak of sizes proved equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// `[] -> dtype[]`.
    Const(Literal),
    /// `[] -> int or float dtype, any shape`: the index along `axis`.
    Iota {
        /// The counted axis.
        axis: usize,
    },
    /// Operands of one shape (and dtype, as the scalar operation asks) -> that shape.
    Map(ScalarOp),
    /// Likewise; a formula over scalar operations. Float operands (`sign`: ints too).
    Function(Function),
    /// `x -> result shape`: operand axis `k` lies along result axis `axes[k]` (strictly increasing) with an equal extent, or extent 1.
    Broadcast {
        /// One per operand axis.
        axes: Vec<usize>,
    },
    /// Same elements in row-major order, another shape.
    Reshape,
    /// Result axis `k` is operand axis `perm[k]`.
    Transpose(Vec<usize>),
    /// Result element `i` is operand element `start + i * step`, per axis; all in range.
    Slice {
        /// First element, per axis.
        starts: Vec<Size>,
        /// Stride, per axis; not 0, may be negative.
        steps: Vec<i64>,
    },
    /// `x, fill[] -> result shape`: element `i` is `x[i - low]` where that is in range, else `fill`.
    Pad {
        /// Elements before, per axis, `>= 0`.
        low: Vec<Size>,
    },
    /// One or more operands that agree but along `axis`.
    Concat {
        /// Where they are put together.
        axis: usize,
    },
    /// `x -> shape without axes`.
    Reduce {
        /// How.
        op: ReduceOp,
        /// Strictly increasing.
        axes: Vec<usize>,
    },
    /// Running sum along an axis, in order, from the first element; ints wrap.
    Cumsum {
        /// Along this axis.
        axis: usize,
    },
    /// Ascending along an axis, stable; NaN last, -0.0 equal to +0.0.
    Sort {
        /// Along this axis.
        axis: usize,
    },
    /// The permutation (i32) that [`Self::Sort`] applies.
    Argsort {
        /// Along this axis.
        axis: usize,
    },
    /// `[b, m, k], [b, k, n] -> [b, m, n]` of one dtype.
    Matmul,
    /// `x, index (i64, any rank) -> x.shape[..axis] + index.shape + x.shape[axis + 1..]`; every index in range.
    Gather {
        /// The indexed axis.
        axis: usize,
    },
    /// `x, index (i64, rank 1), updates -> x.shape`: slices of `updates` along `axis` replace those of `x`; of equal indices the last wins.
    Scatter {
        /// The indexed axis.
        axis: usize,
    },
    /// `x, start (i64[]) per axis -> result shape`: the block that begins there; in range.
    DynamicSlice,
    /// `x, update, start (i64[]) per axis -> x.shape`: element `start + i * step` becomes `update[i]`; in range.
    Update {
        /// Stride per axis, not 0, may be negative.
        steps: Vec<i64>,
    },
    /// `x -> x`, in a buffer of its own.
    Copy,
    /// `bad: bool[], shown ([]) ... ->` nothing: stops the program when `bad`.
    Check(Check),
    /// `start, end, step (i64[]), carried... -> carried...`; region `(index: i64[], carried...) -> carried...`. The step is not 0.
    For,
    /// `carried... -> carried...`; regions `(carried...) -> bool[]` and `(carried...) -> carried...`.
    While,
    /// `condition: bool[] -> results...`; regions `() -> results...`, when true and when false.
    If,
}

impl OpKind {
    /// The same operation with other sizes in its attributes.
    #[must_use]
    pub fn with_sizes(&self, size: &dyn Fn(&Size) -> Size) -> Self {
        match self {
            Self::Slice { starts, steps } => {
                Self::Slice { starts: starts.iter().map(size).collect(), steps: steps.clone() }
            }
            Self::Pad { low } => Self::Pad { low: low.iter().map(size).collect() },
            other => other.clone(),
        }
    }
}

impl ReduceOp {
    /// Combines two elements; none for the position of the largest or smallest.
    #[must_use]
    pub fn combiner(self) -> Option<ScalarOp> {
        Some(match self {
            Self::Sum => ScalarOp::Add,
            Self::Prod => ScalarOp::Mul,
            Self::Max => ScalarOp::Max,
            Self::Min => ScalarOp::Min,
            Self::Any => ScalarOp::Or,
            Self::All => ScalarOp::And,
            Self::ArgMax | Self::ArgMin => return None,
        })
    }

    /// What a reduction of nothing gives.
    #[must_use]
    pub fn identity(self, dtype: DType) -> Literal {
        match (self, dtype) {
            (Self::Sum | Self::Any, _) => Literal::from_i64(dtype, 0),
            (Self::Prod | Self::All, _) => Literal::from_i64(dtype, 1),
            (Self::Max, DType::I64) => Literal::from_i64(dtype, i64::MIN),
            (Self::Min, DType::I64) => Literal::from_i64(dtype, i64::MAX),
            (Self::Max, DType::Bool) => Literal::from_bool(false),
            (Self::Min, DType::Bool) => Literal::from_bool(true),
            (Self::Max, _) => Literal::from_f64(dtype, f64::NEG_INFINITY),
            (Self::Min, _) => Literal::from_f64(dtype, f64::INFINITY),
            (Self::ArgMax | Self::ArgMin, _) => Literal::from_i64(DType::I32, 0),
        }
    }
}
