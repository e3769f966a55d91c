//! Exponentials and logarithms.
//!
//! Exponentials: `x = n ln 2 + r` with `|r| <= ln 2 / 2`, then the Taylor series of `exp` in `r` (its remainder after
//! `r^13` is below 2^-58), then scaling by `2^n`. Logarithms: `x = 2^e (1 + f)` with `1 + f` between `sqrt(1/2)` and
//! `sqrt(2)`, then `log(1 + f) = 2 artanh(s)`, `s = f / (2 + f)`, as `f - (f^2/2 - s (f^2/2 + R(s^2)))`, where `R` is
//! the rest of the artanh series. Both series have the coefficients of the textbook.

use super::arith::Arith;
use crate::ops::scalar::{ScalarBuilder, ScalarOp};

/// ln 2 with its last 21 bits cleared, so that products with exponents are exact.
const LN2_HIGH: f64 = 0.693_147_180_369_123_8;
/// ln 2 less the above.
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1 / ln 2.
const LOG2_E: f64 = std::f64::consts::LOG2_E;

/// `1/k!` from `k = 2`.
const INVERSE_FACTORIALS: [f64; 12] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// `2/(2k + 1)` from `k = 1`.
const ARTANH: [f64; 11] = [
    2.0 / 3.0,
    2.0 / 5.0,
    2.0 / 7.0,
    2.0 / 9.0,
    2.0 / 11.0,
    2.0 / 13.0,
    2.0 / 15.0,
    2.0 / 17.0,
    2.0 / 19.0,
    2.0 / 21.0,
    2.0 / 23.0,
];

/// 2/3 less its f64.
const TWO_THIRDS_LOW: f64 = 3.700_743_415_417_188e-17;

