//! Text in, the printed program or the codes of its diagnostics out.

use crate::base::{DType, Shape, Size, SourceId, Span};
use crate::ir::array::verify::verify;
use crate::ir::array::{ArrayType, ParamKind};
use crate::sema::elaborate::{self, Binding, Elaborated, Input, Rejected, Scope};
use crate::sema::value::{HostKind, HostType, Known, Value};
use crate::syntax::ast::{ExprKind, Name, StatementKind};
use std::collections::BTreeMap;

/// The names of a test program: the parameters of `jit scope(...)`, and its other functions.
#[derive(Default)]
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

/// The names that the functions of a text bind, and its last statement.
fn parsed(text: &str) -> (Names, StatementKind) {
    let parsed = crate::syntax::parse(SourceId(0), text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    let mut names = Names::default();
    for statement in &parsed.program.statements {
        let StatementKind::Function(function) = &statement.kind else { continue };
        if &*function.name.name != "scope" {
            names.0.insert(function.name.name.clone(), Binding::Function(function.clone()));
            continue;
        }
        let types = elaborate::bind::signature_types(function).unwrap();
        for (param, mut ty) in function.params.iter().zip(types) {
            if let (Value::Host(HostType { known, .. }), Some(default)) = (&mut ty, &param.default) {
                *known = match default.kind {
                    ExprKind::Int(n) => Some(Known::Int(Size::from(n))),
                    ExprKind::Float(x) => Some(Known::Float(x)),
                    ExprKind::Bool(b) => Some(Known::Bool(b)),
                    _ => None,
                };
            }
            names.0.insert(param.name.name.clone(), Binding::Value(ty));
        }
    }
    (names, parsed.program.statements.last().unwrap().kind.clone())
}

/// Elaborates the last statement, an expression or `x[...] = e`.
fn elaborate(text: &str) -> Result<Elaborated, Rejected> {
    let (names, last) = parsed(text);
    let elaborated = match &last {
        StatementKind::Expr(expr) => elaborate::expression(&names, expr)?,
        StatementKind::Bind { targets, value, .. } => elaborate::assignment(&names, &targets[0], value, true)?,
        other => panic!("{text}: {other:?}"),
    };
    if let Err(broken) = verify(&elaborated.program, "sema") {
        panic!("{text}\n{}\n{broken}", elaborated.program);
    }
    Ok(elaborated)
}

fn codes(text: &str) -> Vec<&'static str> {
    match elaborate(text) {
        Ok(elaborated) => panic!("accepted: {}", elaborated.program),
        Err(Rejected::Diagnostics(all)) => {
            for diagnostic in &all {
                assert!(diagnostic.help.is_some(), "{diagnostic:?}");
            }
            all.iter().map(|diagnostic| diagnostic.code.0).collect()
        }
        Err(Rejected::Fault(fault)) => vec![fault.code],
    }
}

fn program(text: &str) -> String {
    match elaborate(text) {
        Ok(elaborated) => elaborated.program.to_string(),
        Err(rejected) => panic!("{text}\n{rejected:?}"),
    }
}

/// The lines of the printed program that hold these words, in this order.
fn holds(text: &str, words: &[&str]) {
    let printed = program(text);
    let mut rest = printed.as_str();
    for word in words {
        match rest.find(word) {
            Some(at) => rest = rest.get(at + word.len()..).unwrap_or(""),
            None => panic!("no `{word}` in\n{text}\n{printed}"),
        }
    }
}

/// The type of the result, as messages write it.
fn ty(text: &str) -> String {
    match elaborate(text) {
        Ok(elaborated) => elaborate::carry::type_text(&elaborated.ty),
        Err(rejected) => panic!("{text}\n{rejected:?}"),
    }
}

/// `scope` with arrays of every kind, and run-time hosts.
const SCOPE: &str = "jit scope(x: f32[4, 5], v: f32[5], i: i32[3], m: bool[4, 5], u: u8[4], h: f16[4], w: i64[2, 2], \
                     d: f64[4], one: f32[1], k = 2, lr = 0.5, flag = true, r: {a: f32[3], b: (f32[2], i32[2])}) = x\n";

