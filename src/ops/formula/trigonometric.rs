//! Sine, cosine, tangent, for arguments of any size.
//!
//! The argument is reduced to `x = q pi/2 + r`, `|r| <= pi/4`, with `r` as a sum of two f64. Below 2^28 that is done
//! by subtracting multiples of pi/2 given to 160 bits (Cody and Waite). Above, the bits of 2/pi that matter for the
//! argument's exponent are picked and multiplied with its mantissa in integers, so that the fraction has over 120
//! correct bits (Payne and Hanek). Then the Taylor series of sine and cosine.

use super::arith::Arith;
use crate::ops::scalar::{ScalarBuilder, ScalarOp};

/// pi/2 in three parts of 53 bits.
const HALF_PI: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];

/// The binary fraction of 2/pi, 32 bits a word, most significant first (mpmath at 2,000 bits).
const TWO_OVER_PI: [i64; 37] = [
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561, 0xb7246e3a,
    0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41,
    0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf,
    0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08,
    0x56033046,
];

/// `(-1)^k / (2k + 1)!` from `k = 1`.
const SINE: [f64; 9] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
    -1.0 / 121_645_100_408_832_000.0,
];

/// `(-1)^k / (2k)!` from `k = 2`.
const COSINE: [f64; 9] = [
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
    -1.0 / 6_402_373_705_728_000.0,
    1.0 / 2_432_902_008_176_640_000.0,
];

/// `x = quadrant * pi/2 + high + low`.
struct Reduced<V> {
    /// i64; only its value modulo 4 matters.
    quadrant: V,
    high: V,
    low: V,
}