impl<B: ScalarBuilder> Arith<'_, B> {
    /// `n` (i64) and `exp(r) - 1` of the reduced argument `x + tail`.
    fn reduced_exponential(&mut self, x: B::Value, tail: Option<B::Value>) -> (B::Value, B::Value) {
        let log2_e = self.c(LOG2_E);
        let scaled = self.mul(x, log2_e);
        let n = self.round(scaled);
        let minus_n = self.neg(n);
        let (high, low) = (self.c(LN2_HIGH), self.c(LN2_LOW));
        let r = self.fma(minus_n, high, x);
        let mut r = self.fma(minus_n, low, r);
        if let Some(tail) = tail {
            r = self.add(r, tail);
        }
        let series = self.polynomial(r, &INVERSE_FACTORIALS);
        let square = self.mul(r, r);
        let minus_one = self.fma(square, series, r);
        (self.int(n), minus_one)
    }

    pub(super) fn exp(&mut self, x: B::Value) -> B::Value {
        self.exp_of_sum(x, None)
    }

    /// `exp(x + tail)`; `tail` is small beside 1.
    fn exp_of_sum(&mut self, x: B::Value, tail: Option<B::Value>) -> B::Value {
        let x = self.clamp(x, -746.0, 710.0);
        let (n, minus_one) = self.reduced_exponential(x, tail);
        let one = self.c(1.0);
        let value = self.add(minus_one, one);
        // 2^n in two steps: n reaches beyond the exponents of one.
        let half = self.shr(n, 1);
        let rest = self.sub(n, half);
        let first = self.power_of_two(half);
        let second = self.power_of_two(rest);
        let value = self.mul(value, first);
        self.mul(value, second)
    }

    pub(super) fn expm1(&mut self, x: B::Value) -> B::Value {
        let clamped = self.clamp(x, -746.0, 710.0);
        let (n, minus_one) = self.reduced_exponential(clamped, None);
        // 2 (2^(n-1) (exp(r) - 1) + (2^(n-1) - 1/2)): 2^1024 itself would overflow. Below 2^-60 nothing counts.
        let (one, floor) = (self.k(1), self.k(-100));
        let n = self.b.op(ScalarOp::Max, &[n, floor]);
        let below = self.sub(n, one);
        let scale = self.power_of_two(below);
        let half = self.c(0.5);
        let offset = self.sub(scale, half);
        let result = self.fma(scale, minus_one, offset);
        let result = self.add(result, result);
        self.keep_zero(x, result)
    }

    /// Exponent (f64), `f`, and the denominator's parts of the reduced argument; `x` is positive and finite.
    fn split_logarithm(&mut self, x: B::Value) -> (B::Value, B::Value) {
        let (least, scale) = (self.c(f64::MIN_POSITIVE), self.c(18_014_398_509_481_984.0));
        let subnormal = self.lt(x, least);
        let scaled = self.mul(x, scale);
        let x = self.select(subnormal, scaled, x);
        let (zero, minus) = (self.c(0.0), self.c(-54.0));
        let adjust = self.select(subnormal, minus, zero);
        let bits = self.bits(x);
        let root_half = self.k(std::f64::consts::FRAC_1_SQRT_2.to_bits() as i64);
        let above = self.sub(bits, root_half);
        let exponent = self.shr(above, 52);
        let shifted = self.shl(exponent, 52);
        let mantissa = self.sub(bits, shifted);
        let mantissa = self.of_bits(mantissa);
        let exponent = self.float(exponent);
        let exponent = self.add(exponent, adjust);
        (exponent, mantissa)
    }

    /// `log` of a positive finite `x`, with `extra` (small) added before the last rounding.
    fn positive_log(&mut self, x: B::Value, extra: Option<B::Value>) -> B::Value {
        let (exponent, mantissa) = self.split_logarithm(x);
        let (one, two, half) = (self.c(1.0), self.c(2.0), self.c(0.5));
        let f = self.sub(mantissa, one);
        let below = self.add(f, two);
        let s = self.div(f, below);
        let square = self.mul(s, s);
        let series = self.polynomial(square, &ARTANH);
        let rest = self.mul(square, series);
        let half_f = self.mul(f, half);
        let half_square = self.mul(half_f, f);
        let sum = self.add(half_square, rest);
        let low = self.c(LN2_LOW);
        let mut correction = self.mul(exponent, low);
        if let Some(extra) = extra {
            correction = self.add(correction, extra);
        }
        let tail = self.fma(s, sum, correction);
        let tail = self.sub(half_square, tail);
        let inner = self.sub(tail, f);
        let high = self.c(LN2_HIGH);
        let minus = self.neg(inner);
        self.fma(exponent, high, minus)
    }

    /// `result` where `x` is positive and finite; the limits of `log` elsewhere.
    fn log_limits(&mut self, x: B::Value, result: B::Value) -> B::Value {
        let (zero, infinity) = (self.c(0.0), self.c(f64::INFINITY));
        let (minus_infinity, nan) = (self.c(f64::NEG_INFINITY), self.c(f64::NAN));
        let positive = self.lt(zero, x);
        let is_zero = self.eq(x, zero);
        let other = self.select(is_zero, minus_infinity, nan);
        let result = self.select(positive, result, other);
        let infinite = self.eq(x, infinity);
        self.select(infinite, x, result)
    }

    pub(super) fn log(&mut self, x: B::Value) -> B::Value {
        let result = self.positive_log(x, None);
        self.log_limits(x, result)
    }

    pub(super) fn log1p(&mut self, x: B::Value) -> B::Value {
        // log(u) + c / u, where u = 1 + x rounded and c what the rounding lost (exact, by Dekker's two-sum).
        let one = self.c(1.0);
        let u = self.add(x, one);
        let back = self.sub(u, x);
        let lost = self.sub(one, back);
        let other = self.sub(u, back);
        let lost_x = self.sub(x, other);
        let lost = self.add(lost, lost_x);
        let correction = self.div(lost, u);
        let result = self.positive_log(u, Some(correction));
        let result = self.log_limits(u, result);
        self.keep_zero(x, result)
    }

    pub(super) fn sigmoid(&mut self, x: B::Value) -> B::Value {
        // exp of a negative number: never overflows, and small results keep their bits.
        let magnitude = self.abs(x);
        let minus = self.neg(magnitude);
        let e = self.exp(minus);
        let (zero, one) = (self.c(0.0), self.c(1.0));
        let below = self.add(e, one);
        let negative = self.lt(x, zero);
        let above = self.select(negative, e, one);
        self.div(above, below)
    }

    pub(super) fn tanh(&mut self, x: B::Value) -> B::Value {
        // tanh |x| = t / (t + 2), t = exp(2 |x|) - 1; beyond 22 it is 1 to the last bit.
        let magnitude = self.abs(x);
        let double = self.add(magnitude, magnitude);
        let double = self.clamp(double, 0.0, 44.0);
        let t = self.expm1(double);
        let two = self.c(2.0);
        let below = self.add(t, two);
        let result = self.div(t, below);
        self.copysign(result, x)
    }

    /// `log` of a positive finite `x` as an unevaluated sum of two f64.
    fn long_log(&mut self, x: B::Value) -> (B::Value, B::Value) {
        let (exponent, mantissa) = self.split_logarithm(x);
        let one = self.c(1.0);
        let f = self.sub(mantissa, one);
        // s = f / (m + 1) with its error.
        let below = self.add(mantissa, one);
        let back = self.sub(below, one);
        let below_low = self.sub(mantissa, back);
        let s = self.div(f, below);
        let minus_s = self.neg(s);
        let error = self.fma(minus_s, below, f);
        let error = self.fma(minus_s, below_low, error);
        let s_low = self.div(error, below);
        // 2/3 s^3 with its error; the terms after it are small enough for one f64.
        let (square, square_low) = self.two_product(s, s);
        let twice_s = self.add(s, s);
        let square_low = self.fma(twice_s, s_low, square_low);
        let (cube, cube_low) = self.two_product(square, s);
        let cube_low = self.fma(square_low, s, cube_low);
        let cube_low = self.fma(square, s_low, cube_low);
        let [leading, rest @ ..] = ARTANH;
        let (leading, leading_low) = (self.c(leading), self.c(TWO_THIRDS_LOW));
        let (third, third_low) = self.two_product(cube, leading);
        let third_low = self.fma(cube_low, leading, third_low);
        let third_low = self.fma(cube, leading_low, third_low);
        let series = self.polynomial(square, &rest);
        let fifth = self.mul(cube, square);
        let tail = self.fma(fifth, series, third_low);
        // exponent * ln 2 + 2 s + the above, largest first.
        let (high, low) = (self.c(LN2_HIGH), self.c(LN2_LOW));
        let whole = self.mul(exponent, high);
        let (sum, lost) = self.two_sum(whole, twice_s);
        let (sum, lost_too) = self.two_sum(sum, third);
        let two = self.c(2.0);
        let tail = self.fma(two, s_low, tail);
        let tail = self.fma(exponent, low, tail);
        let tail = self.add(tail, lost);
        let tail = self.add(tail, lost_too);
        self.two_sum(sum, tail)
    }

    /// The rounded product and what the rounding lost.
    fn two_product(&mut self, a: B::Value, b: B::Value) -> (B::Value, B::Value) {
        let product = self.mul(a, b);
        let minus = self.neg(product);
        (product, self.fma(a, b, minus))
    }

    /// The rounded sum and what the rounding lost (Knuth).
    pub(super) fn two_sum(&mut self, a: B::Value, b: B::Value) -> (B::Value, B::Value) {
        let sum = self.add(a, b);
        let back = self.sub(sum, a);
        let other = self.sub(sum, back);
        let lost_a = self.sub(a, other);
        let lost_b = self.sub(b, back);
        (sum, self.add(lost_a, lost_b))
    }

    /// C99 `pow`.
    pub(super) fn power(&mut self, x: B::Value, y: B::Value) -> B::Value {
        let (zero, one, half) = (self.c(0.0), self.c(1.0), self.c(0.5));
        let infinity = self.c(f64::INFINITY);
        let nan = self.c(f64::NAN);
        let magnitude = self.abs(x);
        let (log, log_low) = self.long_log(magnitude);
        let log = self.log_limits(magnitude, log);
        let (product, lost) = self.two_product(y, log);
        let tail = self.fma(y, log_low, lost);
        // Where the product is beyond all exponents, or infinite, the tail is nothing, or none.
        let size = self.abs(product);
        let limit = self.c(750.0);
        let inside = self.lt(size, limit);
        let tail = self.select(inside, tail, zero);
        let result = self.exp_of_sum(product, Some(tail));
        // Integers y, and odd ones among them.
        let floor = self.floor(y);
        let integer = self.eq(floor, y);
        let halved = self.mul(y, half);
        let half_floor = self.floor(halved);
        let even = self.eq(half_floor, halved);
        let not_even = self.not(even);
        let odd = self.and(integer, not_even);
        let bits = self.bits(x);
        let zero_bits = self.k(0);
        let sign = self.lt(bits, zero_bits);
        let flips = self.and(sign, odd);
        let flipped = self.neg(result);
        let result = self.select(flips, flipped, result);
        // A finite negative x to a fraction is no number.
        let negative = self.lt(x, zero);
        let finite = self.lt(magnitude, infinity);
        let fraction = self.not(integer);
        let invalid = self.and(negative, finite);
        let invalid = self.and(invalid, fraction);
        let result = self.select(invalid, nan, result);
        // (+-1)^(+-inf) is 1, as are x^0 and 1^y whatever the other is.
        let is_one = self.eq(magnitude, one);
        let y_size = self.abs(y);
        let y_infinite = self.eq(y_size, infinity);
        let unit = self.and(is_one, y_infinite);
        let y_zero = self.eq(y, zero);
        let x_one = self.eq(x, one);
        let unit = self.or(unit, y_zero);
        let unit = self.or(unit, x_one);
        self.select(unit, one, result)
    }

    pub(super) fn rsqrt(&mut self, x: B::Value) -> B::Value {
        let root = self.b.op(ScalarOp::Sqrt, &[x]);
        let one = self.c(1.0);
        self.div(one, root)
    }
}
