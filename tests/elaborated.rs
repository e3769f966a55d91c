//! Indexing, assignment and arithmetic as written, elaborated and evaluated by the reference backend, against NumPy.

#![expect(clippy::indexing_slicing, reason = "a test may panic")]

use arr::backends::reference::{Array, evaluate};
use arr::base::Shape;
use arr::base::{DType, Literal, Size, SourceId, Span};
use arr::ir::array::ArrayType;
use arr::ir::array::verify::verify;
use arr::sema::elaborate::{self, Binding, Input, Scope};
use arr::sema::value::{HostKind, HostType, Known, Value};
use arr::syntax::ast::{Name, StatementKind};
use std::collections::BTreeMap;

struct Names(BTreeMap<Name, Binding>);

impl Scope for Names {
    fn lookup(&self, name: &str) -> Option<Binding> {
        self.0.get(name).cloned()
    }

    fn names(&self) -> Vec<Name> {
        self.0.keys().cloned().collect()
    }

    fn unknown_size(&self, _at: Span) -> Option<Size> {
        None
    }
}

fn literals(dtype: DType, values: &[f64]) -> Vec<Literal> {
    values.iter().map(|&value| Literal::from_f64(dtype, value)).collect()
}

/// The arrays of `tests/oracle/elaborated.py`.
fn arrays() -> BTreeMap<&'static str, Array> {
    let counting: Vec<f64> = (0..120).map(f64::from).collect();
    let inf = f64::INFINITY;
    let all: [(&str, DType, &[u64], &[f64]); 11] = [
        ("x", DType::I32, &[4, 5, 6], &counting),
        ("y", DType::I32, &[4], &counting[..4]),
        ("i", DType::I32, &[3], &[2.0, 0.0, -1.0]),
        ("j", DType::I64, &[2, 1], &[1.0, -2.0]),
        ("u", DType::U8, &[3], &[3.0, 0.0, 3.0]),
        ("s", DType::I32, &[], &[-2.0]),
        ("a", DType::I32, &[6], &[7.0, -7.0, 7.0, -7.0, 0.0, -2147483648.0]),
        ("b", DType::I32, &[6], &[2.0, 2.0, -2.0, -3.0, 5.0, -1.0]),
        ("f", DType::F32, &[8], &[7.5, -7.5, 7.5, -7.5, 0.0, -0.0, 1e30, 5.0]),
        ("g", DType::F32, &[8], &[2.0, 2.0, -2.0, -2.5, 3.0, 3.0, 7.0, inf]),
        ("d", DType::F64, &[3], &[1.5, -2.25, 3.0]),
    ];
    all.into_iter().map(|(name, dtype, extents, v)| (name, Array::new(dtype, extents, &literals(dtype, v)))).collect()
}

const HOSTS: [(&str, i64); 2] = [("k", 2), ("n", -1)];