fn here(text: &str) -> String {
    format!("{SCOPE}{text}")
}

#[test]
fn operators_promote_as_in_jax() {
    for (text, expected) in [
        ("x + v", "f32[4, 5]"),
        ("x * 2", "f32[4, 5]"),
        ("i * 0.5", "f32[3]"),
        ("i / 2", "f32[3]"),
        ("i + 1", "i32[3]"),
        ("u + 1", "u8[4]"),
        ("u + h", "f16[4]"),
        ("d / u", "f64[4]"),
        ("w / 2", "f32[2, 2]"),
        ("x < 1", "bool[4, 5]"),
        ("m + m", "bool[4, 5]"),
        ("m * 2", "i32[4, 5]"),
        ("m & (x > 0)", "bool[4, 5]"),
        ("not m", "bool[4, 5]"),
        ("m and x > 0", "bool[4, 5]"),
        ("-u", "u8[4]"),
        ("~i", "i32[3]"),
        ("i << 2", "i32[3]"),
        ("i ** 2", "i32[3]"),
        ("i ** k", "i32[3]"),
        ("x ** k", "f32[4, 5]"),
        ("x ** 0.5", "f32[4, 5]"),
        ("x // lr", "f32[4, 5]"),
        ("i % 2", "i32[3]"),
        ("x @ v", "f32[4]"),
        ("x @ x.T", "f32[4, 4]"),
        ("v @ v", "f32[]"),
        ("f32(2)", "f32[]"),
        ("i32(x)", "i32[4, 5]"),
        ("x.shape", "(int, int)"),
        ("x.dtype == f32", "bool"),
        ("r.b[1] + 1", "i32[2]"),
        ("r", "{a: f32[3], b: (f32[2], i32[2])}"),
        ("k / 2", "float"),
        ("k // 2", "int"),
        ("k * lr", "float"),
        ("2 ** -1", "float"),
        ("float(i[0])", "float"),
        ("int(one)", "int"),
        ("item(i[0])", "int"),
        ("(if flag { 1 } else { 2.0 })", "float"),
        ("(if one > 0 { v } else { v * 2 })", "f32[5]"),
        ("(if true { v } else { x })", "f32[5]"),
        ("(k, k) == (2, 2)", "bool"),
        ("zeros([k, 3], i32)", "i32[2, 3]"),
        ("full(x.shape, 2)", "i32[4, 5]"),
        ("ones(4, dtype = x.dtype)", "f32[4]"),
    ] {
        assert_eq!(ty(&here(text)), expected, "{text}");
    }
}

#[test]
fn indexes_have_the_shapes_of_numpy() {
    let scope = "jit scope(x: f32[4, 5, 6], i: i32[3], j: i64[2, 1], s: i32[], k = 1) = x\n";
    // The same indexes stand in `tests/oracle/elaborated.py`, where NumPy computes shapes and elements.
    for (text, expected) in [
        ("x[1]", "f32[5, 6]"),
        ("x[-1, 2]", "f32[6]"),
        ("x[1, 2, 3]", "f32[]"),
        ("x[k, 2, s]", "f32[]"),
        ("x[1:3]", "f32[2, 5, 6]"),
        ("x[::-2]", "f32[2, 5, 6]"),
        ("x[3:0:-1, ..., 0]", "f32[3, 5]"),
        ("x[10:, :-10]", "f32[0, 0, 6]"),
        ("x[-3:-1]", "f32[2, 5, 6]"),
        ("x[newaxis, ..., newaxis]", "f32[1, 4, 5, 6, 1]"),
        ("x[:, newaxis, 0]", "f32[4, 1, 6]"),
        ("x[i]", "f32[3, 5, 6]"),
        ("x[:, i]", "f32[4, 3, 6]"),
        ("x[:, j]", "f32[4, 2, 1, 6]"),
        ("x[i, j]", "f32[2, 3, 6]"),
        ("x[:, i, j]", "f32[4, 2, 3]"),
        ("x[i, :, j]", "f32[2, 3, 5]"),
        ("x[0, :, i]", "f32[3, 5]"),
        ("x[:, 0, i]", "f32[4, 3]"),
        ("x[k, :, i]", "f32[3, 5]"),
        ("x[i, newaxis, j]", "f32[2, 3, 1, 6]"),
        ("x[i, 1:3, newaxis, 0]", "f32[3, 2, 1]"),
        ("x[..., i]", "f32[4, 5, 3]"),
    ] {
        assert_eq!(ty(&format!("{scope}{text}")), expected, "{text}");
    }
}

