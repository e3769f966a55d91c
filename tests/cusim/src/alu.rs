//! What each arithmetic instruction computes, for one thread.
//!
//! Values come and go zero-extended from their width, as registers keep them. Invariant: `None` is a value that the
//! PTX manual leaves open (a division by zero); whoever reads it reads an uninitialised register. NaN results have one
//! pattern per width, so that a kernel that lives off payloads is noticed.

use crate::convert;
use crate::op::{Alu, Comparison, FloatOp, IntOp, Joined};
use crate::types::{Class, Type, signed, truncate};

/// The NaN that f32 instructions give.
pub(crate) const NAN32: u32 = 0x7fff_ffff;
/// The NaN that f64 instructions give here; hardware may keep payloads.
pub(crate) const NAN64: u64 = 0x7ff8_0000_0000_0000;

/// The result of `alu`.
#[inline]
pub(crate) fn evaluate(alu: Alu, a: u64, b: u64, c: u64) -> Option<u64> {
    Some(match alu {
        Alu::Move => a,
        Alu::Int { op, signed, bits } => return integer(op, signed, bits, a, b, c),
        Alu::Float32(op) => float32(op, a as u32, b as u32, c as u32).into(),
        Alu::Float64(op) => float64(op, a, b, c),
        Alu::Compare { comparison, of, joined, negated } => {
            let this = u64::from(compare(comparison, of, a, b));
            let other = c ^ u64::from(negated);
            match joined {
                Joined::Alone => this,
                Joined::And => this & other,
                Joined::Or => this | other,
                Joined::Xor => this ^ other,
            }
        }
        Alu::Convert { to, from, rounding, width } => convert::convert(to, from, rounding, width, a),
    })
}

fn integer(op: IntOp, is_signed: bool, bits: u32, a: u64, b: u64, c: u64) -> Option<u64> {
    let (x, y) = (signed(a, bits), signed(b, bits));
    // The shift amount is 32 bits wide, whatever is shifted.
    let shift = b as u32;
    let value = match op {
        IntOp::Add => a.wrapping_add(b),
        IntOp::Sub => a.wrapping_sub(b),
        IntOp::MulLow => a.wrapping_mul(b),
        IntOp::MadLow => a.wrapping_mul(b).wrapping_add(c),
        IntOp::MulHigh if is_signed => ((i128::from(x) * i128::from(y)) >> bits) as u64,
        IntOp::MulHigh => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        IntOp::MulWide | IntOp::MadWide => {
            let product = if is_signed { x.wrapping_mul(y) as u64 } else { a.wrapping_mul(b) };
            let addend = if op == IntOp::MadWide { c } else { 0 };
            return Some(truncate(product.wrapping_add(addend), 2 * bits));
        }
        IntOp::Div | IntOp::Rem if b == 0 => return None,
        IntOp::Div if is_signed => x.wrapping_div(y) as u64,
        IntOp::Div => a / b,
        IntOp::Rem if is_signed => x.wrapping_rem(y) as u64,
        IntOp::Rem => a % b,
        IntOp::Neg => a.wrapping_neg(),
        IntOp::Abs => x.unsigned_abs(),
        IntOp::Min if is_signed => x.min(y) as u64,
        IntOp::Min => a.min(b),
        IntOp::Max if is_signed => x.max(y) as u64,
        IntOp::Max => a.max(b),
        IntOp::And => a & b,
        IntOp::Or => a | b,
        IntOp::Xor => a ^ b,
        IntOp::Not => !a,
        IntOp::ShiftLeft if shift >= bits => 0,
        IntOp::ShiftLeft => a << shift,
        IntOp::ShiftRight if is_signed => (x >> shift.min(bits - 1)) as u64,
        IntOp::ShiftRight if shift >= bits => 0,
        IntOp::ShiftRight => a >> shift,
        IntOp::LeadingZeros => u64::from(a.leading_zeros() - (64 - bits)),
        IntOp::Population => u64::from(a.count_ones()),
        IntOp::Reverse => a.reverse_bits() >> (64 - bits),
    };
    Some(truncate(value, bits))
}

fn float32(op: FloatOp, a: u32, b: u32, c: u32) -> u32 {
    let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
    let result = match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Fma => x.mul_add(y, z),
        FloatOp::Div => x / y,
        FloatOp::Sqrt => x.sqrt(),
        FloatOp::Neg => -x,
        FloatOp::Abs => x.abs(),
        FloatOp::Min | FloatOp::MinNan => extreme(op, x.is_nan(), y.is_nan(), below32(x, y)).pick(x, y, f32::NAN),
        FloatOp::Max | FloatOp::MaxNan => extreme(op, x.is_nan(), y.is_nan(), below32(y, x)).pick(x, y, f32::NAN),
        FloatOp::CopySign => y.copysign(x),
    };
    if result.is_nan() { NAN32 } else { result.to_bits() }
}

fn float64(op: FloatOp, a: u64, b: u64, c: u64) -> u64 {
    let (x, y, z) = (f64::from_bits(a), f64::from_bits(b), f64::from_bits(c));
    let result = match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Fma => x.mul_add(y, z),
        FloatOp::Div => x / y,
        FloatOp::Sqrt => x.sqrt(),
        FloatOp::Neg => -x,
        FloatOp::Abs => x.abs(),
        FloatOp::Min | FloatOp::MinNan => extreme(op, x.is_nan(), y.is_nan(), below64(x, y)).pick(x, y, f64::NAN),
        FloatOp::Max | FloatOp::MaxNan => extreme(op, x.is_nan(), y.is_nan(), below64(y, x)).pick(x, y, f64::NAN),
        FloatOp::CopySign => y.copysign(x),
    };
    if result.is_nan() { NAN64 } else { result.to_bits() }
}

/// Which operand a minimum or maximum takes.
enum Taken {
    First,
    Second,
    Neither,
}

impl Taken {
    fn pick<T>(self, first: T, second: T, neither: T) -> T {
        match self {
            Self::First => first,
            Self::Second => second,
            Self::Neither => neither,
        }
    }
}

fn extreme(op: FloatOp, first_nan: bool, second_nan: bool, first_wins: bool) -> Taken {
    match (first_nan, second_nan) {
        (false, false) if first_wins => Taken::First,
        (false, false) => Taken::Second,
        _ if matches!(op, FloatOp::MinNan | FloatOp::MaxNan) => Taken::Neither,
        (true, true) => Taken::Neither,
        (true, false) => Taken::Second,
        (false, true) => Taken::First,
    }
}

/// `x < y`, where -0 is below +0.
fn below32(x: f32, y: f32) -> bool {
    x < y || (x == y && x.is_sign_negative())
}

/// `x < y`, where -0 is below +0.
fn below64(x: f64, y: f64) -> bool {
    x < y || (x == y && x.is_sign_negative())
}

fn compare(comparison: Comparison, of: Type, a: u64, b: u64) -> bool {
    let order = match (of.class, of.bits) {
        (Class::Float, 32) => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        (Class::Float, _) => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
        (Class::Signed, bits) => Some(signed(a, bits).cmp(&signed(b, bits))),
        _ => Some(a.cmp(&b)),
    };
    match order {
        Some(std::cmp::Ordering::Less) => comparison.less,
        Some(std::cmp::Ordering::Equal) => comparison.equal,
        Some(std::cmp::Ordering::Greater) => comparison.greater,
        None => comparison.unordered,
    }
}
