//! The error function and the sign.
//!
//! `erf` below 1 is its Maclaurin series; above, `1 - erfc(x)` with `erfc(x) = exp(-x^2) g(t) / (1 + 2x)`, where `g` is
//! a Chebyshev fit in `t = (x - 3.75) / (x + 3.75)` (error 6e-17; `tests/oracle/fit_formulas.py`).

use super::arith::Arith;
use crate::base::{DType, Literal};
use crate::ops::scalar::{ScalarBuilder, ScalarOp};

/// `g(t)`, from the constant term on.
const ERFC: [f64; 24] = [
    1.237_512_630_837_827_5,
    -0.140_240_598_585_547_02,
    0.003_585_415_485_479_575,
    0.082_276_738_490_149_77,
    -0.108_803_930_142_466_45,
    0.092_304_321_160_258_94,
    -0.058_693_398_576_310_61,
    0.028_362_277_420_377_335,
    -0.009_746_579_685_962_17,
    0.001_755_625_843_431_864,
    0.000_293_714_390_578_856,
    -0.000_290_154_042_033_527_04,
    5.164_649_341_002_877e-5,
    2.238_413_852_565_675_7e-5,
    -1.143_798_037_449_553_4e-5,
    -9.733_875_167_494_144e-7,
    1.741_901_194_519_436_7e-6,
    -5.741_076_073_013_906e-8,
    -2.485_110_865_021_071e-7,
    2.339_853_431_304_081_5e-8,
    3.195_398_612_057_821_5e-8,
    -3.798_189_797_736_169e-9,
    -2.618_520_156_503_152_3e-9,
    3.205_262_337_928_84e-10,
];

/// Terms of the Maclaurin series of `erf`: enough for `|x| <= 1` in f64.
const TERMS: usize = 20;

impl<B: ScalarBuilder> Arith<'_, B> {
    pub(super) fn erf(&mut self, x: B::Value) -> B::Value {
        // 2/sqrt(pi) * sum of (-1)^k x^(2k+1) / (k! (2k+1))
        let mut coefficients = [0.0; TERMS];
        let mut factorial = 1.0;
        for (k, slot) in coefficients.iter_mut().enumerate() {
            if k > 0 {
                factorial *= -(k as f64);
            }
            *slot = std::f64::consts::FRAC_2_SQRT_PI / (factorial * (2 * k + 1) as f64);
        }
        let square = self.mul(x, x);
        let series = self.polynomial(square, &coefficients);
        let near = self.mul(series, x);
        let magnitude = self.abs(x);
        let bounded = self.clamp(magnitude, 1.0, 6.5);
        let (center, one) = (self.c(3.75), self.c(1.0));
        let above = self.sub(bounded, center);
        let below = self.add(bounded, center);
        let t = self.div(above, below);
        let fit = self.polynomial(t, &ERFC);
        let square = self.mul(bounded, bounded);
        let minus = self.neg(square);
        let e = self.exp(minus);
        let double = self.add(bounded, bounded);
        let below = self.add(double, one);
        let product = self.mul(e, fit);
        let erfc = self.div(product, below);
        let far = self.sub(one, erfc);
        let far = self.copysign(far, x);
        let small = self.lt(magnitude, one);
        let result = self.select(small, near, far);
        // NaN reaches the far branch as NaN, but its sign bit was forced.
        self.keep_zero(x, result)
    }
}

/// -1, 0 or 1; NaN and zeros stay.
pub(super) fn sign<B: ScalarBuilder>(b: &mut B, x: B::Value) -> B::Value {
    let dtype = b.dtype(x);
    let of = |value: i64| match dtype {
        DType::F16 | DType::Bf16 | DType::F32 | DType::F64 => Literal::from_f64(dtype, value as f64),
        _ => Literal::from_i64(dtype, value),
    };
    let (zero, one) = (b.constant(of(0)), b.constant(of(1)));
    let positive = b.op(ScalarOp::Lt, &[zero, x]);
    let rest = if dtype.is_float() || dtype.is_signed_int() {
        let minus = b.constant(of(-1));
        let negative = b.op(ScalarOp::Lt, &[x, zero]);
        b.op(ScalarOp::Select, &[negative, minus, x])
    } else {
        x
    };
    b.op(ScalarOp::Select, &[positive, one, rest])
}