#[test]
fn faults_and_errors_have_their_codes() {
    for (text, code) in [
        ("nothing", "E0203"),
        ("x + (1, 2)", "E0206"),
        ("u + 300", "E0202"),
        ("h * 1e30", "E0202"),
        ("x + i", "E0210"),
        ("x @ x", "E0211"),
        ("x << 1", "E0206"),
        ("m - m", "E0206"),
        ("-m", "E0206"),
        ("not x", "E0206"),
        ("x and m", "E0206"),
        ("i ** -1", "E0218"),
        ("x[4]", "E0230"),
        ("x[-5]", "E0230"),
        ("x[0, 0, 0]", "E0231"),
        ("x[1.0]", "E0232"),
        ("x[m]", "E0233"),
        ("x[::0]", "E0234"),
        ("x[int(one):]", "E0207"),
        ("x.w", "E0224"),
        ("r.c", "E0224"),
        ("r.b[2]", "E0225"),
        ("x(1)", "E0223"),
        ("zeros([-1])", "E0253"),
        ("zeros([2, 2.0])", "E0206"),
        ("zeros([1 << 40, 1 << 40])", "E0212"),
        ("zeros(2, shape = 3)", "E0250"),
        ("ones(2, axis = 3)", "E0250"),
        ("full(2)", "E0250"),
        ("zeros([int(one)])", "E0207"),
        ("zerso(2)", "E0203"),
        ("1 // 0", "R0001"),
        ("print(x)", "E0216"),
        ("(if x > 0 { 1 } else { 2 })", "E0213"),
        ("(if flag { v } else { x })", "E0214"),
        ("map(f, r)\n", "E0203"),
        ("\"a\" + 1", "E0206"),
        ("int(x)", "E0206"),
    ] {
        assert_eq!(codes(&here(text)), [code], "{text}");
    }
}

#[test]
fn calls_are_checked() {
    for (text, code) in [
        ("fn f(a, b = 1) = a\nf()", "E0221"),
        ("fn f(a, b = 1) = a\nf(1, 2, 3)", "E0222"),
        ("fn f(a, b = 1) = a\nf(1, a = 2)", "E0222"),
        ("fn f(a, b = 1) = a\nf(1, c = 2)", "E0220"),
        ("fn f(a) = g(a)\nfn g(a) = f(a)\nf(1)", "E0208"),
        ("jit f(donate a) = a\nf(k)", "E0307"),
        ("jit f(a: f32[n, n]) = a\nf(x)", "E0240"),
        ("jit f(a: f32[n, m], b: f32[m + 1]) = a\nf(x, v)", "E0240"),
        ("jit f(a: i32[n]) = a\nf(v)", "E0240"),
        ("jit f(a) -> f32[2] = a\nf(v)", "E0240"),
        ("jit f(a: thing) = a\nf(v)", "E0241"),
        ("jit f(a) { b = a + b\n b = 1\n a }\nf(v)", "E0321"),
        ("jit f(a) { if one > 0 { b = a }\n b }\nf(v)", "E0321"),
        ("jit f(a) { for j in 0..k { b = a }\n b }\nf(v)", "E0321"),
        ("jit f(a) { del a\n a }\nf(v)", "E0321"),
        ("jit f(a) { del v\n a }\nf(v)", "E0216"),
        ("jit f(a) { bench \"b\" 3 { a = a }\n a }\nf(v)", "E0216"),
        ("jit f(a) { for j in 0..3 { a = a @ x }\n a }\nf(x.T)", "E0214"),
        ("jit f(a) { for j in 0..3 { a = a[newaxis] }\n a }\nf(v)", "E0214"),
        ("jit f(a) { assert a.ndim == 2\n a }\nf(v)", "E0215"),
        ("jit f(a) { fn g(b) = b\n a }\nf(v)", "E0217"),
        ("jit f(a) { b, c = a\n b }\nf(v)", "E0225"),
        ("fn f(a, b) = a + b\nmap(f, r, (1, 2))", "E0226"),
        ("jit f(a) { for j in 0..3 step 0 { a = a }\n a }\nf(v)", "E0234"),
    ] {
        assert_eq!(codes(&here(text)), [code], "{text}");
    }
}

