//! f32 formulas in f32 and i32 alone, so that four lanes of a vector stay four lanes: exponentials, logarithms, `erf`.
//!
//! The coefficients are minimax fits of our own, printed by `tests/oracle/fit_formulas.py`; the error of each is
//! below a quarter of a unit in the last place, that of the whole formula is measured by `tests/formulas.rs`.

use super::arith::Arith;
use crate::base::DType;
use crate::ops::scalar::ScalarBuilder;

/// `Q` in `exp(r) = 1 + r + r^2 Q(r)`, `|r| <= ln 2 / 2`; relative to `exp(r) - 1`: 2^-26.2.
const EXP: [f64; 5] = [0.499_999_97, 0.166_665_39, 0.041_667_756, 0.008_367_125, 0.001_383_560_8];
/// `P` in `2 artanh(s) = 2 s + s z P(z)`, `z = s^2`, `|s| <= (sqrt 2 - 1) / (sqrt 2 + 1)`; relative: 2^-29.2.
const ARTANH: [f64; 3] = [0.666_667_76, 0.399_775_83, 0.298_707_96];
/// `T` in `tanh x = x + x z T(z)`, `z = x^2`, `|x| <= 0.55`; relative: 2^-29.9.
const TANH: [f64; 5] = [-0.333_333_2, 0.133_326_37, -0.053_856_842, 0.021_088_235, -0.006_295_485];
/// `E` in `erf x = x + x E(x^2)`, `|x| <= 1`: 2^-29.7.
const ERF: [f64; 7] =
    [0.128_379_17, -0.376_126_3, 0.112_836_18, -0.026_855_126, 0.005_190_733_4, -0.000_803_075_03, 7.920_303e-5];
/// `L` in `erfc a = exp(L(a))`, `1 <= a <= 4`; the error it leaves in `erf a`, relative: 2^-29.8.
const LOG_ERFC: [f64; 7] =
    [-0.000_341_524_5, -1.127_089_1, -0.638_144_97, -0.103_106_596, 0.021_837_974, -0.002_947_633_2, 0.000_186_376_33];

/// ln 2 rounded to f32. `x - n ln 2` is exact with it: it and `x` are multiples of 2^-25, and so is the difference.
const LN2_HIGH: f64 = 0.693_147_182_464_599_6;
/// ln 2 less the above.
const LN2_LOW: f64 = std::f64::consts::LN_2 - LN2_HIGH;
/// 1.5 * 2^23: a small number added to this is rounded to an int, which then stands in the low bits.
const ROUNDER: f64 = 12_582_912.0;

/// `x = n ln 2 + r + r_low`.
struct Reduced<V> {
    /// An int in whose low 9 bits `n` stands.
    n: V,
    r: V,
    r_low: V,
}

