//! One format for all floats of an array: positional or scientific, and how wide.

use super::digits::Digits;
use crate::base::{DType, Literal};

/// Most digits behind the point.
const PRECISION: usize = 8;

/// Widths left and right of the point.
pub(super) struct FloatFormat {
    left: usize,
    right: usize,
    /// Digits behind the point and of the exponent.
    scientific: Option<(usize, usize)>,
}

/// `nan`, `inf`, `-inf`.
pub(super) fn special(value: f64) -> String {
    let text = if value.is_nan() {
        "nan"
    } else if value > 0.0 {
        "inf"
    } else {
        "-inf"
    };
    text.to_owned()
}

/// `e+08`, with at least `digits` digits.
pub(super) fn exponent(exponent: i32, digits: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:0>digits$}", exponent.unsigned_abs())
}

/// NumPy's rule, with its arithmetic in the array's dtype.
fn is_scientific(dtype: DType, finite: &[Literal]) -> bool {
    let magnitudes = finite.iter().map(|x| x.to_f64().abs()).filter(|&x| x != 0.0);
    let (least, most) = magnitudes.fold((f64::INFINITY, 0.0f64), |(a, b), x| (a.min(x), b.max(x)));
    if most == 0.0 {
        return false;
    }
    let round = |x: f64| Literal::from_f64(dtype, x).to_f64();
    // Ten to the number of decimal digits that the dtype is sure of, at most 1e8.
    let large = match dtype {
        DType::F16 => 1e3,
        DType::F32 | DType::Bf16 => 1e6,
        _ => 1e8,
    };
    let ratio = if dtype == DType::F64 { most / least } else { round(f64::from(most as f32 / least as f32)) };
    most >= large || least < round(1e-4) || ratio > 1000.0
}

impl FloatFormat {
    pub(super) fn new(dtype: DType, shown: &[Literal]) -> Self {
        let finite: Vec<Literal> = shown.iter().copied().filter(|x| x.to_f64().is_finite()).collect();
        let mut format = Self { left: 0, right: 0, scientific: None };
        if is_scientific(dtype, &finite) {
            let (mut decimals, mut digits) = (0, 0);
            for &x in &finite {
                let (mantissa, exponent) = Digits::scientific_within(x, PRECISION);
                let (whole, rest) = mantissa.split_once('.').unwrap_or((&mantissa, ""));
                format.left = format.left.max(whole.len());
                decimals = decimals.max(rest.len());
                digits = digits.max(exponent.unsigned_abs().to_string().len().max(2));
            }
            format.right = decimals + digits + 2;
            format.scientific = Some((decimals, digits));
        } else {
            for &x in &finite {
                let text = Digits::positional_within(x, PRECISION);
                let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
                format.left = format.left.max(whole.len());
                format.right = format.right.max(rest.len());
            }
        }
        if finite.len() != shown.len() {
            // Room for `nan`, `inf` or `-inf`, point included.
            let negative = shown.iter().any(|x| x.to_f64() == f64::NEG_INFINITY);
            let longest = 3 + usize::from(negative);
            format.left = format.left.max(longest.saturating_sub(format.right + 1));
        }
        format
    }

    pub(super) fn element(&self, literal: Literal) -> String {
        let value = literal.to_f64();
        let width = self.left + self.right + 1;
        if !value.is_finite() {
            return format!("{:>width$}", special(value));
        }
        match self.scientific {
            Some((decimals, digits)) => {
                let (mantissa, power) = Digits::scientific_exactly(literal, decimals);
                let (whole, rest) = mantissa.split_once('.').unwrap_or((&mantissa, ""));
                let left = self.left;
                format!("{whole:>left$}.{rest:0<decimals$}{}", exponent(power, digits))
            }
            None => {
                let text = Digits::positional_within(literal, PRECISION);
                let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
                let (left, right) = (self.left, self.right);
                format!("{whole:>left$}.{rest:<right$}")
            }
        }
    }
}
