//! f32 formulas that go through f64: sine, cosine, tangent of any size, and the power. The result is rounded once.
//!
//! Angles are multiplied by 2/pi modulo 4. An f32 has 24 bits, so its products with pieces of 29 bits of 2/pi are
//! exact in f64; which pieces matter is chosen by the size of the angle, the ones before give multiples of 4. The
//! coefficients are minimax fits of our own, printed by `tests/oracle/fit_formulas.py`.

use super::arith::Arith;
use crate::base::DType;
use crate::ops::scalar::{Function, ScalarBuilder, ScalarOp};

/// `S` in `sin r = r + r^3 S(r^2)`, `|r| <= pi/4`; relative: 2^-37.6.
const SINE: [f64; 4] =
    [-0.166_666_666_416_271_2, 0.008_333_329_385_954_52, -0.000_198_393_348_554_292_52, 2.718_311_666_079_154_4e-6];
/// `C` in `cos r = 1 - r^2/2 + r^4 C(r^2)`, `|r| <= pi/4`; relative: 2^-43.2.
const COSINE: [f64; 4] =
    [0.041_666_666_622_828_47, -0.001_388_888_375_343_050_3, 2.479_952_001_186_125e-5, -2.721_023_790_943_499e-7];
/// `Q` in `exp(r) = 1 + r + r^2 Q(r)`, `|r| <= ln 2 / 2`; relative to `exp(r) - 1`: 2^-32.
const EXP: [f64; 6] = [
    0.500_000_004_413_904_9,
    0.166_666_663_708_106_26,
    0.041_666_361_030_998_224,
    0.008_333_389_304_177_428,
    0.001_394_061_728_914_125_3,
    0.000_198_459_006_489_769_47,
];
/// `P` in `2 artanh(s) = 2 s + s z P(z)`, `z = s^2`, `|s| <= (sqrt 2 - 1) / (sqrt 2 + 1)`; relative: 2^-36.6.
const ARTANH: [f64; 4] =
    [0.666_666_656_454_381_3, 0.400_003_351_942_327_5, 0.285_373_083_569_877_34, 0.235_821_545_134_281_9];

/// For angles from 2^54, 2^83 and 2^112 on, and below: two pieces of 29 bits of 2/pi and the 53 bits that follow.
const TWO_OVER_PI: [[f64; 3]; 4] = [
    [0.636_619_770_899_415, 1.468_166_324_625_208_6e-9, 2.276_010_073_078_396e-18],
    [1.468_166_324_625_208_6e-9, 2.276_010_067_197_181_6e-18, 5.881_214_749_119_912e-27],
    [2.276_010_067_197_181_6e-18, 5.881_214_738_773_043_4e-27, 1.034_686_870_461_947_2e-35],
    [5.881_214_738_773_043_4e-27, 1.034_686_870_083_621_5e-35, 3.783_256_388_296_067_6e-45],
];
const FROM: [f64; 4] = [
    0.0,
    18_014_398_509_481_984.0,
    9_671_406_556_917_033_397_649_408.0,
    5_192_296_858_534_827_628_530_496_329_220_096.0,
];

/// `sin`, `cos` or `tan` of an f32.
pub(super) fn angle<B: ScalarBuilder>(b: &mut B, function: Function, x: B::Value) -> B::Value {
    let mut wide = Arith { b: &mut *b, float: DType::F64 };
    let angle = wide.widen(x);
    let (quadrant, r) = wide.quadrant_and_rest(angle);
    let (sine, cosine) = wide.short_sine_and_cosine(r);
    // Odd quadrants exchange the two.
    let half = wide.c(0.5);
    let halved = wide.mul(quadrant, half);
    let whole = wide.round(halved);
    let odd = wide.b.op(ScalarOp::Ne, &[halved, whole]);
    let value = match function {
        Function::Sin => wide.select(odd, cosine, sine),
        Function::Cos => wide.select(odd, sine, cosine),
        _ => {
            let minus = wide.neg(cosine);
            let above = wide.select(odd, minus, sine);
            let below = wide.select(odd, sine, cosine);
            wide.div(above, below)
        }
    };
    let value = wide.b.op(ScalarOp::Cast(DType::F32), &[value]);
    let quadrant = wide.b.op(ScalarOp::Cast(DType::I32), &[quadrant]);
    let mut narrow = Arith { b, float: DType::F32 };
    let value = match function {
        Function::Sin => narrow.flip_if_second_bit(quadrant, value),
        Function::Cos => {
            let one = narrow.k(1);
            let next = narrow.add(quadrant, one);
            narrow.flip_if_second_bit(next, value)
        }
        _ => value,
    };
    if function == Function::Cos { value } else { narrow.keep_zero(x, value) }
}

