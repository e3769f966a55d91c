//! Floating point by the book: numbers as integers times powers of two, of any size, rounded once at the end.
//!
//! Shares nothing with the simulator, which uses the host's instructions. Invariant: everything before `round` is exact.

use std::cmp::Ordering;

/// `-1^negative * magnitude * 2^exponent`, plus something nonzero and smaller than any bit shown if `more`.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    pub(crate) negative: bool,
    pub(crate) magnitude: Big,
    pub(crate) exponent: i32,
    pub(crate) more: bool,
}

/// A natural number, lowest 32 bits first, without leading zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Big(Vec<u32>);

impl Big {
    pub(crate) fn new(value: u128) -> Self {
        Self((0..4).map(|at| (value >> (32 * at)) as u32).collect()).trimmed()
    }

    fn trimmed(mut self) -> Self {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        self
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn bits(&self) -> i32 {
        self.0.last().map_or(0, |top| 32 * self.0.len() as i32 - top.leading_zeros() as i32)
    }

    fn bit(&self, at: i32) -> bool {
        at >= 0 && self.0.get(at as usize / 32).is_some_and(|limb| limb >> (at % 32) & 1 == 1)
    }

    /// The number times two to the `by`.
    pub(crate) fn shifted(&self, by: u32) -> Self {
        let mut limbs = vec![0; by as usize / 32];
        let mut carry = 0_u64;
        for limb in &self.0 {
            carry |= u64::from(*limb) << (by % 32);
            limbs.push(carry as u32);
            carry >>= 32;
        }
        limbs.push(carry as u32);
        Self(limbs).trimmed()
    }

    /// The `count` bits from bit `from` on.
    fn slice(&self, from: i32, count: i32) -> u128 {
        (0..count).filter(|at| self.bit(from + at)).fold(0, |value, at| value | 1 << at)
    }

    fn any_below(&self, end: i32) -> bool {
        (0..end.max(0)).any(|at| self.bit(at))
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    fn plus(&self, other: &Self) -> Self {
        let mut carry = 0_u64;
        let mut limbs = Vec::new();
        for at in 0..self.0.len().max(other.0.len()) + 1 {
            carry += u64::from(self.0.get(at).copied().unwrap_or(0)) + u64::from(other.0.get(at).copied().unwrap_or(0));
            limbs.push(carry as u32);
            carry >>= 32;
        }
        Self(limbs).trimmed()
    }

    /// The difference; `other` is not larger.
    fn minus(&self, other: &Self) -> Self {
        let mut borrow = 0_i64;
        let mut limbs = Vec::new();
        for at in 0..self.0.len() {
            let digit = i64::from(self.0[at]) - i64::from(other.0.get(at).copied().unwrap_or(0)) + borrow;
            limbs.push(digit as u32);
            borrow = digit >> 32;
        }
        Self(limbs).trimmed()
    }
}

/// A binary floating-point format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Bits of a significand, the hidden one included.
    precision: i32,
    /// Bits of the exponent.
    exponents: i32,
}

pub(crate) const SINGLE: Format = Format { precision: 24, exponents: 8 };
pub(crate) const DOUBLE: Format = Format { precision: 53, exponents: 11 };

/// What a bit pattern stands for.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Nan,
    Infinite(bool),
    Finite(Exact),
}

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponents - 1)) - 1
    }

    /// The exponent of the last bit of the smallest numbers.
    fn lowest(self) -> i32 {
        2 - self.bias() - self.precision
    }

    pub(crate) fn nan(self) -> u64 {
        if self.precision == 24 { 0x7fff_ffff } else { 0x7ff8_0000_0000_0000 }
    }

    pub(crate) fn infinity(self, negative: bool) -> u64 {
        let top = u64::from(negative) << (self.precision - 1 + self.exponents);
        top | ((1 << self.exponents) - 1) << (self.precision - 1)
    }

    pub(crate) fn zero(self, negative: bool) -> u64 {
        u64::from(negative) << (self.precision - 1 + self.exponents)
    }

    pub(crate) fn read(self, bits: u64) -> Number {
        let fraction = bits & ((1 << (self.precision - 1)) - 1);
        let exponent = (bits >> (self.precision - 1)) as i32 & ((1 << self.exponents) - 1);
        let negative = bits >> (self.precision - 1 + self.exponents) & 1 == 1;
        if exponent == (1 << self.exponents) - 1 {
            return if fraction == 0 { Number::Infinite(negative) } else { Number::Nan };
        }
        let hidden = u64::from(exponent != 0) << (self.precision - 1);
        Number::Finite(Exact {
            negative,
            magnitude: Big::new((fraction | hidden).into()),
            exponent: self.lowest() + (exponent - 1).max(0),
            more: false,
        })
    }

    /// The nearest number, or the next one in a direction: `n`, `z`, `m` or `p`.
    pub(crate) fn round(self, exact: &Exact, direction: char) -> u64 {
        let sign = self.zero(exact.negative);
        let top = exact.magnitude.bits();
        if top == 0 && !exact.more {
            return sign;
        }
        // The exponent of the last bit that is kept.
        let last = (top + exact.exponent - self.precision).max(self.lowest());
        let cut = last - exact.exponent;
        let kept = if cut >= 0 {
            exact.magnitude.slice(cut, self.precision)
        } else {
            exact.magnitude.shifted(cut.unsigned_abs()).slice(0, self.precision)
        } as u64;
        let half = exact.magnitude.bit(cut - 1);
        let rest = exact.more || exact.magnitude.any_below(cut - 1);
        let up = match direction {
            'n' => half && (rest || kept & 1 == 1),
            'z' => false,
            'm' => exact.negative && (half || rest),
            _ => !exact.negative && (half || rest),
        };
        // A carry out of the significand moves on into the exponent, as it should.
        let significand = kept + u64::from(up);
        let stored = if kept >> (self.precision - 1) == 0 { 0 } else { last - self.lowest() + 1 };
        let hidden = u64::from(stored != 0) << (self.precision - 1);
        let magnitude = ((stored as u64) << (self.precision - 1)) + significand - hidden;
        if magnitude < self.infinity(false) {
            return sign | magnitude;
        }
        let to_infinity = match direction {
            'n' => true,
            'z' => false,
            'm' => exact.negative,
            _ => !exact.negative,
        };
        sign | (self.infinity(false) - u64::from(!to_infinity))
    }
}