impl<B: ScalarBuilder> Arith<'_, B> {
    /// For `|x| < 2^28`.
    fn reduce_small(&mut self, x: B::Value) -> Reduced<B::Value> {
        let inverse = self.c(std::f64::consts::FRAC_2_PI);
        let scaled = self.mul(x, inverse);
        let n = self.round(scaled);
        let minus = self.neg(n);
        let [first, second, third] = HALF_PI.map(|part| self.c(part));
        let r = self.fma(minus, first, x);
        let product = self.mul(minus, second);
        let negated = self.neg(product);
        let lost = self.fma(minus, second, negated);
        let (high, low) = self.two_sum(r, product);
        let low = self.add(low, lost);
        let low = self.fma(minus, third, low);
        Reduced { quadrant: self.int(n), high, low }
    }

    /// Seven words of 2/pi from word `at` (i64, below `words.len() - 6`) on, by halving the candidates.
    fn window(&mut self, at: B::Value, words: &[i64]) -> Vec<B::Value> {
        let mut candidates: Vec<B::Value> = words.iter().map(|&word| self.k(word)).collect();
        let mut step = (words.len() - 6).next_power_of_two() / 2;
        while step > 0 {
            let (bit, zero) = (self.k(step as i64), self.k(0));
            let masked = self.and(at, bit);
            let clear = self.eq(masked, zero);
            let keep = candidates.len().min(step + 6);
            candidates = (0..keep)
                .map(|k| match (candidates.get(k), candidates.get(k + step)) {
                    (Some(&near), Some(&far)) => self.select(clear, near, far),
                    (Some(&near), None) => near,
                    (None, _) => zero,
                })
                .collect();
            step /= 2;
        }
        candidates
    }

    /// For `2^28 <= |x|`, finite.
    fn reduce_large(&mut self, x: B::Value) -> Reduced<B::Value> {
        // |x| = mantissa * 2^exponent with a mantissa of 53 bits.
        let magnitude = self.abs(x);
        let bits = self.bits(magnitude);
        let biased = self.shr_logical(bits, 52);
        let (mask, hidden) = (self.k((1 << 52) - 1), self.k(1 << 52));
        let mantissa = self.and(bits, mask);
        let mantissa = self.or(mantissa, hidden);
        // Bits of 2/pi with weights above 2^(1 - exponent) give multiples of 4 and are left out: they begin at bit
        // exponent - 2 of the fraction, counted from 0. One word of zeros stands before it.
        let offset = self.k(1075 + 2 - 32);
        let from = self.sub(biased, offset);
        let zero = self.k(0);
        let from = self.b.op(ScalarOp::Max, &[from, zero]);
        let word = self.shr_logical(from, 5);
        let low_bits = self.k(31);
        let shift = self.and(from, low_bits);
        let mut table = vec![0];
        table.extend_from_slice(&TWO_OVER_PI);
        let words = self.window(word, &table);
        // Six words of 32 bits that begin at the wanted bit.
        let width = self.k(32);
        let back = self.sub(width, shift);
        let low_word = self.k(0xffff_ffff);
        let mut digits = Vec::with_capacity(6);
        for pair in words.windows(2) {
            let [first, second] = *pair else { continue };
            let left = self.b.op(ScalarOp::Shl, &[first, shift]);
            let right = self.b.op(ScalarOp::ShrLogical, &[second, back]);
            let both = self.or(left, right);
            digits.push(self.and(both, low_word));
        }
        let m_low = self.and(mantissa, low_word);
        let m_high = self.shr_logical(mantissa, 32);
        // Column sums of the product, most significant digit first; what carries out of digit 0 is a multiple of 4.
        let mut columns: Vec<Vec<B::Value>> = vec![Vec::new(); 6];
        for (k, &digit) in digits.iter().enumerate() {
            for (factor, up) in [(m_low, 0), (m_high, 1)] {
                let product = self.mul(digit, factor);
                let low = self.and(product, low_word);
                let high = self.shr_logical(product, 32);
                for (part, up) in [(low, up), (high, up + 1)] {
                    if let Some(column) = k.checked_sub(up).and_then(|at| columns.get_mut(at)) {
                        column.push(part);
                    }
                }
            }
        }
        let mut carry = self.k(0);
        let mut result = vec![carry; 6];
        for (k, column) in columns.iter().enumerate().rev() {
            let mut sum = carry;
            for &part in column {
                sum = self.add(sum, part);
            }
            let digit = self.and(sum, low_word);
            if let Some(slot) = result.get_mut(k) {
                *slot = digit;
            }
            carry = self.shr_logical(sum, 32);
        }
        let mut digits = result.into_iter();
        let mut next = || digits.next().unwrap_or(carry);
        let (r0, r1, r2, r3) = (next(), next(), next(), next());
        // Two bits of quadrant, then 126 bits of fraction.
        let top = self.shl(r0, 32);
        let top = self.or(top, r1);
        let below = self.shl(r2, 32);
        let below = self.or(below, r3);
        let rounding = self.k(1 << 61);
        let rounded = self.add(top, rounding);
        let quadrant = self.shr_logical(rounded, 62);
        let whole = self.shl(quadrant, 62);
        let fraction = self.sub(top, whole);
        let high = self.float(fraction);
        let taken = self.int(high);
        let left = self.sub(fraction, taken);
        let left = self.float(left);
        let below = self.shr_logical(below, 1);
        let below = self.float(below);
        let (scale, fine) = (self.c(2f64.powi(-62)), self.c(2f64.powi(-125)));
        let high = self.mul(high, scale);
        let below = self.mul(below, fine);
        let low = self.fma(left, scale, below);
        // In units of pi/2.
        let [first, second, _] = HALF_PI.map(|part| self.c(part));
        let r = self.mul(high, first);
        let minus = self.neg(r);
        let lost = self.fma(high, first, minus);
        let tail = self.fma(high, second, lost);
        let tail = self.fma(low, first, tail);
        let (r, tail) = self.two_sum(r, tail);
        // The reduction was of |x|.
        let zero = self.c(0.0);
        let negative = self.lt(x, zero);
        let (minus_r, minus_tail) = (self.neg(r), self.neg(tail));
        let none = self.k(0);
        let minus_quadrant = self.sub(none, quadrant);
        Reduced {
            quadrant: self.select(negative, minus_quadrant, quadrant),
            high: self.select(negative, minus_r, r),
            low: self.select(negative, minus_tail, tail),
        }
    }

    /// Quadrant, sine and cosine of the reduced argument; NaN for infinities.
    fn sine_cosine(&mut self, x: B::Value) -> (B::Value, B::Value, B::Value) {
        let near = self.reduce_small(x);
        let far = self.reduce_large(x);
        let magnitude = self.abs(x);
        let limit = self.c(268_435_456.0);
        let small = self.lt(magnitude, limit);
        let quadrant = self.select(small, near.quadrant, far.quadrant);
        let r = self.select(small, near.high, far.high);
        let low = self.select(small, near.low, far.low);
        let (infinity, nan) = (self.c(f64::INFINITY), self.c(f64::NAN));
        let finite = self.lt(magnitude, infinity);
        let r = self.select(finite, r, nan);
        let square = self.mul(r, r);
        let (half, one) = (self.c(0.5), self.c(1.0));
        let minus_half = self.neg(half);
        // sin(r + low) = sin r + low cos r, cos(r + low) = cos r - low sin r.
        let series = self.polynomial(square, &SINE);
        let cube = self.mul(square, r);
        let slope = self.fma(square, minus_half, one);
        let correction = self.mul(low, slope);
        let tail = self.fma(cube, series, correction);
        let sine = self.add(r, tail);
        let series = self.polynomial(square, &COSINE);
        let fourth = self.mul(square, square);
        // 1 - r^2/2 with what its rounding lost.
        let halved = self.mul(square, half);
        let main = self.sub(one, halved);
        let back = self.sub(one, main);
        let lost = self.sub(back, halved);
        let minus_low = self.neg(low);
        let correction = self.fma(minus_low, r, lost);
        let tail = self.fma(fourth, series, correction);
        let cosine = self.add(main, tail);
        (quadrant, sine, cosine)
    }

    fn bit(&mut self, x: B::Value, bit: i64) -> B::Value {
        let (mask, zero) = (self.k(bit), self.k(0));
        let masked = self.and(x, mask);
        let clear = self.eq(masked, zero);
        self.not(clear)
    }

    pub(super) fn sin(&mut self, x: B::Value) -> B::Value {
        let (quadrant, sine, cosine) = self.sine_cosine(x);
        let odd = self.bit(quadrant, 1);
        let value = self.select(odd, cosine, sine);
        let flip = self.bit(quadrant, 2);
        let minus = self.neg(value);
        let value = self.select(flip, minus, value);
        self.keep_zero(x, value)
    }

    pub(super) fn cos(&mut self, x: B::Value) -> B::Value {
        let (quadrant, sine, cosine) = self.sine_cosine(x);
        let one = self.k(1);
        let next = self.add(quadrant, one);
        let odd = self.bit(quadrant, 1);
        let value = self.select(odd, sine, cosine);
        let flip = self.bit(next, 2);
        let minus = self.neg(value);
        self.select(flip, minus, value)
    }

    pub(super) fn tan(&mut self, x: B::Value) -> B::Value {
        let (quadrant, sine, cosine) = self.sine_cosine(x);
        let odd = self.bit(quadrant, 1);
        let minus = self.neg(cosine);
        let above = self.select(odd, minus, sine);
        let below = self.select(odd, sine, cosine);
        let value = self.div(above, below);
        self.keep_zero(x, value)
    }
}
