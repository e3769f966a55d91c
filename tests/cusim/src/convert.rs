//! `cvt`: between widths, integers and floating point, with each rounding.
//!
//! Invariant: every result is the exact value rounded once; conversions to integers clamp, and NaN goes where the PTX
//! manual sends it (0, or the number with only its top bit set when 64-bit types take part).

use crate::alu::{NAN32, NAN64};
use crate::op::Rounding;
use crate::types::{Class, Type, signed, truncate};

/// The register that `a` of type `from` becomes; `width` is the width of the target register.
pub(crate) fn convert(to: Type, from: Type, rounding: Option<Rounding>, width: u32, a: u64) -> u64 {
    let value = truncate(a, from.bits);
    match (from.is_float(), to.is_float()) {
        (false, false) => {
            let value = if from.class == Class::Signed { signed(value, from.bits) as u64 } else { value };
            widened(to, width, truncate(value, to.bits))
        }
        (false, true) => {
            let exact = if from.class == Class::Signed { signed(value, from.bits).into() } else { i128::from(value) };
            from_integer(to, rounding, exact)
        }
        (true, false) => widened(to, width, to_integer(to, from, rounding, value)),
        (true, true) => between_floats(to, from, rounding, value),
    }
}

/// A narrow result in a wider register: its sign is extended to the register's width.
fn widened(to: Type, width: u32, value: u64) -> u64 {
    if to.class == Class::Signed { truncate(signed(value, to.bits) as u64, width) } else { value }
}

fn from_integer(to: Type, rounding: Option<Rounding>, exact: i128) -> u64 {
    if to.bits == 32 {
        let near = exact as f32;
        // Integral and below 2^65, hence exact as i128.
        let there = near as i128;
        let value = match rounding {
            Some(Rounding::Minus) if there > exact => near.next_down(),
            Some(Rounding::Plus) if there < exact => near.next_up(),
            Some(Rounding::Zero) if there > exact && exact > 0 => near.next_down(),
            Some(Rounding::Zero) if there < exact && exact < 0 => near.next_up(),
            _ => near,
        };
        return value.to_bits().into();
    }
    let near = exact as f64;
    let there = near as i128;
    let value = match rounding {
        Some(Rounding::Minus) if there > exact => near.next_down(),
        Some(Rounding::Plus) if there < exact => near.next_up(),
        Some(Rounding::Zero) if there > exact && exact > 0 => near.next_down(),
        Some(Rounding::Zero) if there < exact && exact < 0 => near.next_up(),
        _ => near,
    };
    value.to_bits()
}

/// To an integer as a number of its own format.
fn integral(rounding: Option<Rounding>, x: f64) -> f64 {
    match rounding {
        Some(Rounding::Nearest) => x.round_ties_even(),
        Some(Rounding::Minus) => x.floor(),
        Some(Rounding::Plus) => x.ceil(),
        _ => x.trunc(),
    }
}

fn number(from: Type, value: u64) -> f64 {
    // Every f32 is an f64, and rounding to an integer gives the same number in both.
    if from.bits == 32 { f32::from_bits(value as u32).into() } else { f64::from_bits(value) }
}

fn to_integer(to: Type, from: Type, rounding: Option<Rounding>, value: u64) -> u64 {
    let x = number(from, value);
    if x.is_nan() {
        return if from.bits == 64 || to.bits == 64 { 1 << (to.bits - 1) } else { 0 };
    }
    let x = integral(rounding, x);
    let clamped = match (to.class, to.bits) {
        // `as` clamps.
        (Class::Signed, 8) => (x as i8) as u64,
        (Class::Signed, 16) => (x as i16) as u64,
        (Class::Signed, 32) => (x as i32) as u64,
        (Class::Signed, _) => (x as i64) as u64,
        (_, 8) => (x as u8).into(),
        (_, 16) => (x as u16).into(),
        (_, 32) => (x as u32).into(),
        _ => x as u64,
    };
    truncate(clamped, to.bits)
}

fn between_floats(to: Type, from: Type, rounding: Option<Rounding>, value: u64) -> u64 {
    let x = number(from, value);
    if x.is_nan() {
        return if to.bits == 32 { NAN32.into() } else { NAN64 };
    }
    if to.bits == 64 {
        // Either from f32, which is exact, or to an integer within f64.
        return if from.bits == 64 { integral(rounding, x).to_bits() } else { x.to_bits() };
    }
    if from.bits == 32 {
        return (integral(rounding, x) as f32).to_bits().into();
    }
    let near = x as f32;
    let there = f64::from(near);
    let result = match rounding {
        Some(Rounding::Minus) if there > x => near.next_down(),
        Some(Rounding::Plus) if there < x => near.next_up(),
        Some(Rounding::Zero) if there > x && x > 0.0 => near.next_down(),
        Some(Rounding::Zero) if there < x && x < 0.0 => near.next_up(),
        _ => near,
    };
    result.to_bits().into()
}