#[test]
fn control_flow_compiles_into_the_program() {
    // A loop by the index as a number stays one loop.
    holds(&here("jit f(a) { for j in 0..5 { a[j] = a[j] + j }\n a }\nf(v)"), &["for", "dynamic_slice", "update"]);
    assert!(!program(&here("jit f(a) { for j in 0..5 { a[j] = a[j] + j }\n a }\nf(v)")).contains("check"));
    holds(&here("jit f(a) { for j in 0..6 { a[j] = a[j] + j }\n a }\nf(v)"), &["for", "check"]);
    // A shape that depends on it unrolls: five bodies, no loop.
    let unrolled = program(&here("jit f(a) { s = 0.0\n for j in 0..5 { s = s + a[j:][0] }\n s }\nf(v)"));
    assert_eq!((unrolled.matches(" add ").count(), unrolled.matches(" for ").count()), (5, 0), "{unrolled}");
    holds(&here("jit f(a) { for j in 0..3 { b = ones([j])\n a = a * 2 }\n a }\nf(v)"), &["mul", "mul", "mul"]);
    // Only the outer index is demanded: the inner loop stays.
    let text = "jit f(a) { s = 0.0\n for j in 0..3 { for l in 0..4 { s = s + a[j:][0] * l } }\n s }\nf(v)";
    assert_eq!(program(&here(text)).matches(" for ").count(), 3);
    // An int that a loop turns into a float is a float from the start.
    assert_eq!(ty(&here("jit f(a) { s = 0\n for j in 0..k { s = s + 0.5 }\n s }\nf(v)")), "float");
    holds(&here("jit f(a) { while a[0] > 0 { a = a - 1 }\n a }\nf(v)"), &["while", "yield", "do", "sub"]);
    // Swapping two names is a permutation of handles.
    let text = "jit f(a, b) { for j in 0..k { a, b = b, a }\n (a, b) }\nf(v, v + 1)";
    holds(&here(text), &["for", "carry", "yield"]);
    // What every run decides alike leaves no trace.
    assert!(!program(&here("jit f(a) { if a.ndim == 1 { a * 2 } else { a @ a } }\nf(v)")).contains("if"));
    holds(&here("k > 0 and v[k] > 1"), &["if", "check"]);
    holds(&here("jit f(a, n) { assert n > 0, \"n\"\n a }\nf(v, k)"), &["check code=\"R0003\""]);
}

#[test]
fn host_values_are_demanded_by_shapes_only() {
    let elaborated = elaborate(&here("x[k:, 0] * lr")).unwrap();
    let names: Vec<&str> = elaborated.program.params.iter().map(|param| param.name.as_str()).collect();
    assert_eq!((names, elaborated.demanded), (vec!["x", "k", "lr"], vec![1]));
    let free = elaborate(&here("v * (lr * 0.9)")).unwrap();
    assert_eq!(free.demanded, Vec::<usize>::new());
}

