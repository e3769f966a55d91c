//! Measures the formulas and the scalar operations against values from outside.
//!
//! The formulas: for f32 at most 2 units in the last place over the whole range, against the platform's f64
//! mathematics (below 1 unit of f64), sampled over all exponents and both signs, and against mpmath at hard points
//! (`tests/oracle/make_formulas.py`), f64 too. The scalar operations: the bits that NumPy, JAX and exact arithmetic
//! give (`tests/oracle/make_evaluate.py`). `ARR_EXHAUSTIVE=1 cargo test --release --test formulas` takes every f32.

use arr::base::{DType, Literal};
use arr::ops::evaluate::{Evaluator, evaluate};
use arr::ops::formula::build;
use arr::ops::scalar::{Function, ScalarOp};
use serde_json::Value;

fn of(x: f32) -> Literal {
    Literal::new(DType::F32, u64::from(x.to_bits()))
}

fn apply(function: Function, operands: &[f32]) -> f32 {
    let operands: Vec<Literal> = operands.iter().map(|&x| of(x)).collect();
    f32::from_bits(build(&mut Evaluator, function, &operands).bits as u32)
}

/// Distance of `found` from the true value `high + low` in units in the last place of `dtype` there.
fn ulps(dtype: DType, found: f64, high: f64, low: f64) -> f64 {
    let (digits, least) = if dtype == DType::F64 { (53, -1074) } else { (24, -149) };
    let rounded = if dtype == DType::F64 { high } else { f64::from(high as f32) };
    if found.is_nan() || rounded.is_nan() {
        return if found.is_nan() == rounded.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if found == rounded && (found == 0.0 || found.is_infinite()) {
        return if found.is_sign_negative() == high.is_sign_negative() { 0.0 } else { f64::INFINITY };
    }
    // An infinity stands where the next power of two would.
    let finite = |value: f64| {
        if dtype == DType::F64 {
            value.clamp(-f64::MAX, f64::MAX)
        } else {
            value.clamp(-(2f64.powi(128)), 2f64.powi(128))
        }
    };
    let (found, high) = (finite(found), finite(high));
    // log2 of the unit: from the exponent of the true value, which subnormals of f64 need not have.
    let biased = ((high.to_bits() >> 52) & 0x7ff) as i32;
    let unit = if high == 0.0 { least } else { (biased.max(1) - 1023 - (digits - 1)).max(least) };
    let difference = (found - high) - low;
    // Scaled in two steps: 2^1074 is no float.
    (difference.abs() * 2f64.powi(-unit / 2)) * 2f64.powi(-unit - -unit / 2)
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

fn exhaustive() -> bool {
    std::env::var_os("ARR_EXHAUSTIVE").is_some()
}

#[test]
fn every_function_is_within_two_units() {
    // A prime: over a stretch of one exponent the samples take all low bits.
    let stride = if exhaustive() { 1 } else { 20_011 };
    for function in Function::ALL.into_iter().filter(|function| function.arity() == 1) {
        let (mut worst, mut at) = (0.0, 0.0);
        let mut measure = |x: f32| {
            let found = f64::from(apply(function, &[x]));
            let error = ulps(DType::F32, found, reference(function, f64::from(x)), 0.0);
            if error > worst {
                (worst, at) = (error, x);
            }
        };
        (0..=u32::MAX).step_by(stride).map(f32::from_bits).for_each(&mut measure);
        // Where results are neither constant nor the operand: 2^-14 to 128, more closely.
        let (low, high) = (2f32.powi(-14).to_bits(), 128f32.to_bits());
        for bits in (low..high).step_by(stride.min(1_999)) {
            measure(f32::from_bits(bits));
            measure(-f32::from_bits(bits));
        }
        assert!(worst <= 2.0, "{}: {worst} ulp at {at:e}", function.name());
    }
}

#[test]
fn power_is_within_two_units() {
    let (mut worst, mut at, mut state) = (0.0, (0.0, 0.0), 1u64);
    let rounds = if exhaustive() { 1u64 << 32 } else { 200_000 };
    for _ in 0..rounds {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = f32::from_bits((state >> 33) as u32);
        let y = ((state >> 20) as f32 / (1u64 << 44) as f32 - 0.5) * 60.0;
        let error = ulps(DType::F32, f64::from(apply(Function::Power, &[x, y])), f64::from(x).powf(f64::from(y)), 0.0);
        if error > worst {
            (worst, at) = (error, (x, y));
        }
    }
    assert!(worst <= 2.0, "power: {worst} ulp at {at:?}");
}

#[test]
fn hard_points_agree_with_mpmath() {
    let tables: Value = serde_json::from_str(include_str!("oracle/formulas.json")).unwrap();
    let mut faults = Vec::new();
    for (name, by_dtype) in tables.as_object().unwrap() {
        let function = Function::parse(name).unwrap();
        for (dtype, rows) in by_dtype.as_object().unwrap() {
            let dtype = DType::parse(dtype).unwrap();
            let (mut worst, mut at) = (0.0, String::new());
            for row in rows.as_array().unwrap() {
                let row: Vec<u64> = row.as_array().unwrap().iter().map(|bits| bits.as_u64().unwrap()).collect();
                let (operands, truth) = row.split_at(function.arity());
                let operands: Vec<Literal> = operands.iter().map(|&bits| Literal::new(dtype, bits)).collect();
                let found = build(&mut Evaluator, function, &operands);
                assert_eq!(found.dtype, dtype);
                let error = ulps(dtype, found.to_f64(), f64::from_bits(truth[0]), f64::from_bits(truth[1]));
                if error > worst {
                    (worst, at) = (error, format!("{operands:?}: {found}"));
                }
            }
            if std::env::var_os("ARR_MEASURE").is_some() {
                eprintln!("{name:8} {dtype} {worst:.3} ulp at {at}");
            }
            if worst > 2.0 {
                faults.push(format!("{name} {dtype} {worst:.3} ulp at {at}"));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn halves_are_the_f32_result_rounded() {
    for dtype in [DType::F16, DType::Bf16] {
        for function in Function::ALL {
            for bits in (0..=0xffff).step_by(7) {
                let operands = vec![Literal::new(dtype, bits); function.arity()];
                let wide: Vec<Literal> = operands.iter().map(|&x| evaluate(ScalarOp::Cast(DType::F32), &[x])).collect();
                let found = build(&mut Evaluator, function, &operands);
                let single = build(&mut Evaluator, function, &wide);
                let expected = evaluate(ScalarOp::Cast(dtype), &[single]);
                assert!(
                    found == expected || (found.to_f64().is_nan() && expected.to_f64().is_nan()),
                    "{} {operands:?}: {found}, not {expected}",
                    function.name()
                );
            }
        }
    }
}

#[test]
fn sign_keeps_zeros_and_nan() {
    let sign = |x: Literal| build(&mut Evaluator, Function::Sign, &[x]);
    for (x, truth) in [(-0.0, -0.0), (0.0, 0.0), (1e-45, 1.0), (-7.0, -1.0), (f32::NEG_INFINITY, -1.0)] {
        assert_eq!(sign(of(x)), of(truth));
    }
    assert!(sign(of(f32::NAN)).to_f64().is_nan());
    for dtype in [DType::I32, DType::I64] {
        for (x, truth) in [(-5, -1), (0, 0), (9, 1)] {
            assert_eq!(sign(Literal::from_i64(dtype, x)), Literal::from_i64(dtype, truth));
        }
    }
    assert_eq!(sign(Literal::from_i64(DType::U32, 0xffff_ffff)), Literal::from_i64(DType::U32, 1));
}

#[test]
fn scalar_operations_give_the_bits_of_numpy() {
    let tables: Value = serde_json::from_str(include_str!("oracle/evaluate.json")).unwrap();
    let (mut faults, mut rows_seen) = (Vec::new(), 0);
    for (name, by_dtype) in tables.as_object().unwrap() {
        let op = ScalarOp::parse(name).unwrap();
        for (dtype, rows) in by_dtype.as_object().unwrap() {
            let dtype = DType::parse(dtype).unwrap();
            assert!(op.takes(dtype), "{name} {dtype}");
            for row in rows.as_array().unwrap() {
                let (truth, operands) = row.as_array().unwrap().split_last().unwrap();
                let operands: Vec<Literal> =
                    operands.iter().map(|bits| Literal::new(dtype, bits.as_u64().unwrap())).collect();
                let found = evaluate(op, &operands);
                assert_eq!(found.dtype, op.result(dtype), "{name} {dtype}");
                let same = match truth.as_u64() {
                    Some(bits) => found.bits == bits,
                    None => found.to_f64().is_nan(),
                };
                if !same {
                    faults.push(format!("{name} {dtype} {operands:?}: {found} ({:#x}), not {truth}", found.bits));
                }
                rows_seen += 1;
            }
        }
    }
    assert!(rows_seen > 10_000, "{rows_seen} rows");
    faults.truncate(40);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}