impl<B: ScalarBuilder> Arith<'_, B> {
    fn reduce_single(&mut self, x: B::Value) -> Reduced<B::Value> {
        debug_assert_eq!(self.float, DType::F32);
        let (log2_e, rounder) = (self.c(std::f64::consts::LOG2_E), self.c(ROUNDER));
        let shifted = self.fma(x, log2_e, rounder);
        let n = self.sub(shifted, rounder);
        let (high, low) = (self.c(-LN2_HIGH), self.c(-LN2_LOW));
        let exact = self.fma(n, high, x);
        let r = self.fma(n, low, exact);
        let back = self.sub(exact, r);
        let r_low = self.fma(n, low, back);
        Reduced { n: self.bits(shifted), r, r_low }
    }

    /// `exp(r) - 1`, and as exact as f32 can be near 0 if `r_low` is counted.
    fn expm1_of_rest(&mut self, r: B::Value, r_low: Option<B::Value>) -> B::Value {
        let square = self.mul(r, r);
        let series = self.polynomial(r, &EXP);
        match r_low {
            None => self.fma(square, series, r),
            Some(low) => {
                let tail = self.fma(square, series, low);
                self.add(r, tail)
            }
        }
    }

    /// `2^(n + by)` from the low bits of `n`.
    fn scale_single(&mut self, n: B::Value, by: i64) -> B::Value {
        let raised = self.shl(n, 23);
        let bias = self.k((127 + by) << 23);
        let bits = self.add(raised, bias);
        self.of_bits(bits)
    }

    /// `exp` for `x` in `-104..=89`, between which all of its values lie.
    fn exp_bounded_single(&mut self, x: B::Value) -> B::Value {
        let Reduced { n, r, .. } = self.reduce_single(x);
        let less_one = self.expm1_of_rest(r, None);
        let one = self.c(1.0);
        let value = self.add(less_one, one);
        // 2^n in two steps: n reaches beyond the exponents of one, and only the last may round.
        let rounder = self.c(ROUNDER);
        let rounder = self.bits(rounder);
        let n = self.sub(n, rounder);
        let half = self.shr(n, 1);
        let rest = self.sub(n, half);
        let (first, second) = (self.power_of_two(half), self.power_of_two(rest));
        let value = self.mul(value, first);
        self.mul(value, second)
    }

    pub(super) fn exp_single(&mut self, x: B::Value) -> B::Value {
        let x = self.clamp(x, -104.0, 89.0);
        self.exp_bounded_single(x)
    }

    pub(super) fn expm1_single(&mut self, x: B::Value) -> B::Value {
        let bounded = self.clamp(x, -18.0, 89.0);
        let Reduced { n, r, r_low } = self.reduce_single(bounded);
        let less_one = self.expm1_of_rest(r, Some(r_low));
        // 2 (2^(n-1) (exp(r) - 1) + (2^(n-1) - 1/2)): 2^128 itself would overflow.
        let scale = self.scale_single(n, -1);
        let half = self.c(-0.5);
        let offset = self.add(scale, half);
        let result = self.fma(scale, less_one, offset);
        let result = self.add(result, result);
        self.keep_tiny(x, result)
    }

    pub(super) fn tanh_single(&mut self, x: B::Value) -> B::Value {
        let magnitude = self.abs(x);
        let square = self.mul(x, x);
        let series = self.polynomial(square, &TANH);
        let cube = self.mul(square, magnitude);
        let near = self.fma(cube, series, magnitude);
        // 1 - 2 / (exp(2 |x|) + 1); beyond 9.1 it is 1 to the last bit.
        let bounded = self.at_most(magnitude, 10.0);
        let double = self.add(bounded, bounded);
        let Reduced { n, r, .. } = self.reduce_single(double);
        let less_one = self.expm1_of_rest(r, None);
        let scale = self.scale_single(n, 0);
        let one = self.c(1.0);
        let below = self.add(scale, one);
        let below = self.fma(scale, less_one, below);
        let minus_two = self.c(-2.0);
        let rest = self.div(minus_two, below);
        let far = self.add(rest, one);
        let limit = self.c(0.55);
        let is_near = self.lt(magnitude, limit);
        let result = self.select(is_near, near, far);
        self.copysign(result, x)
    }

    pub(super) fn sigmoid_single(&mut self, x: B::Value) -> B::Value {
        // With e = exp(-|x|), which never overflows: 1 - e / (1 + e), and for negative x e - e e / (1 + e), of which
        // the quotient's two roundings count little.
        let magnitude = self.abs(x);
        let minus = self.neg(magnitude);
        let bounded = self.at_least(minus, -104.0);
        let e = self.exp_bounded_single(bounded);
        let (zero, one) = (self.c(0.0), self.c(1.0));
        let below = self.add(e, one);
        let quotient = self.div(e, below);
        let minus_quotient = self.neg(quotient);
        let negative = self.lt(x, zero);
        let whole = self.select(negative, e, one);
        self.fma(minus_quotient, whole, whole)
    }

    /// The exponent `e` (an int, raised to the exponent's place) and `m` of a normal `x = 2^e m`,
    /// `sqrt(1/2) <= m < sqrt 2`; then `e` as an int.
    fn split_single(&mut self, x: B::Value) -> (B::Value, B::Value, B::Value) {
        let bits = self.bits(x);
        let root_half = self.k(i64::from(std::f32::consts::FRAC_1_SQRT_2.to_bits()));
        let above = self.sub(bits, root_half);
        let exponent = self.shr(above, 23);
        let raised = self.shl(exponent, 23);
        let mantissa = self.sub(bits, raised);
        (raised, self.of_bits(mantissa), exponent)
    }

    /// `exponent ln 2 + log(1 + f)`.
    fn log_sum_single(&mut self, exponent: B::Value, f: B::Value) -> B::Value {
        let two = self.c(2.0);
        let below = self.add(f, two);
        let s = self.div(f, below);
        let square = self.mul(s, s);
        let series = self.polynomial(square, &ARTANH);
        // 2 s = f - s f, hence log(1 + f) = f - s (f - z P(z)).
        let minus_square = self.neg(square);
        let rest = self.fma(minus_square, series, f);
        let (high, low) = (self.c(LN2_HIGH), self.c(LN2_LOW));
        let sum = self.fma(exponent, low, f);
        let minus_s = self.neg(s);
        let sum = self.fma(minus_s, rest, sum);
        self.fma(exponent, high, sum)
    }

    /// `result` where `x` is positive and finite; the limits of `log` elsewhere.
    fn log_limits_single(&mut self, x: B::Value, result: B::Value) -> B::Value {
        let (zero, infinity) = (self.c(0.0), self.c(f64::INFINITY));
        let (minus_infinity, nan) = (self.c(f64::NEG_INFINITY), self.c(f64::NAN));
        let finite = self.lt(x, infinity);
        let result = self.select(finite, result, x);
        let is_zero = self.eq(x, zero);
        let result = self.select(is_zero, minus_infinity, result);
        let negative = self.lt(x, zero);
        self.select(negative, nan, result)
    }

    pub(super) fn log_single(&mut self, x: B::Value) -> B::Value {
        let (least, scale) = (self.c(f64::from(f32::MIN_POSITIVE)), self.c(8_388_608.0));
        let subnormal = self.lt(x, least);
        let scaled = self.mul(x, scale);
        let normal = self.select(subnormal, scaled, x);
        let (_, mantissa, exponent) = self.split_single(normal);
        let exponent = self.float(exponent);
        let (zero, scaled_by) = (self.c(0.0), self.c(23.0));
        let adjust = self.select(subnormal, scaled_by, zero);
        let exponent = self.sub(exponent, adjust);
        let one = self.c(1.0);
        let f = self.sub(mantissa, one);
        let result = self.log_sum_single(exponent, f);
        self.log_limits_single(x, result)
    }

    pub(super) fn log1p_single(&mut self, x: B::Value) -> B::Value {
        // log(u + lost), where u = 1 + x rounded and lost is what the rounding lost, exactly.
        let one = self.c(1.0);
        let (u, lost) = self.two_sum(one, x);
        let (raised, mantissa, exponent) = self.split_single(u);
        // lost / 2^e as (lost / 2) 2^(1 - e): e reaches 128, of which 2^-e has no normal float, and 2^(1-e) becomes 0.
        let two = self.c(2.0);
        let two = self.bits(two);
        let inverse = self.sub(two, raised);
        let inverse = self.of_bits(inverse);
        let half = self.c(0.5);
        let lost = self.mul(lost, half);
        let f = self.sub(mantissa, one);
        let f = self.fma(lost, inverse, f);
        let exponent = self.float(exponent);
        let result = self.log_sum_single(exponent, f);
        let result = self.log_limits_single(u, result);
        self.keep_tiny(x, result)
    }

    pub(super) fn erf_single(&mut self, x: B::Value) -> B::Value {
        let square = self.mul(x, x);
        let series = self.polynomial(square, &ERF);
        let near = self.fma(x, series, x);
        let magnitude = self.abs(x);
        let bounded = self.at_most(magnitude, 4.0);
        let log = self.polynomial(bounded, &LOG_ERFC);
        let Reduced { n, r, .. } = self.reduce_single(log);
        let less_one = self.expm1_of_rest(r, None);
        let scale = self.scale_single(n, 0);
        let one = self.c(1.0);
        let rest = self.sub(one, scale);
        let minus = self.neg(scale);
        let far = self.fma(minus, less_one, rest);
        let far = self.copysign(far, x);
        let is_near = self.lt(magnitude, one);
        self.select(is_near, near, far)
    }

    /// `result`, but `x` itself below 2^-25, where `result` is `x` to the last bit.
    fn keep_tiny(&mut self, x: B::Value, result: B::Value) -> B::Value {
        let magnitude = self.abs(x);
        let limit = self.c(1.0 / 33_554_432.0);
        let tiny = self.lt(magnitude, limit);
        self.select(tiny, x, result)
    }
}