#[test]
fn a_body_is_checked_once_for_every_size() {
    let symbols = "jit scope(p: f32[n, m], g: f32[m, n], q: f32[n + 1], e: f32[n]) = p\n";
    for (text, expected) in [
        ("p.T + g", "f32[m, n]"),
        ("p @ g", "f32[n, n]"),
        ("q[1:] + e", "f32[n]"),
        ("q[:-1] + e", "f32[n]"),
        ("e[::-1]", "f32[n]"),
        ("p[0]", "f32[m]"),
        ("p * p.shape[0]", "f32[n, m]"),
    ] {
        assert_eq!(ty(&format!("{symbols}{text}")), expected, "{text}");
    }
    assert_eq!(codes(&format!("{symbols}p + g")), ["E0210"]);
    assert_eq!(codes(&format!("{symbols}p @ p")), ["E0211"]);
}

#[test]
fn growth_is_bounded() {
    let mut text = String::from("fn f0(a) = a\n");
    for n in 1..60 {
        text += &format!("fn f{n}(a) = f{}(f{}(a))\n", n - 1, n - 1);
    }
    assert_eq!(codes(&here(&format!("{text}f59(v)"))), ["E0209"]);
    let mut loops = String::new();
    for n in 0..40 {
        loops += &format!("s{n} = 0.0\nfor j{n} in 0..1 {{\n");
    }
    loops += "s39 = s39 + a[j0 + j20:][0]\n";
    loops += &"}\n".repeat(40);
    assert_eq!(ty(&here(&format!("jit f(a) {{ {loops} a }}\nf(v)"))), "f32[5]");
    assert_eq!(codes(&here("x[newaxis] + k * (1 << 40) * w[0, 0] * f(3)\n")), ["E0203"]);
}

#[test]
fn values_and_sizes_do_not_explode() {
    // Each call doubles a tuple, a string, the terms of a size.
    for (value, code) in [("(a, a)", "E0209"), ("a + a", "E0207")] {
        let mut text = String::from("fn f0(a) = a\n");
        for n in 1..60 {
            text += &format!("fn f{n}(a) = f{}({value})\n", n - 1);
        }
        assert_eq!(codes(&here(&format!("{text}f59(\"text\")"))), [code]);
    }
    let symbols = "jit scope(p: f32[a, b, c, d, e]) = p\n";
    let sum = "(p.shape[0] + p.shape[1] + p.shape[2] + p.shape[3] + p.shape[4]) ** 16";
    assert_eq!(ty(&format!("{symbols}({sum}) ** 16 * ({sum})")), "int");
    // Ints wrap before they are sizes.
    assert_eq!(codes(&here("zeros([(1 << 62) * 2 - 1])")), ["E0212"]);
}

#[test]
fn deep_programs_need_a_bounded_stack() {
    // As deep as the parser lets through, in as many calls as are inlined: refused, not overflowing.
    let (open, close) = ("-(".repeat(180), ")".repeat(180));
    let mut text = String::from("fn f0(a) = a\n");
    for n in 1..900 {
        text += &format!("fn f{n}(a) = {open}f{}(a){close}\n", n - 1);
    }
    let text = here(&format!("{text}f899(v)"));
    let run = std::thread::Builder::new().stack_size(64 << 20).spawn(move || codes(&text)).unwrap();
    assert_eq!(run.join().unwrap(), ["E0209"]);
}

#[test]
fn messages_show_every_place() {
    let text = here("fn inner(a) = a + v\nfn outer(a) = inner(a.T)\nouter(x)");
    let Err(Rejected::Diagnostics(all)) = elaborate(&text) else { panic!("refused") };
    // The operation, both operands, and the two calls that led there.
    let labels: Vec<&str> = all[0].labels.iter().map(|label| label.message.as_str()).collect();
    let expected =
        ["4 against 5", "this is f32[5, 4]", "this is f32[5]", "in this call of `inner`", "in this call of `outer`"];
    assert_eq!(labels, expected);

    let Err(Rejected::Diagnostics(all)) = elaborate(&here("flga")) else { panic!("refused") };
    assert_eq!(all[0].help.as_deref(), Some("did you mean `flag`?"));

    let at = Span::new(SourceId(0), 3, 5);
    let names = Names(BTreeMap::from([("gone".into(), Binding::Gone { at, how: "deleted" })]));
    let parsed = crate::syntax::parse(SourceId(0), "gone * 2");
    let StatementKind::Expr(expr) = &parsed.program.statements[0].kind else { panic!("an expression") };
    let Err(Rejected::Diagnostics(all)) = elaborate::expression(&names, expr) else { panic!("refused") };
    assert_eq!((all[0].code.0, all[0].labels.get(1).map(|label| label.span)), ("E0204", Some(at)));
}

