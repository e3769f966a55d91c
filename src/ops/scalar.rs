//! The scalar operations: what one element is computed from. The kernel IR has these and no others.
//!
//! An operation takes operands of one dtype (except [`ScalarOp::Select`], whose first operand is a bool, and the
//! shifts' like) and gives [`ScalarOp::result`]. Its meaning, exactly, for every dtype, is `evaluate` in
//! `ops/evaluate.rs`; every backend must give the same bits. Transcendental functions are no scalar operations: they are formulas over
//! these (`ops/formula/`), so that every backend computes the same bits.

use crate::base::{DType, Literal};

/// One operation on elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarOp {
    /// `a + b`; ints wrap, bool is `or`.
    Add,
    /// `a - b`; ints wrap.
    Sub,
    /// `a * b`; ints wrap, bool is `and`.
    Mul,
    /// `a / b` of floats, rounded to nearest.
    Div,
    /// `a // b`: ints floor (a zero divisor gives 0 here: checked before), `MIN // -1` wraps. Ints only.
    FloorDiv,
    /// `a % b` with the divisor's sign, ints only (zero divisor gives 0; checked before).
    Mod,
    /// C `fmod` of floats: exact remainder with the dividend's sign.
    Rem,
    /// `a * b + c` rounded once, floats.
    Fma,
    /// Larger; NaN wins, `-0.0 < +0.0`.
    Max,
    /// Smaller; NaN wins, `-0.0 < +0.0`.
    Min,
    /// `-a`: sign bit flipped for floats, wraps for ints.
    Neg,
    /// Absolute value: sign bit cleared for floats, wraps for `MIN`.
    Abs,
    /// Rounded towards minus infinity, floats.
    Floor,
    /// Rounded towards plus infinity, floats.
    Ceil,
    /// Rounded to nearest, ties to even, floats.
    Round,
    /// Rounded towards zero, floats.
    Trunc,
    /// Square root rounded to nearest, floats.
    Sqrt,
    /// `a == b` -> bool; false with NaN.
    Eq,
    /// `a != b` -> bool; true with NaN.
    Ne,
    /// `a < b` -> bool.
    Lt,
    /// `a <= b` -> bool.
    Le,
    /// Bitwise and, ints and bool.
    And,
    /// Bitwise or, ints and bool.
    Or,
    /// Bitwise exclusive or, ints and bool.
    Xor,
    /// Bitwise not, ints; logical for bool.
    Not,
    /// `a << b`; 0 when `b` is outside `0..bits` (as in JAX).
    Shl,
    /// `a >> b`, arithmetic for signed; all sign bits (or 0) when `b` is outside `0..bits`.
    Shr,
    /// Logical shift right whatever the sign; 0 when `b` is outside `0..bits`.
    ShrLogical,
    /// `if a { b } else { c }`; `a` is bool.
    Select,
    /// Conversion of the value: float to int saturates, NaN is 0; int to int wraps; to float rounds to nearest
    /// even (to f16/bf16 from 64-bit types by way of f32); to bool is `!= 0`.
    Cast(DType),
    /// The same bits as another dtype of equal width.
    Bitcast(DType),
}

impl ScalarOp {
    /// Number of operands.
    #[must_use]
    pub fn arity(self) -> usize {
        match self {
            Self::Neg
            | Self::Abs
            | Self::Floor
            | Self::Ceil
            | Self::Round
            | Self::Trunc
            | Self::Sqrt
            | Self::Not
            | Self::Cast(_)
            | Self::Bitcast(_) => 1,
            Self::Fma | Self::Select => 3,
            _ => 2,
        }
    }

    /// The dtype of the result, for operands of `operand` (for [`Self::Select`]: of the two alternatives).
    #[must_use]
    pub fn result(self, operand: DType) -> DType {
        match self {
            Self::Eq | Self::Ne | Self::Lt | Self::Le => DType::Bool,
            Self::Cast(to) | Self::Bitcast(to) => to,
            _ => operand,
        }
    }

