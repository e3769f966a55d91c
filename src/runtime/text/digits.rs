//! Decimal digits of a float: the fewest that round-trip in its dtype, cut to a number of decimals where asked.

use crate::base::{DType, Literal};

/// `0.d1 d2 d3... * 10^point`, with a sign. Zero has the one digit 0 and point 1.
#[derive(Clone, Debug)]
pub(super) struct Digits {
    negative: bool,
    digits: String,
    point: i32,
}

impl Digits {
    /// The fewest digits that give the same element back.
    pub(super) fn shortest(literal: Literal) -> Self {
        let value = literal.to_f64();
        match literal.dtype {
            DType::F32 => Self::parse(&format!("{:e}", value as f32)),
            DType::F16 | DType::Bf16 => {
                // Five digits always suffice: the mantissa has at most 11 bits.
                let candidates = (0..5usize).map(|decimals| format!("{value:.decimals$e}"));
                let round_trips = |text: &String| {
                    text.parse::<f64>().is_ok_and(|back| Literal::from_f64(literal.dtype, back).bits == literal.bits)
                };
                Self::parse(&candidates.into_iter().find(round_trips).unwrap_or_else(|| format!("{value:e}")))
            }
            _ => Self::parse(&format!("{value:e}")),
        }
    }

    /// Reads `-1.25e-3`.
    fn parse(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let negative = mantissa.starts_with('-');
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        let digits = digits.trim_end_matches('0');
        let exponent: i32 = exponent.parse().unwrap_or(0);
        if digits.is_empty() {
            return Self { negative, digits: "0".into(), point: 1 };
        }
        Self { negative, digits: digits.to_owned(), point: exponent + 1 }
    }

    /// With at most `decimals` digits behind the point: the exact value rounded, ties to even.
    pub(super) fn positional_within(literal: Literal, decimals: usize) -> String {
        let digits = Self::shortest(literal);
        if digits.digits.len() as i32 - digits.point <= decimals as i32 {
            return digits.positional();
        }
        let text = format!("{:.decimals$}", literal.to_f64());
        text.trim_end_matches('0').to_owned()
    }

    /// Mantissa with at most `decimals` digits behind the point, and exponent.
    pub(super) fn scientific_within(literal: Literal, decimals: usize) -> (String, i32) {
        let digits = Self::shortest(literal);
        if digits.digits.len() <= decimals + 1 {
            return digits.scientific();
        }
        Self::parse(&format!("{:.decimals$e}", literal.to_f64())).scientific()
    }

    /// Mantissa with as many digits behind the point (trailing zeros left out) as others of its column have: where the
    /// shortest form is shorter, the digits of the exact value follow.
    pub(super) fn scientific_exactly(literal: Literal, decimals: usize) -> (String, i32) {
        Self::parse(&format!("{:.decimals$e}", literal.to_f64())).scientific()
    }

    fn sign(&self) -> &'static str {
        if self.negative { "-" } else { "" }
    }

    /// `12.5`, `3.`, `0.001`: always with a point, no zeros behind.
    pub(super) fn positional(&self) -> String {
        let count = self.digits.len() as i32;
        let sign = self.sign();
        if self.point <= 0 {
            return format!("{sign}0.{}{}", "0".repeat(self.point.unsigned_abs() as usize), self.digits);
        }
        if count <= self.point {
            let whole = format!("{}{}", self.digits, "0".repeat((self.point - count) as usize));
            return format!("{sign}{whole}.");
        }
        let (whole, rest) = self.digits.split_at(self.point as usize);
        // Zero is `0.`.
        format!("{sign}{whole}.{rest}")
    }

    /// `1.25` and the exponent of its leading digit.
    pub(super) fn scientific(&self) -> (String, i32) {
        let (first, rest) = self.digits.split_at(1);
        let exponent = if self.digits == "0" { 0 } else { self.point - 1 };
        (format!("{}{first}.{rest}", self.sign()), exponent)
    }
}
