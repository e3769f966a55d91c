//! Every built-in against JAX 0.10 (`tests/oracle/builtins.json`, made by `make_builtins.py`), on every device.
//!
//! Types must be equal; elements of ints and bools too. Floats may be 4 units in the last place apart, or where sums
//! cancel a hundred-thousandth of the largest element: the tree of a sum is ours. Where arr differs on purpose, the
//! case is named in [`DIFFERENT`] with the reason.

use arr::backends::reference::{Array, evaluate};
use arr::base::{DType, Literal, Shape, Size, SourceId, Span};
use arr::driver::pipeline::compile;
use arr::driver::session::device;
use arr::ir::array::ArrayType;
use arr::ops::evaluate::evaluate as scalar;
use arr::ops::scalar::ScalarOp;
use arr::runtime;
use arr::runtime::execute::Argument;
use arr::sema::elaborate::{self, Binding, Input, Rejected, Scope};
use arr::sema::value::Value;
use arr::syntax::ast::{Name, StatementKind};
use std::collections::BTreeMap;

/// Calls that arr answers otherwise, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("exp(l)", WIDE),
    ("expm1(l)", WIDE),
    ("log(l)", WIDE),
    ("log1p(l)", WIDE),
    ("sqrt(l)", WIDE),
    ("sin(l)", WIDE),
    ("cos(l)", WIDE),
    ("tan(l)", WIDE),
    ("tanh(l)", WIDE),
    ("gelu(l)", WIDE),
    ("mean(l)", WIDE),
    ("var(l)", WIDE),
    ("std(l)", WIDE),
    ("logsumexp(l)", WIDE),
    ("argmax(d)", INDEX),
    ("argmax(l)", INDEX),
    ("argmin(d)", INDEX),
    ("argmin(l)", INDEX),
    ("log(s)", SUBNORMAL),
    ("rsqrt(s)", SUBNORMAL),
    ("sign(s)", SUBNORMAL),
    ("bool(s)", SUBNORMAL),
    ("softmax(i)", CONVERTED),
    ("log_softmax(i)", CONVERTED),
    ("cumsum(b)", HALVES),
    ("cumsum(hh, axis=1)", HALVES),
    ("minimum(ua, i[0:4])", LATTICE),
    ("linspace(3, -3, 8, dtype=i64)", NARROWED),
];

const WIDE: &str = "functions of i64 give f32, the default float; JAX with 64 bits enabled gives f64";
const INDEX: &str = "indexes are i32; JAX with 64 bits enabled gives i64";
const SUBNORMAL: &str = "subnormals are kept; JAX flushes them to zero";
const CONVERTED: &str = "ints become f32 before the maximum is taken away; JAX's difference wraps";
const HALVES: &str = "running sums of halves accumulate in f32; JAX rounds at every step";
const LATTICE: &str = "u32 and i32 meet in i64; JAX has no i64 with 64 bits disabled";
const NARROWED: &str = "the dtype asked for is given; JAX narrows it with 64 bits disabled";

struct Names(BTreeMap<Name, Binding>);

impl Scope for Names {
    fn lookup(&self, name: &str) -> Option<Binding> {
        self.0.get(name).cloned()
    }

    fn names(&self) -> Vec<Name> {
        self.0.keys().cloned().collect()
    }

    fn unknown_size(&self, _: Span) -> Option<Size> {
        None
    }
}

fn array(value: &serde_json::Value) -> Array {
    let dtype = DType::parse(value["dtype"].as_str().expect("a name")).expect("a dtype");
    let numbers = |field: &str| -> Vec<u64> {
        value[field].as_array().expect("a list").iter().map(|n| n.as_u64().expect("a number")).collect()
    };
    let elements: Vec<Literal> = numbers("bits").into_iter().map(|bits| Literal::new(dtype, bits)).collect();
    Array::new(dtype, &numbers("extents"), &elements)
}

/// Distance in units in the last place of the larger.
fn ulps(a: Literal, b: Literal) -> f64 {
    let (x, y) = (a.to_f64(), b.to_f64());
    if x == y || (x.is_nan() && y.is_nan()) {
        return 0.0;
    }
    if !a.dtype.is_float() || !x.is_finite() || !y.is_finite() {
        return f64::INFINITY;
    }
    let (digits, least) = match a.dtype {
        DType::F16 => (10.0, 2f64.powi(-14)),
        DType::Bf16 => (7.0, 2f64.powi(-126)),
        DType::F32 => (23.0, 2f64.powi(-126)),
        _ => (52.0, f64::MIN_POSITIVE),
    };
    (x - y).abs() / (x.abs().max(y.abs()).max(least).log2().floor() - digits).exp2()
}