    /// Whether operands of this dtype make sense.
    #[must_use]
    pub fn takes(self, operand: DType) -> bool {
        match self {
            Self::Div | Self::Rem | Self::Fma | Self::Floor | Self::Ceil | Self::Round | Self::Trunc | Self::Sqrt => {
                operand.is_float()
            }
            Self::FloorDiv | Self::Mod | Self::Shl | Self::Shr | Self::ShrLogical => operand.is_int(),
            Self::And | Self::Or | Self::Xor | Self::Not => !operand.is_float(),
            Self::Sub | Self::Neg | Self::Abs => operand != DType::Bool,
            Self::Bitcast(to) => to.bytes() == operand.bytes(),
            _ => true,
        }
    }

    /// The name in the printed IR.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Cast(to) => format!("cast.{to}"),
            Self::Bitcast(to) => format!("bitcast.{to}"),
            Self::ShrLogical => "shr_logical".into(),
            Self::FloorDiv => "floordiv".into(),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    /// The operation of that printed name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        if let Some(dtype) = name.strip_prefix("cast.") {
            return DType::parse(dtype).map(Self::Cast);
        }
        if let Some(dtype) = name.strip_prefix("bitcast.") {
            return DType::parse(dtype).map(Self::Bitcast);
        }
        Self::PLAIN.into_iter().find(|op| op.name() == name)
    }

    /// All that carry no dtype.
    pub const PLAIN: [Self; 29] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::FloorDiv,
        Self::Mod,
        Self::Rem,
        Self::Fma,
        Self::Max,
        Self::Min,
        Self::Neg,
        Self::Abs,
        Self::Floor,
        Self::Ceil,
        Self::Round,
        Self::Trunc,
        Self::Sqrt,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Not,
        Self::Shl,
        Self::Shr,
        Self::ShrLogical,
        Self::Select,
    ];
}

/// What a formula is written against: something that takes scalar operations one by one.
///
/// Implemented by the kernel builder (emits instructions) and by the evaluator (computes at once).
pub trait ScalarBuilder {
    /// A handle to one value.
    type Value: Copy;
    /// The dtype of a value.
    fn dtype(&self, value: Self::Value) -> DType;
    /// A constant.
    fn constant(&mut self, literal: Literal) -> Self::Value;
    /// One operation.
    fn op(&mut self, op: ScalarOp, operands: &[Self::Value]) -> Self::Value;
}

/// A named function of elements that is a formula over [`ScalarOp`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    /// e to the x.
    Exp,
    /// e to the x, less 1.
    Expm1,
    /// Natural logarithm.
    Log,
    /// Logarithm of 1 + x.
    Log1p,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Tangent.
    Tan,
    /// Hyperbolic tangent.
    Tanh,
    /// 1 / (1 + exp(-x)).
    Sigmoid,
    /// Error function.
    Erf,
    /// 1 / sqrt(x).
    Rsqrt,
    /// x to the y (two operands, floats): C99 `pow`.
    Power,
    /// -1, 0 or 1 with the operand's dtype; NaN stays; signed zeros stay. Ints too.
    Sign,
}

impl Function {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::Exp,
        Self::Expm1,
        Self::Log,
        Self::Log1p,
        Self::Sin,
        Self::Cos,
        Self::Tan,
        Self::Tanh,
        Self::Sigmoid,
        Self::Erf,
        Self::Rsqrt,
        Self::Power,
        Self::Sign,
    ];

    /// Number of operands.
    #[must_use]
    pub fn arity(self) -> usize {
        if self == Self::Power { 2 } else { 1 }
    }

    /// The name in programs and in the printed IR.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exp => "exp",
            Self::Expm1 => "expm1",
            Self::Log => "log",
            Self::Log1p => "log1p",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Tan => "tan",
            Self::Tanh => "tanh",
            Self::Sigmoid => "sigmoid",
            Self::Erf => "erf",
            Self::Rsqrt => "rsqrt",
            Self::Power => "power",
            Self::Sign => "sign",
        }
    }

    /// The function of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }
}