#[test]
fn programs_compute_what_numpy_computes() {
    let text = include_str!("oracle/elaborated.json");
    let cases: Vec<serde_json::Value> = serde_json::from_str(text).expect("the oracle's file is JSON");
    assert!(cases.len() > 400);
    let arrays = arrays();
    let mut names = Names(BTreeMap::new());
    for (name, array) in &arrays {
        let ty = ArrayType { dtype: array.dtype, shape: Shape::known(&array.extents) };
        names.0.insert((*name).into(), Binding::Value(Value::Array(ty)));
    }
    for (name, n) in HOSTS {
        let host = HostType { kind: HostKind::Int, known: Some(Known::Int(Size::from(n))) };
        names.0.insert(name.into(), Binding::Value(Value::Host(host)));
    }
    let mut wrong = Vec::new();
    for case in &cases {
        let text = match case["text"].as_str() {
            Some(text) => text.to_owned(),
            None => {
                let (body, name) = (case["body"].as_str().expect("a body"), case["name"].as_str().expect("a name"));
                format!("jit changed({name}) {{\n{body}\n{name}\n}}\nchanged({name})")
            }
        };
        let parsed = arr::syntax::parse(SourceId(0), &text);
        assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
        for statement in &parsed.program.statements {
            if let StatementKind::Function(function) = &statement.kind {
                names.0.insert(function.name.name.clone(), Binding::Function(function.clone()));
            }
        }
        let Some(StatementKind::Expr(expr)) = parsed.program.statements.last().map(|last| &last.kind) else {
            panic!("an expression stands last: {text}");
        };
        let elaborated = match elaborate::expression(&names, expr) {
            Ok(elaborated) => elaborated,
            Err(rejected) => panic!("{text}: {rejected:?}"),
        };
        verify(&elaborated.program, "sema").unwrap_or_else(|broken| panic!("{text}: {broken}"));
        let args: Vec<Array> = elaborated
            .inputs
            .iter()
            .map(|input| {
                let Input::Free { name, .. } = input else { panic!("{text}: only free names") };
                match HOSTS.iter().find(|(host, _)| *host == &**name) {
                    Some((_, n)) => Array::new(DType::I64, &[], &[Literal::from_i64(DType::I64, *n)]),
                    None => arrays[&**name].clone(),
                }
            })
            .collect();
        let results = evaluate(&elaborated.program, &args).unwrap_or_else(|stop| panic!("{text}: {stop:?}"));
        let expected = &case["result"];
        let dtype = DType::parse(expected["dtype"].as_str().expect("a dtype")).expect("of ours");
        let numbers = |field: &str| -> Vec<u64> {
            expected[field].as_array().expect("a list").iter().map(|n| n.as_u64().expect("a number")).collect()
        };
        let bits: Vec<Literal> = numbers("bits").into_iter().map(|bits| Literal::new(dtype, bits)).collect();
        let expected = Array::new(dtype, &numbers("extents"), &bits);
        if results[0] != expected {
            let (found, wanted) = (results[0].elements(), expected.elements());
            wrong.push(format!(
                "{text}\n   found {}{:?} {found:?}\n  wanted {dtype}{:?} {wanted:?}",
                results[0].dtype, results[0].extents, expected.extents
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Host arithmetic gives the same bits whether its operands are known or arrive while the program runs.
#[test]
fn folding_and_running_agree() {
    let floats = ["7.5", "-7.5", "2.0", "-0.3", "0.0", "-0.0", "1e300", "3.0"];
    let ints = ["7", "-7", "2", "-3", "0", "63", "1 << 62", "-9223372036854775807 - 1"];
    let operators = ["+", "-", "*", "/", "//", "%", "**", "<", ">=", "==", "&", "|", "^", "<<", ">>"];
    let mut compared = 0;
    for (kind, values) in [(HostKind::Float, floats), (HostKind::Int, ints)] {
        for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
            for op in operators {
                let names = Names(BTreeMap::new());
                let constant = |text: &str| {
                    let parsed = arr::syntax::parse(SourceId(0), text);
                    let Some(StatementKind::Expr(expr)) = parsed.program.statements.last().map(|last| &last.kind)
                    else {
                        panic!("an expression: {text}");
                    };
                    elaborate::evaluate_host(&names, expr)
                };
                let Ok(Value::Host(folded)) = constant(&format!("({a}) {op} ({b})")) else { continue };
                let mut running = Names(BTreeMap::new());
                for name in ["a", "b"] {
                    running.0.insert(name.into(), Binding::Value(Value::Host(HostType { kind, known: None })));
                }
                let parsed = arr::syntax::parse(SourceId(0), &format!("a {op} b"));
                let Some(StatementKind::Expr(expr)) = parsed.program.statements.last().map(|last| &last.kind) else {
                    panic!("an expression");
                };
                let program = elaborate::expression(&running, expr).expect("operators take these").program;
                let args: Vec<Array> = [a, b]
                    .map(|text| Array::new(literal(&constant(text)).dtype, &[], &[literal(&constant(text))]))
                    .into();
                // A negative power of ints is a float where it is known, and a fault where it is not.
                let Ok(results) = evaluate(&program, &args) else { continue };
                let (found, wanted) = (results[0].elements()[0], scalar(&folded));
                let both_nan = found.to_f64().is_nan() && wanted.to_f64().is_nan();
                assert!(found == wanted || both_nan, "{a} {op} {b}: running {found}, folded {wanted}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1000, "{compared}");
}

fn scalar(scalar: &arr::sema::value::Scalar) -> Literal {
    use arr::sema::value::Scalar;
    match scalar {
        Scalar::Int(n) => Literal::from_i64(DType::I64, *n),
        Scalar::Float(x) => Literal::from_f64(DType::F64, *x),
        Scalar::Bool(b) => Literal::from_bool(*b),
        Scalar::Str(_) => panic!("no string"),
    }
}

fn literal(value: &Result<Value<std::convert::Infallible, arr::sema::value::Scalar>, elaborate::Rejected>) -> Literal {
    match value {
        Ok(Value::Host(host)) => scalar(host),
        other => panic!("a host value, not {other:?}"),
    }
}
