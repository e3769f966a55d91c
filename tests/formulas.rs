//! Measures the formulas: for f32 at most 2 units in the last place over the whole range, limits exact.
//!
//! The reference is the platform's f64 mathematics (below 1 unit of f64), sampled over all exponents and both signs.
//! `ARR_EXHAUSTIVE=1 cargo test --release --test formulas` takes every f32.

use arr::base::{DType, Literal};
use arr::ops::evaluate::Evaluator;
use arr::ops::formula::build;
use arr::ops::scalar::Function;

fn of(x: f32) -> Literal {
    Literal::new(DType::F32, u64::from(x.to_bits()))
}

fn apply(function: Function, operands: &[f32]) -> f32 {
    let operands: Vec<Literal> = operands.iter().map(|&x| of(x)).collect();
    f32::from_bits(build(&mut Evaluator, function, &operands).bits as u32)
}

/// Distance in units in the last place of the true value's f32 neighbourhood.
fn ulps(found: f32, truth: f64) -> f64 {
    let rounded = truth as f32;
    if found.is_nan() || rounded.is_nan() {
        return if found.is_nan() == rounded.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if found == rounded {
        let same_sign = found.is_sign_negative() == truth.is_sign_negative();
        return if found != 0.0 || same_sign { 0.0 } else { f64::INFINITY };
    }
    let exponent = ((rounded.to_bits() >> 23) & 0xff).max(1) as i32;
    (f64::from(found) - truth).abs() / 2f64.powi(exponent - 150)
}

fn erf_reference(x: f64) -> f64 {
    // Series with all terms positive: erf(x) = 2/sqrt(pi) exp(-x^2) sum 2^k x^(2k+1) / (1 3 5 ... (2k+1)).
    if x.is_nan() {
        return x;
    }
    if x.abs() > 6.0 {
        return 1f64.copysign(x);
    }
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while term.abs() > sum.abs() * 1e-18 {
        term *= 2.0 * x * x / (2.0 * k + 1.0);
        sum += term;
        k += 1.0;
    }
    if x == 0.0 { x } else { std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum }
}

fn reference(function: Function, x: f64) -> f64 {
    match function {
        Function::Exp => x.exp(),
        Function::Expm1 => x.exp_m1(),
        Function::Log => x.ln(),
        Function::Log1p => x.ln_1p(),
        Function::Sin => x.sin(),
        Function::Cos => x.cos(),
        Function::Tan => x.tan(),
        Function::Tanh => x.tanh(),
        Function::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        Function::Erf => erf_reference(x),
        Function::Rsqrt => 1.0 / x.sqrt(),
        Function::Sign if x == 0.0 || x.is_nan() => x,
        Function::Sign => x.signum(),
        Function::Power => f64::NAN,
    }
}

#[test]
fn every_function_is_within_two_units() {
    let stride = if std::env::var_os("ARR_EXHAUSTIVE").is_some() { 1 } else { 20_011 };
    for function in Function::ALL.into_iter().filter(|function| function.arity() == 1) {
        let (mut worst, mut at) = (0.0, 0.0);
        for bits in (0..=u32::MAX).step_by(stride) {
            let x = f32::from_bits(bits);
            let error = ulps(apply(function, &[x]), reference(function, f64::from(x)));
            if error > worst {
                (worst, at) = (error, x);
            }
        }
        println!("{:8} {worst:.3} ulp at {at:e}", function.name());
        assert!(worst <= 2.0, "{}: {worst} ulp at {at:e}", function.name());
    }
}

#[test]
fn limits_are_exact() {
    let cases: &[(Function, f32, f32)] = &[
        (Function::Exp, f32::NEG_INFINITY, 0.0),
        (Function::Exp, f32::INFINITY, f32::INFINITY),
        (Function::Exp, -104.0, 0.0),
        (Function::Exp, 88.8, f32::INFINITY),
        (Function::Log, 0.0, f32::NEG_INFINITY),
        (Function::Log, -0.0, f32::NEG_INFINITY),
        (Function::Log, f32::INFINITY, f32::INFINITY),
        (Function::Log, -1.0, f32::NAN),
        (Function::Log1p, -1.0, f32::NEG_INFINITY),
        (Function::Log1p, f32::INFINITY, f32::INFINITY),
        (Function::Expm1, f32::NEG_INFINITY, -1.0),
        (Function::Tanh, f32::INFINITY, 1.0),
        (Function::Tanh, f32::NEG_INFINITY, -1.0),
        (Function::Sigmoid, f32::NEG_INFINITY, 0.0),
        (Function::Erf, f32::INFINITY, 1.0),
        (Function::Sin, f32::INFINITY, f32::NAN),
        (Function::Cos, f32::NEG_INFINITY, f32::NAN),
        (Function::Rsqrt, 0.0, f32::INFINITY),
        (Function::Rsqrt, f32::INFINITY, 0.0),
    ];
    for &(function, x, truth) in cases {
        let found = apply(function, &[x]);
        assert!(found == truth || (found.is_nan() && truth.is_nan()), "{}({x}) = {found}", function.name());
    }
    for function in [Function::Sin, Function::Tan, Function::Tanh, Function::Erf, Function::Expm1, Function::Log1p] {
        assert!(apply(function, &[-0.0]).is_sign_negative(), "{}(-0.0)", function.name());
    }
}

#[test]
fn power_follows_c99() {
    let inf = f32::INFINITY;
    let cases = [
        (f32::NAN, 0.0, 1.0),
        (1.0, f32::NAN, 1.0),
        (-1.0, inf, 1.0),
        (-8.0, 1.0 / 3.0, f32::NAN),
        (-2.0, 3.0, -8.0),
        (-2.0, 2.0, 4.0),
        (0.0, -1.0, inf),
        (-0.0, -1.0, -inf),
        (-0.0, 3.0, -0.0),
        (-inf, 3.0, -inf),
        (-inf, -0.5, 0.0),
        (0.5, inf, 0.0),
        (2.0, -inf, 0.0),
        (2.0, f32::NAN, f32::NAN),
        (2.0, 0.5, std::f32::consts::SQRT_2),
    ];
    for (x, y, truth) in cases {
        let found = apply(Function::Power, &[x, y]);
        let same = found == truth && found.is_sign_negative() == truth.is_sign_negative();
        assert!(same || (found.is_nan() && truth.is_nan()), "{x} ** {y} = {found}, not {truth}");
    }
    let (mut worst, mut state) = (0.0f64, 1u64);
    for _ in 0..200_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let x = f32::from_bits(((state >> 33) as u32) & 0x7fff_ffff);
        let y = ((state >> 20) as f32 / (1u64 << 44) as f32 - 0.5) * 60.0;
        if x.is_finite() && x > 0.0 {
            worst = worst.max(ulps(apply(Function::Power, &[x, y]), f64::from(x).powf(f64::from(y))));
        }
    }
    assert!(worst <= 2.0, "power: {worst} ulp");
}