fn compare(found: &Array, wanted: &Array) -> Option<String> {
    if found.dtype != wanted.dtype || found.extents != wanted.extents {
        return Some(format!("{}{:?}, JAX {}{:?}", found.dtype, found.extents, wanted.dtype, wanted.extents));
    }
    let (a, b) = (found.elements(), wanted.elements());
    let finite = b.iter().map(|x| x.to_f64().abs()).filter(|x| x.is_finite());
    let largest = finite.fold(0.0, f64::max);
    a.iter().zip(&b).find_map(|(&x, &y)| {
        let near = (x.to_f64() - y.to_f64()).abs() <= 1e-5 * largest && x.dtype.is_float();
        (ulps(x, y) > 4.0 && !near).then(|| format!("{x}, JAX {y}"))
    })
}

#[test]
fn every_built_in_is_jaxs() {
    let text = std::fs::read_to_string("tests/oracle/builtins.json").expect("the data is committed");
    let all: serde_json::Value = serde_json::from_str(&text).expect("the data is JSON");
    let arrays: BTreeMap<String, Array> = all["arrays"]
        .as_object()
        .expect("an object")
        .iter()
        .map(|(name, value)| (name.clone(), array(value)))
        .collect();
    let types = arrays.iter().map(|(name, array)| {
        let ty = ArrayType { dtype: array.dtype, shape: Shape::known(&array.extents) };
        (name.as_str().into(), Binding::Value(Value::Array(ty)))
    });
    let names = Names(types.collect());
    let cpu = device::open("cpu", Some(2)).expect("the cpu is here");
    let live: BTreeMap<&str, runtime::Array> = arrays
        .iter()
        .map(|(name, array)| {
            let memory = cpu.backend.allocate(array.bytes.len() as u64).expect("memory");
            memory.write(0, &array.bytes);
            let extents = array.extents.as_slice().into();
            (name.as_str(), runtime::Array::new(cpu.identity(), memory, array.dtype, extents))
        })
        .collect();
    let (mut count, mut wrong) = (0, Vec::new());
    for case in all["cases"].as_array().expect("a list") {
        let text = case["text"].as_str().expect("text");
        if case.get("error").is_some() || DIFFERENT.iter().any(|(different, _)| text == *different) {
            continue;
        }
        let parsed = arr::syntax::parse(SourceId(0), text);
        let Some(StatementKind::Expr(expr)) = parsed.program.statements.last().map(|statement| &statement.kind) else {
            wrong.push(format!("{text}: does not parse"));
            continue;
        };
        count += 1;
        let elaborated = match elaborate::expression(&names, expr) {
            Ok(elaborated) => elaborated,
            Err(Rejected::Diagnostics(all)) => {
                wrong.push(format!("{text}: {} {}", all[0].code.0, all[0].message));
                continue;
            }
            Err(Rejected::Fault(fault)) => {
                wrong.push(format!("{text}: {}", fault.message));
                continue;
            }
        };
        let name_of = |input: &Input| match input {
            Input::Free { name, .. } => name.to_string(),
            Input::Argument { .. } => unreachable!("an expression has no arguments"),
        };
        let inputs: Vec<String> = elaborated.inputs.iter().map(name_of).collect();
        let arguments: Vec<Array> = inputs.iter().map(|name| arrays[name].clone()).collect();
        let found = match evaluate(&elaborated.program, &arguments) {
            Ok(results) => results,
            Err(stop) => {
                wrong.push(format!("{text}: {stop:?}"));
                continue;
            }
        };
        // A host value: the session's own affair.
        let Some(found) = found.first() else { continue };
        if let Some(difference) = compare(found, &array(case)) {
            wrong.push(format!("{text}: {difference}"));
        }
        let compiled = match compile(&cpu, &elaborated.program) {
            Ok(compiled) => compiled,
            Err(broken) => {
                wrong.push(format!("{text}: {broken}"));
                continue;
            }
        };
        let arguments: Vec<Argument<'_>> = inputs.iter().map(|name| Argument::Array(&live[name.as_str()])).collect();
        let results = cpu.run(&compiled, &arguments, Span::default()).expect("it runs");
        let memory = results[0].memory().expect("held");
        let mut bytes = vec![0; memory.bytes() as usize];
        memory.read(0, &mut bytes);
        let on_cpu = Array { dtype: found.dtype, extents: found.extents.clone(), bytes };
        let same = on_cpu.elements().iter().zip(found.elements()).all(|(x, y)| {
            // Payloads of NaN are nobody's promise; products of matrices have no fixed order.
            let product = text.contains('@') || ["matmul", "dot", "einsum"].iter().any(|name| text.contains(name));
            scalar(ScalarOp::Eq, &[*x, y]).to_bool() && x.bits == y.bits
                || (x.to_f64().is_nan() && y.to_f64().is_nan())
                || (product && compare(&on_cpu, found).is_none())
        });
        if !same {
            wrong.push(format!("{text}: cpu {:?}, reference {:?}", on_cpu.elements(), found.elements()));
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 1000, "{count}");
}
