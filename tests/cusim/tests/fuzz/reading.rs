//! A second reading of the PTX manual: what a mnemonic computes, on `i128` and exact fractions.
//!
//! Works from the text of the mnemonic and shares no code with the simulator. Invariant: values come and go as the bits
//! of their registers.

use crate::exact::{DOUBLE, Exact, Format, Number, SINGLE};
use std::cmp::Ordering;

/// The result of `mnemonic` on `operands`, for a target register of `width` bits.
pub(crate) fn compute(mnemonic: &str, width: u32, operands: &[u64]) -> u64 {
    let parts: Vec<&str> = mnemonic.split('.').collect();
    let ty = parts[parts.len() - 1];
    let head = parts[0];
    let value = match head {
        "mov" => operands[0].into(),
        "selp" => i128::from(if operands[2] == 1 { operands[0] } else { operands[1] }),
        "setp" => setp(&parts, operands).into(),
        "cvt" => return cvt(&parts, width, operands[0]),
        _ if ty.starts_with('f') => return float(&parts, operands),
        _ => integer(&parts, operands),
    };
    low(value, width)
}

fn low(value: i128, bits: u32) -> u64 {
    (value & ((1 << bits) - 1)) as u64
}

fn bits_of(ty: &str) -> u32 {
    if ty == "pred" { 1 } else { ty[1..].parse().expect("a width") }
}

/// The integer that `bits` stand for.
fn number(ty: &str, bits: u64) -> i128 {
    let width = bits_of(ty);
    let value = i128::from(bits) % (1 << width);
    if ty.starts_with('s') && value >= 1 << (width - 1) { value - (1 << width) } else { value }
}

fn integer(parts: &[&str], operands: &[u64]) -> i128 {
    let ty = parts[parts.len() - 1];
    let width = bits_of(ty);
    let a = number(ty, operands[0]);
    let b = operands.get(1).map_or(0, |bits| number(ty, *bits));
    let power = |by: u64| 1_i128 << by.min(126);
    match parts[0] {
        "add" => a + b,
        "sub" => a - b,
        "mul" => match parts[1] {
            "lo" | "wide" => a.wrapping_mul(b),
            _ if width < 64 => (a * b).div_euclid(1 << width),
            // Products of 64 bits by halves, as on paper: b is high * 2^32 + low.
            _ => {
                let (high, low) = (b.div_euclid(1 << 32), b.rem_euclid(1 << 32));
                (a * high + (a * low).div_euclid(1 << 32)).div_euclid(1 << 32)
            }
        },
        "mad" => {
            let c = if parts[1] == "wide" { i128::from(operands[2]) } else { number(ty, operands[2]) };
            a.wrapping_mul(b).wrapping_add(c)
        }
        "div" => {
            let magnitude = (a.unsigned_abs() / b.unsigned_abs()) as i128;
            if (a < 0) == (b < 0) { magnitude } else { -magnitude }
        }
        "rem" => {
            let magnitude = (a.unsigned_abs() % b.unsigned_abs()) as i128;
            if a < 0 { -magnitude } else { magnitude }
        }
        "neg" => -a,
        "abs" => a.max(-a),
        "min" => a.min(b),
        "max" => a.max(b),
        "and" => (0..64).filter(|at| operands[0] >> at & operands[1] >> at & 1 == 1).map(|at| 1 << at).sum(),
        "or" => (0..64).filter(|at| (operands[0] >> at | operands[1] >> at) & 1 == 1).map(|at| 1 << at).sum(),
        "xor" => (0..64).filter(|at| operands[0] >> at & 1 != operands[1] >> at & 1).map(|at| 1 << at).sum(),
        "not" => (1 << width) - 1 - a,
        "shl" => {
            if operands[1] >= width.into() {
                0
            } else {
                a * power(operands[1])
            }
        }
        "shr" => a.div_euclid(power(operands[1])),
        "clz" => (0..width).rev().take_while(|at| operands[0] >> at & 1 == 0).count() as i128,
        "popc" => (0..width).filter(|at| operands[0] >> at & 1 == 1).count() as i128,
        "brev" => (0..width).filter(|at| operands[0] >> at & 1 == 1).map(|at| 1 << (width - 1 - at)).sum(),
        other => panic!("no reading of {other}"),
    }
}