/// C99 `pow` of two f32.
pub(super) fn power<B: ScalarBuilder>(b: &mut B, x: B::Value, y: B::Value) -> B::Value {
    let mut narrow = Arith { b: &mut *b, float: DType::F32 };
    let (zero, half) = (narrow.c(0.0), narrow.c(0.5));
    // Integers y, and odd ones among them; infinities are even.
    let rounded = narrow.round(y);
    let integer = narrow.eq(rounded, y);
    let halved = narrow.mul(y, half);
    let rounded = narrow.round(halved);
    let even = narrow.eq(rounded, halved);
    let magnitude = narrow.abs(x);

    let mut wide = Arith { b: &mut *b, float: DType::F64 };
    let wide_x = wide.widen(magnitude);
    let wide_y = wide.widen(y);
    let log = wide.short_log(wide_x);
    let product = wide.mul(log, wide_y);
    // (+-1)^(+-inf) is 1, not exp(0 * inf).
    let one = wide.c(1.0);
    let is_one = wide.eq(wide_x, one);
    let none = wide.c(0.0);
    let product = wide.select(is_one, none, product);
    let value = wide.short_exp(product);
    let value = wide.b.op(ScalarOp::Cast(DType::F32), &[value]);

    let mut narrow = Arith { b, float: DType::F32 };
    let (one, infinity, nan) = (narrow.c(1.0), narrow.c(f64::INFINITY), narrow.c(f64::NAN));
    let flipped = narrow.copysign(value, x);
    let odd = narrow.not(even);
    let odd = narrow.and(integer, odd);
    let value = narrow.select(odd, flipped, value);
    // A finite negative x to a fraction is no number.
    let negative = narrow.lt(x, zero);
    let finite = narrow.lt(magnitude, infinity);
    let invalid = narrow.and(negative, finite);
    let fraction = narrow.not(integer);
    let invalid = narrow.and(invalid, fraction);
    let value = narrow.select(invalid, nan, value);
    // x^0 and 1^y are 1 whatever the other is.
    let y_zero = narrow.eq(y, zero);
    let x_one = narrow.eq(x, one);
    let unit = narrow.or(y_zero, x_one);
    narrow.select(unit, one, value)
}

impl<B: ScalarBuilder> Arith<'_, B> {
    /// `x = quadrant pi/2 + r` up to multiples of `2 pi`: an integral float below 2^26, and `|r| <= pi/4`.
    fn quadrant_and_rest(&mut self, x: B::Value) -> (B::Value, B::Value) {
        let size = self.abs(x);
        let [lowest, larger @ ..] = TWO_OVER_PI;
        let mut pieces = lowest.map(|piece| self.c(piece));
        for (from, set) in FROM.into_iter().skip(1).zip(larger) {
            let from = self.c(from);
            let below = self.lt(size, from);
            for (piece, other) in pieces.iter_mut().zip(set) {
                let other = self.c(other);
                *piece = self.select(below, *piece, other);
            }
        }
        let [first, second, third] = pieces.map(|piece| self.mul(x, piece));
        let (quarter, minus_four) = (self.c(0.25), self.c(-4.0));
        let turns = self.mul(first, quarter);
        let turns = self.round(turns);
        let first = self.fma(turns, minus_four, first);
        let sum = self.add(first, second);
        let quadrant = self.round(sum);
        // All exact but for the last bit of what remains: the difference has the bits of `first`.
        let rest = self.sub(first, quadrant);
        let rest = self.add(rest, second);
        let rest = self.add(rest, third);
        let unit = self.c(std::f64::consts::FRAC_PI_2);
        (quadrant, self.mul(rest, unit))
    }

    fn short_sine_and_cosine(&mut self, r: B::Value) -> (B::Value, B::Value) {
        let square = self.mul(r, r);
        let series = self.polynomial(square, &SINE);
        let cube = self.mul(square, r);
        let sine = self.fma(cube, series, r);
        let series = self.polynomial(square, &COSINE);
        let (minus_half, one) = (self.c(-0.5), self.c(1.0));
        let tail = self.fma(square, series, minus_half);
        (sine, self.fma(square, tail, one))
    }

    /// The sign bit of `value` flipped where bit 1 of `quadrant` is set.
    fn flip_if_second_bit(&mut self, quadrant: B::Value, value: B::Value) -> B::Value {
        let bit = self.k(2);
        let bit = self.and(quadrant, bit);
        let sign = self.shl(bit, 30);
        let bits = self.bits(value);
        let bits = self.b.op(ScalarOp::Xor, &[bits, sign]);
        self.of_bits(bits)
    }

    /// `log` to 2^-36 of an f32's magnitude; -inf of 0, inf of inf.
    fn short_log(&mut self, x: B::Value) -> B::Value {
        let bits = self.bits(x);
        let root_half = self.k(std::f64::consts::FRAC_1_SQRT_2.to_bits() as i64);
        let above = self.sub(bits, root_half);
        let exponent = self.shr(above, 52);
        let raised = self.shl(exponent, 52);
        let mantissa = self.sub(bits, raised);
        let mantissa = self.of_bits(mantissa);
        let exponent = self.float(exponent);
        let (one, ln2) = (self.c(1.0), self.c(std::f64::consts::LN_2));
        let f = self.sub(mantissa, one);
        let below = self.add(mantissa, one);
        let s = self.div(f, below);
        let square = self.mul(s, s);
        let series = self.polynomial(square, &ARTANH);
        let minus_square = self.neg(square);
        let rest = self.fma(minus_square, series, f);
        let minus_s = self.neg(s);
        let log = self.fma(minus_s, rest, f);
        let log = self.fma(exponent, ln2, log);
        let (zero, infinity) = (self.c(0.0), self.c(f64::INFINITY));
        let finite = self.lt(x, infinity);
        let log = self.select(finite, log, x);
        let is_zero = self.eq(x, zero);
        let minus_infinity = self.c(f64::NEG_INFINITY);
        self.select(is_zero, minus_infinity, log)
    }

    /// `exp` to 2^-32, cut off where it leaves f32.
    fn short_exp(&mut self, x: B::Value) -> B::Value {
        let x = self.clamp(x, -110.0, 90.0);
        let log2_e = self.c(std::f64::consts::LOG2_E);
        let scaled = self.mul(x, log2_e);
        let n = self.round(scaled);
        let minus_ln2 = self.c(-std::f64::consts::LN_2);
        let r = self.fma(n, minus_ln2, x);
        let square = self.mul(r, r);
        let series = self.polynomial(r, &EXP);
        let less_one = self.fma(square, series, r);
        let n = self.int(n);
        let scale = self.power_of_two(n);
        self.fma(scale, less_one, scale)
    }
}
