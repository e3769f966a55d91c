//! Arithmetic on host values that are known: ints of 64 bits that wrap, floats of 64 bits, sizes as polynomials.
//!
//! Invariant: a folded result has the bits that the program would compute (`operators`, `power`), so that it never
//! shows whether a value was known early.

use crate::base::{DType, Literal, Size, Symbol};
use crate::ops::evaluate::Evaluator;
use crate::ops::formula;
use crate::ops::scalar::Function;
use crate::sema::value::{HostKind, Known};
use crate::syntax::ast::BinaryOp;

/// Longest string that is put together.
const LONGEST_TEXT: usize = 1 << 20;
/// Most terms of a polynomial: larger ones are computed by the program, as numbers.
const MOST_TERMS: usize = 256;

/// What folding gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Folded {
    /// The result.
    Value(Known),
    /// Not expressible: to be computed by the program.
    Unknown,
    /// An int was divided by zero.
    DivisionByZero,
}

/// `a op b`; the operands are of kinds that the operator takes.
#[must_use]
pub fn binary(op: BinaryOp, a: &Known, b: &Known) -> Folded {
    match (a, b) {
        (Known::Str(a), Known::Str(b)) => match op {
            BinaryOp::Eq => Folded::Value(Known::Bool(a == b)),
            BinaryOp::Ne => Folded::Value(Known::Bool(a != b)),
            BinaryOp::Add if a.len().saturating_add(b.len()) <= LONGEST_TEXT => {
                Folded::Value(Known::Str(format!("{a}{b}").into()))
            }
            _ => Folded::Unknown,
        },
        (Known::Bool(a), Known::Bool(b)) if matches!(op, BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor) => {
            Folded::Value(Known::Bool(match op {
                BinaryOp::BitAnd => a & b,
                BinaryOp::BitOr => a | b,
                _ => a ^ b,
            }))
        }
        _ => match (int(a), int(b)) {
            (Some(Size::Known(a)), Some(Size::Known(b))) if op != BinaryOp::Div => ints(op, a, b),
            (Some(a), Some(b)) if op != BinaryOp::Div => sizes(op, &a, &b),
            _ => match (float(a), float(b), int(b)) {
                (Some(a), _, Some(Size::Known(b))) if op == BinaryOp::Pow => {
                    Folded::Value(Known::Float(integer_power(a, b)))
                }
                (Some(a), Some(b), _) => floats(op, a, b),
                _ => Folded::Unknown,
            },
        },
    }
}

/// The kind of the result, `None` where the operator does not take these.
#[must_use]
pub fn kind(op: BinaryOp, a: HostKind, b: HostKind) -> Option<HostKind> {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Eq, Ge, Gt, Le, Lt, MatMul, Ne, Shl, Shr};
    let strings = (a == HostKind::Str, b == HostKind::Str);
    match (op, strings) {
        (Eq | Ne, (true, true)) => return Some(HostKind::Bool),
        (Add, (true, true)) => return Some(HostKind::Str),
        (_, (false, false)) => {}
        _ => return None,
    }
    let float = a == HostKind::Float || b == HostKind::Float;
    match op {
        Lt | Le | Gt | Ge | Eq | Ne => Some(HostKind::Bool),
        Div => Some(HostKind::Float),
        MatMul => None,
        BitAnd | BitOr | BitXor | Shl | Shr if float => None,
        BitAnd | BitOr | BitXor if a == HostKind::Bool && b == HostKind::Bool => Some(HostKind::Bool),
        _ if float => Some(HostKind::Float),
        _ => Some(HostKind::Int),
    }
}

fn int(known: &Known) -> Option<Size> {
    match known {
        Known::Int(size) => Some(size.clone()),
        Known::Bool(b) => Some(Size::Known(i64::from(*b))),
        _ => None,
    }
}

fn float(known: &Known) -> Option<f64> {
    match known {
        Known::Int(Size::Known(n)) => Some(*n as f64),
        Known::Float(x) => Some(*x),
        Known::Bool(b) => Some(f64::from(u8::from(*b))),
        _ => None,
    }
}

fn ints(op: BinaryOp, a: i64, b: i64) -> Folded {
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::FloorDiv | BinaryOp::Mod if b == 0 => return Folded::DivisionByZero,
        BinaryOp::FloorDiv => floor_divide(a, b),
        BinaryOp::Mod => a.wrapping_sub(floor_divide(a, b).wrapping_mul(b)),
        BinaryOp::Pow if b < 0 => return Folded::Value(Known::Float(integer_power(a as f64, b))),
        BinaryOp::Pow => wrapping_power(a, b.unsigned_abs()),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Shl => u32::try_from(b).ok().and_then(|b| a.checked_shl(b)).unwrap_or(0),
        BinaryOp::Shr => u32::try_from(b).ok().and_then(|b| a.checked_shr(b)).unwrap_or(a >> 63),
        BinaryOp::Lt => return truth(a < b),
        BinaryOp::Le => return truth(a <= b),
        BinaryOp::Gt => return truth(a > b),
        BinaryOp::Ge => return truth(a >= b),
        BinaryOp::Eq => return truth(a == b),
        BinaryOp::Ne => return truth(a != b),
        BinaryOp::Or | BinaryOp::And | BinaryOp::Div | BinaryOp::MatMul => return Folded::Unknown,
    };
    Folded::Value(Known::Int(Size::Known(value)))
}

fn truth(value: bool) -> Folded {
    Folded::Value(Known::Bool(value))
}