fn format(ty: &str) -> Format {
    if ty == "f32" { SINGLE } else { DOUBLE }
}

fn is_zero(number: &Exact) -> bool {
    number.magnitude.is_zero()
}

fn signed(format: Format, negative: bool, bits: u64) -> u64 {
    (bits & !format.zero(true)) | format.zero(negative)
}

fn float(parts: &[&str], operands: &[u64]) -> u64 {
    let format = format(parts[parts.len() - 1]);
    let read: Vec<Number> = operands.iter().map(|bits| format.read(*bits)).collect();
    let negative = |at: usize| operands[at] & format.zero(true) != 0;
    let nan = |at: usize| matches!(read[at], Number::Nan);
    let any_nan = (0..read.len()).any(nan);
    match parts[0] {
        "neg" if !any_nan => operands[0] ^ format.zero(true),
        "abs" if !any_nan => operands[0] & !format.zero(true),
        // The sign comes from the first, everything else from the second.
        "copysign" if !nan(1) => signed(format, negative(0), operands[1]),
        "min" | "max" => {
            if nan(0) || nan(1) {
                return match (parts[1], nan(0), nan(1)) {
                    ("NaN", _, _) | (_, true, true) => format.nan(),
                    (_, true, false) => operands[1],
                    _ => operands[0],
                };
            }
            // -0 is below +0.
            let order = order(&read[0], &read[1]).then(negative(1).cmp(&negative(0)));
            let first = (order == Ordering::Less) == (parts[0] == "min");
            if first { operands[0] } else { operands[1] }
        }
        _ if any_nan => format.nan(),
        "add" => sum(format, &read[0], &read[1]),
        "sub" => sum(format, &read[0], &format.read(operands[1] ^ format.zero(true))),
        "mul" => product(format, &read[0], &read[1], None),
        "fma" => product(format, &read[0], &read[1], Some(&read[2])),
        "div" => {
            let negative = negative(0) != negative(1);
            match (&read[0], &read[1]) {
                (Number::Infinite(_), Number::Infinite(_)) => format.nan(),
                (Number::Infinite(_), _) => format.infinity(negative),
                (_, Number::Infinite(_)) => format.zero(negative),
                (Number::Finite(a), Number::Finite(b)) => match (is_zero(a), is_zero(b)) {
                    (true, true) => format.nan(),
                    (true, false) => format.zero(negative),
                    (false, true) => format.infinity(negative),
                    (false, false) => format.round(&a.over(b), 'n'),
                },
                _ => format.nan(),
            }
        }
        "sqrt" => match &read[0] {
            Number::Finite(a) if is_zero(a) => operands[0],
            _ if negative(0) => format.nan(),
            Number::Finite(a) => format.round(&a.root(), 'n'),
            _ => operands[0],
        },
        other => panic!("no reading of {other}"),
    }
}

fn sum(format: Format, a: &Number, b: &Number) -> u64 {
    match (a, b) {
        (Number::Infinite(a), Number::Infinite(b)) if a != b => format.nan(),
        (Number::Infinite(sign), _) | (_, Number::Infinite(sign)) => format.infinity(*sign),
        (Number::Finite(a), Number::Finite(b)) => format.round(&a.plus(b), 'n'),
        _ => format.nan(),
    }
}