#[test]
fn host_results_say_what_is_known_of_them() {
    let elaborated = elaborate(&here("(k * 3, x.shape[1] + 1, int(one))")).unwrap();
    let Value::Tuple(items) = &elaborated.ty else { panic!("a tuple") };
    let known: Vec<Option<Known>> = items
        .iter()
        .map(|item| if let Value::Host(host) = item { host.known.clone() } else { panic!("a host value") })
        .collect();
    assert_eq!(known, [Some(Known::Int(Size::from(6))), Some(Known::Int(Size::from(6))), None]);
}

#[test]
fn a_whole_function_has_arguments_captures_and_scalars() {
    let text = here("jit step(donate p, g: {w: f32[n]}, rate = 0.1) = p - rate * g.w + v\nx");
    let (names, _) = parsed(&text);
    let Some(Binding::Function(function)) = names.lookup("step") else { panic!("defined") };
    let vector = Value::Array(ArrayType { dtype: DType::F32, shape: Shape::known(&[5]) });
    let rate = Value::Host(HostType { kind: HostKind::Float, known: Some(Known::Float(0.5)) });
    let types = [vector.clone(), Value::Record(vec![("w".into(), vector)]), rate];
    let elaborated = elaborate::call(&names, &function, &types, Span::default()).unwrap();
    assert!(verify(&elaborated.program, "sema").is_ok());
    let params: Vec<(&str, ParamKind)> =
        elaborated.program.params.iter().map(|param| (param.name.as_str(), param.kind)).collect();
    let expected = [
        ("p", ParamKind::Array { donated: true }),
        ("g.w", ParamKind::Array { donated: false }),
        ("rate", ParamKind::Scalar),
        ("v", ParamKind::Captured),
    ];
    assert_eq!(params, expected);
    assert_eq!(elaborated.inputs[1], Input::Argument { index: 1, path: vec![0] });
    assert_eq!(elaborated.inputs[3], Input::Free { name: "v".into(), path: Vec::new() });
    assert!(elaborated.demanded.is_empty());

    let dims = elaborate::bind::dims(&function, &types, Span::default()).unwrap();
    assert_eq!(dims, [("n".into(), Size::from(5))]);
    let symbolic = elaborate::bind::signature_types(&function);
    assert_eq!(symbolic, None, "`p` says no type");
}

#[test]
fn an_assignment_reads_only_what_it_changes() {
    let elaborated = elaborate(&here("r.a[1:] = lr")).unwrap();
    let params: Vec<(&str, ParamKind)> =
        elaborated.program.params.iter().map(|param| (param.name.as_str(), param.kind)).collect();
    assert_eq!(params, [("lr", ParamKind::Scalar), ("r.a", ParamKind::Array { donated: true })]);
    assert_eq!(elaborate::carry::type_text(&elaborated.ty), "f32[3]");
}

#[test]
fn written_types_name_dims() {
    let (names, last) = parsed(&here("q: f32[n, k, n + 1] = x"));
    let StatementKind::Bind { annotation: Some(annotation), .. } = &last else { panic!("a binding") };
    let ty = |extents: &[u64]| Value::Array(ArrayType { dtype: DType::F32, shape: Shape::known(extents) });
    let found = |extents: &[u64]| elaborate::bind::annotation(&names, annotation, &ty(extents), Span::default());
    assert_eq!(found(&[4, 2, 5]).unwrap().dims, [("n".into(), Size::from(4))]);
    // `k` is 2 outside.
    assert_eq!(found(&[4, 3, 5]).unwrap_err().code.0, "E0240");
    assert_eq!(found(&[4, 2, 4]).unwrap_err().code.0, "E0240");
    assert_eq!(found(&[4, 2]).unwrap_err().code.0, "E0240");
}