fn floor_divide(a: i64, b: i64) -> i64 {
    let quotient = a.wrapping_div(b);
    if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { quotient.wrapping_sub(1) } else { quotient }
}

fn wrapping_power(mut base: i64, mut exponent: u64) -> i64 {
    let mut product = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = product.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    product
}

/// Repeated squaring, the order of multiplications that `power` compiles.
fn integer_power(mut base: f64, exponent: i64) -> f64 {
    let mut product = 1.0;
    let mut left = exponent.unsigned_abs();
    while left > 0 {
        if left & 1 == 1 {
            product *= base;
        }
        base *= base;
        left >>= 1;
    }
    if exponent < 0 { 1.0 / product } else { product }
}

fn floats(op: BinaryOp, a: f64, b: f64) -> Folded {
    let rest = a % b;
    let crosses = rest != 0.0 && (rest < 0.0) != (b < 0.0);
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        BinaryOp::FloorDiv if b == 0.0 => a / b,
        BinaryOp::FloorDiv => {
            let quotient = (a - rest) / b;
            let floored = (if crosses { quotient - 1.0 } else { quotient }).round_ties_even();
            if floored == 0.0 { (a / b).trunc() } else { floored }
        }
        BinaryOp::Mod if crosses => rest + b,
        BinaryOp::Mod if rest == 0.0 => {
            if b < 0.0 {
                -0.0
            } else {
                0.0
            }
        }
        BinaryOp::Mod => rest,
        BinaryOp::Pow => power(a, b),
        BinaryOp::Lt => return truth(a < b),
        BinaryOp::Le => return truth(a <= b),
        BinaryOp::Gt => return truth(a > b),
        BinaryOp::Ge => return truth(a >= b),
        BinaryOp::Eq => return truth(a == b),
        BinaryOp::Ne => return truth(a != b),
        _ => return Folded::Unknown,
    };
    Folded::Value(Known::Float(value))
}

/// The formula that programs compute, so that both have the same bits.
fn power(a: f64, b: f64) -> f64 {
    let operands = [Literal::from_f64(DType::F64, a), Literal::from_f64(DType::F64, b)];
    formula::build(&mut Evaluator, Function::Power, &operands).to_f64()
}

/// Whether the polynomial is `>= 0` for every size, as far as its coefficients show.
#[must_use]
pub fn never_negative(size: &Size) -> bool {
    match size {
        Size::Known(n) => *n >= 0,
        Size::Polynomial(terms) => terms.values().all(|&coefficient| coefficient >= 0),
    }
}

/// The symbol that stands for an operation on sizes that is no polynomial; the same text is the same symbol.
#[must_use]
pub fn named(text: &str) -> Size {
    Size::symbol(Symbol::new(text))
}

fn sizes(op: BinaryOp, a: &Size, b: &Size) -> Folded {
    let value = match op {
        BinaryOp::Add => a.add(b),
        BinaryOp::Sub => a.sub(b),
        BinaryOp::Mul => a.mul(b),
        BinaryOp::FloorDiv | BinaryOp::Mod => match b.constant() {
            Some(0) => return Folded::DivisionByZero,
            Some(positive) if positive > 0 => {
                let exact = a.div_exact(b);
                match (op, exact) {
                    (BinaryOp::FloorDiv, Some(quotient)) => Some(quotient),
                    (BinaryOp::Mod, Some(_)) => Some(Size::Known(0)),
                    _ if never_negative(a) => Some(named(&format!("(({a}) {} {positive})", op.symbol()))),
                    _ => None,
                }
            }
            _ => None,
        },
        BinaryOp::Pow => b
            .constant()
            .filter(|n| (0..=16).contains(n))
            .and_then(|n| (0..n).try_fold(Size::Known(1), |product, _| product.mul(a).filter(small))),
        BinaryOp::Lt => return decided(b.sub(a).and_then(|d| d.sub(&Size::Known(1))), a.sub(b)),
        BinaryOp::Le => return decided(b.sub(a), a.sub(b).and_then(|d| d.sub(&Size::Known(1)))),
        BinaryOp::Gt => return decided(a.sub(b).and_then(|d| d.sub(&Size::Known(1))), b.sub(a)),
        BinaryOp::Ge => return decided(a.sub(b), b.sub(a).and_then(|d| d.sub(&Size::Known(1)))),
        BinaryOp::Eq | BinaryOp::Ne => {
            let apart = a.sub(b).is_some_and(|d| {
                let positive = |d: &Size| d.sub(&Size::Known(1)).is_some_and(|d| never_negative(&d));
                positive(&d) || d.neg().is_some_and(|d| positive(&d))
            });
            return match (a == b, apart) {
                (true, _) => truth(op == BinaryOp::Eq),
                (_, true) => truth(op == BinaryOp::Ne),
                _ => Folded::Unknown,
            };
        }
        _ => None,
    };
    value.filter(small).map_or(Folded::Unknown, |size| Folded::Value(Known::Int(size)))
}

fn small(size: &Size) -> bool {
    !matches!(size, Size::Polynomial(terms) if terms.len() > MOST_TERMS)
}

fn decided(holds: Option<Size>, fails: Option<Size>) -> Folded {
    if holds.is_some_and(|size| never_negative(&size)) {
        truth(true)
    } else if fails.is_some_and(|size| never_negative(&size)) {
        truth(false)
    } else {
        Folded::Unknown
    }
}