fn product(format: Format, a: &Number, b: &Number, c: Option<&Number>) -> u64 {
    let sign = |x: &Number| match x {
        Number::Infinite(negative) => *negative,
        Number::Finite(x) => x.negative,
        Number::Nan => false,
    };
    let negative = sign(a) != sign(b);
    let product = match (a, b) {
        (Number::Finite(a), Number::Finite(b)) => Number::Finite(a.times(b)),
        (Number::Infinite(_), Number::Finite(x)) | (Number::Finite(x), Number::Infinite(_)) if is_zero(x) => {
            Number::Nan
        }
        _ => Number::Infinite(negative),
    };
    match (product, c) {
        (Number::Nan, _) => format.nan(),
        (product, Some(c)) => sum(format, &product, c),
        (Number::Infinite(negative), None) => format.infinity(negative),
        (Number::Finite(product), None) => format.round(&product, 'n'),
    }
}

/// The order of two numbers that are not NaN.
fn order(a: &Number, b: &Number) -> Ordering {
    let infinite = |x: &Number| match x {
        Number::Infinite(true) => -1,
        Number::Infinite(false) => 1,
        _ => 0,
    };
    match (a, b) {
        (Number::Finite(a), Number::Finite(b)) => a.order(b),
        _ => infinite(a).cmp(&infinite(b)),
    }
}

fn setp(parts: &[&str], operands: &[u64]) -> bool {
    let ty = parts[parts.len() - 1];
    let order = if ty.starts_with('f') {
        let (a, b) = (format(ty).read(operands[0]), format(ty).read(operands[1]));
        if matches!(a, Number::Nan) || matches!(b, Number::Nan) { None } else { Some(order(&a, &b)) }
    } else {
        Some(number(ty, operands[0]).cmp(&number(ty, operands[1])))
    };
    let this = match (parts[1], order) {
        ("nan", order) => order.is_none(),
        (name, None) => name.ends_with('u'),
        ("num", _) => true,
        (name, Some(order)) => match &name[..2] {
            "eq" => order == Ordering::Equal,
            "ne" => order != Ordering::Equal,
            "lt" | "lo" => order == Ordering::Less,
            "le" | "ls" => order != Ordering::Greater,
            "gt" | "hi" => order == Ordering::Greater,
            _ => order != Ordering::Less,
        },
    };
    match parts[2] {
        "and" => this && operands[2] == 1,
        "or" => this || operands[2] == 1,
        "xor" => this != (operands[2] == 1),
        _ => this,
    }
}

fn cvt(parts: &[&str], width: u32, operand: u64) -> u64 {
    let (to, from) = (parts[parts.len() - 2], parts[parts.len() - 1]);
    // `rni` and the like have their direction where `rn` has it.
    let direction = if parts.len() == 4 { parts[1].chars().nth(1).expect("a direction") } else { 'n' };
    if !from.starts_with('f') {
        let value = number(from, operand);
        if to.starts_with('f') {
            return format(to).round(&Exact::integer(value), direction);
        }
        return low(number(to, low(value, bits_of(to))), width);
    }
    let source = format(from).read(low(operand.into(), bits_of(from)));
    if to.starts_with('f') {
        return match &source {
            Number::Nan => format(to).nan(),
            Number::Infinite(negative) => format(to).infinity(*negative),
            Number::Finite(x) if parts[1].len() == 3 && parts.len() == 4 => {
                let whole = Exact::integer(x.integral(direction));
                // What is far beyond 64 bits has no fraction to lose; a zero keeps its sign.
                let large = x.magnitude.bits() + x.exponent > 100;
                let rounded = if large { operand } else { format(to).round(&whole, 'n') };
                signed(format(to), x.negative, rounded)
            }
            Number::Finite(x) => format(to).round(x, direction),
        };
    }
    let bits = bits_of(to);
    let (least, most) =
        if to.starts_with('s') { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let value: i128 = match source {
        Number::Nan if from == "f64" || bits == 64 => {
            let top = 1_i128 << (bits - 1);
            if to.starts_with('s') { -top } else { top }
        }
        Number::Nan => 0,
        Number::Infinite(true) => least,
        Number::Infinite(false) => most,
        Number::Finite(x) => x.integral(direction).clamp(least, most),
    };
    low(value, width)
}