impl Exact {
    pub(crate) fn integer(value: i128) -> Self {
        let magnitude = Big::new(value.unsigned_abs());
        Self { negative: value < 0, magnitude, exponent: 0, more: false }
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let product = self.magnitude.slice(0, 64) * other.magnitude.slice(0, 64);
        Self {
            negative: self.negative != other.negative,
            magnitude: Big::new(product),
            exponent: self.exponent + other.exponent,
            more: false,
        }
    }

    /// The sum; a zero is negative if both are.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let first = self.magnitude.shifted((self.exponent - exponent) as u32);
        let second = other.magnitude.shifted((other.exponent - exponent) as u32);
        let (negative, magnitude) = if self.negative == other.negative {
            (self.negative, first.plus(&second))
        } else {
            match first.compare(&second) {
                Ordering::Greater => (self.negative, first.minus(&second)),
                Ordering::Less => (other.negative, second.minus(&first)),
                Ordering::Equal => (false, Big::new(0)),
            }
        };
        Self { negative, magnitude, exponent, more: false }
    }

    /// The quotient of two numbers that are not zero.
    pub(crate) fn over(&self, other: &Self) -> Self {
        let divisor = other.magnitude.slice(0, 64);
        // Both have 53 bits at most; after the shift the quotient has 60 at least.
        let shift = 114 - self.magnitude.bits();
        let dividend = self.magnitude.shifted(shift as u32).slice(0, 128);
        Self {
            negative: self.negative != other.negative,
            magnitude: Big::new(dividend / divisor),
            exponent: self.exponent - shift - other.exponent,
            more: !dividend.is_multiple_of(divisor),
        }
    }

    /// The square root of a number that is positive.
    pub(crate) fn root(&self) -> Self {
        let mut shift = 120 - self.magnitude.bits();
        // The exponent must be even.
        shift += (self.exponent - shift) & 1;
        let square = self.magnitude.shifted(shift as u32).slice(0, 128);
        let mut root = 0_u128;
        for bit in (0..63).rev() {
            let tried = root | 1 << bit;
            if tried * tried <= square {
                root = tried;
            }
        }
        Self {
            negative: false,
            magnitude: Big::new(root),
            exponent: (self.exponent - shift) / 2,
            more: root * root != square,
        }
    }

    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let mut minus = other.clone();
        minus.negative = !minus.negative;
        let difference = self.plus(&minus);
        match (difference.magnitude.is_zero(), difference.negative) {
            (true, _) => Ordering::Equal,
            (false, true) => Ordering::Less,
            (false, false) => Ordering::Greater,
        }
    }

    /// An integer near it, by direction; too large ones saturate far beyond 64 bits.
    pub(crate) fn integral(&self, direction: char) -> i128 {
        if self.magnitude.bits() + self.exponent > 100 {
            return if self.negative { -(1 << 100) } else { 1 << 100 };
        }
        let (whole, half, rest) = if self.exponent >= 0 {
            (self.magnitude.shifted(self.exponent as u32).slice(0, 120), false, false)
        } else {
            let cut = -self.exponent;
            (self.magnitude.slice(cut, 120), self.magnitude.bit(cut - 1), self.magnitude.any_below(cut - 1))
        };
        let up = match direction {
            'n' => half && (rest || whole & 1 == 1),
            'z' => false,
            'm' => self.negative && (half || rest),
            _ => !self.negative && (half || rest),
        };
        let whole = whole as i128 + i128::from(up);
        if self.negative { -whole } else { whole }
    }
}
