//! Calls of built-ins on symbolic and known shapes: the types of their results, and what is refused.
//!
//! The dtypes expected of ints, bools and halves are those of `jax.numpy` 0.10 with its 32-bit defaults.

use crate::base::{Size, SourceId, Span, Symbol};
use crate::ir::array::verify::verify;
use crate::sema::elaborate::{self, Binding, Rejected, Scope};
use crate::sema::value::{HostKind, HostType, Known, Type, Value};
use crate::syntax::ast::{ExprKind, Name, StatementKind};
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

/// Arrays of every dtype, of known and of symbolic shapes; `k` is an int of the host, `r` one that is not known.
const SCOPE: &str = "jit scope(x: f32[n, m], y: f32[m, p], v: f32[4], w: f32[3], t: f32[2, 3, 4], e: f32[3, 0],
    i: i32[4], l: i64[4], u: u8[4], a: u32[4], b: bool[4], h: f16[3, 4], g: bf16[3, 4], d: f64[4], z: i32[], k = 3, r: int) = x
";

fn elaborated(text: &str) -> Result<Type, Rejected> {
    let parsed = crate::syntax::parse(SourceId(0), &format!("{SCOPE}{text}"));
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    let mut names = Names(BTreeMap::new());
    for dim in ["n", "m", "p"] {
        let known = Some(Known::Int(Size::symbol(Symbol::new(dim))));
        names.0.insert(dim.into(), Binding::Value(Value::Host(HostType { kind: HostKind::Int, known })));
    }
    for statement in &parsed.program.statements {
        let StatementKind::Function(function) = &statement.kind else { continue };
        let types = elaborate::bind::signature_types(function).unwrap();
        for (param, mut ty) in function.params.iter().zip(types) {
            if let (Value::Host(HostType { known, .. }), Some(ExprKind::Int(n))) =
                (&mut ty, param.default.as_ref().map(|default| &default.kind))
            {
                *known = Some(Known::Int(Size::from(*n)));
            }
            names.0.insert(param.name.name.clone(), Binding::Value(ty));
        }
    }
    let Some(StatementKind::Expr(expr)) = parsed.program.statements.last().map(|last| &last.kind) else {
        panic!("{text}: no expression");
    };
    let elaborated = elaborate::expression(&names, expr)?;
    verify(&elaborated.program, "sema").unwrap_or_else(|broken| panic!("{text}\n{}\n{broken}", elaborated.program));
    Ok(elaborated.ty)
}

/// `f32[n]`, `int`, `(f32[], int)`.
fn type_of(text: &str) -> String {
    fn shown(ty: &Type) -> String {
        match ty {
            Value::Array(ty) => ty.to_string(),
            Value::Host(host) => host.kind.name().to_owned(),
            other => other.kind().to_owned(),
        }
    }
    match elaborated(text) {
        Ok(ty) => shown(&ty),
        Err(Rejected::Diagnostics(all)) => all.first().map_or(String::new(), |one| one.code.0.to_owned()),
        Err(Rejected::Fault(fault)) => fault.code.to_owned(),
    }
}

fn expect(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(text, ty)| (text, ty, type_of(text)))
        .filter(|(_, ty, found)| *ty != found)
        .map(|(text, ty, found)| format!("{text}: {found}, expected {ty}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn dtypes_are_those_of_jax() {
    expect(&[
        ("sum(b)", "i32[]"),
        ("sum(u)", "u32[]"),
        ("sum(l)", "i64[]"),
        ("sum(h)", "f16[]"),
        ("prod(b, keepdims=true)", "i32[1]"),
        ("mean(i)", "f32[]"),
        ("mean(g, axis=0)", "bf16[4]"),
        ("var(d)", "f64[]"),
        ("std(u)", "f32[]"),
        ("max(b)", "bool[]"),
        ("argmax(l)", "i32[]"),
        ("all(x)", "bool[]"),
        ("cumsum(b)", "i32[4]"),
        ("cumsum(u)", "u8[4]"),
        ("exp(i)", "f32[4]"),
        ("sqrt(g)", "bf16[3, 4]"),
        ("floor(b)", "bool[4]"),
        ("round(i, 2)", "i32[4]"),
        ("round(u, -1)", "u8[4]"),
        ("isnan(u)", "bool[4]"),
        ("maximum(h, g)", "f32[3, 4]"),
        ("maximum(a, i)", "i64[4]"),
        ("maximum(i, 0.5)", "f32[4]"),
        ("where(b, i, 0.5)", "f32[4]"),
        ("where(b, 1, 0)", "i32[4]"),
        ("clip(u, 1, 9)", "u8[4]"),
        ("power(i, 2)", "i32[4]"),
        ("power(b, 2)", "i32[4]"),
        ("softmax(i)", "f32[4]"),
        ("arange(4)", "i32[4]"),
        ("arange(4.0)", "f32[4]"),
        ("linspace(0, 1, 3)", "f32[3]"),
        ("full([2], 7)", "i32[2]"),
        ("full([2], true)", "bool[2]"),
        ("ones([4], i32)", "i32[4]"),
        ("one_hot(i, 5)", "f32[4, 5]"),
        ("argsort(d)", "i32[4]"),
        ("f16(2)", "f16[]"),
    ]);
}

#[test]
fn shapes_follow_the_dims() {
    expect(&[
        ("sum(x, axis=0)", "f32[m]"),
        ("sum(x, axis=-1, keepdims=true)", "f32[n, 1]"),
        ("sum(t, axis=[0, -1])", "f32[3]"),
        ("softmax(x, axis=[0, 1])", "f32[n, m]"),
        ("logsumexp(e, axis=1)", "f32[3]"),
        ("x @ y", "f32[n, p]"),
        ("dot(t, v)", "f32[2, 3]"),
        ("outer(x, w)", "f32[m * n, 3]"),
        ("einsum(\"ij,jk->ki\", x, y)", "f32[p, n]"),
        ("einsum(\"...i->...\", t)", "f32[2, 3]"),
        ("einsum(\"ii->i\", x @ x.T)", "f32[n]"),
        ("einsum(\"iji\", reshape(outer(x, outer(v, x)), [m * n, 4, m * n]))", "f32[4]"),
        ("transpose(t, [2, 0, 1])", "f32[4, 2, 3]"),
        ("reshape(x, [-1])", "f32[m * n]"),
        ("reshape(x, [m, -1])", "f32[m, n]"),
        ("concat([x, x], axis=1)", "f32[n, 2 * m]"),
        ("stack([x, x], axis=-1)", "f32[n, m, 2]"),
        ("pad(x, [[1, 2], [0, 0]])", "f32[n + 3, m]"),
        ("tile(x, 2)", "f32[n, 2 * m]"),
        ("repeat(x, 3, axis=0)", "f32[3 * n, m]"),
        ("repeat(v, [1, 0, 2, 5])", "f32[8]"),
        ("roll(x, z, axis=0)", "f32[n, m]"),
        ("roll(x, 1, axis=[0, 1])", "f32[n, m]"),
        ("flip(x)", "f32[n, m]"),
        ("take(x, i, axis=0)", "f32[4, m]"),
        ("take(t, [0, -1], axis=1)", "f32[2, 2, 4]"),
        ("sort(x, axis=0, descending=true)", "f32[n, m]"),
        ("expand_dims(x, [0, -1])", "f32[1, n, m, 1]"),
        ("squeeze(x[newaxis])", "f32[n, m]"),
        ("broadcast_to(v, [n, 4])", "f32[n, 4]"),
        ("eye(n, m)", "f32[n, m]"),
        ("zeros([2 * n, m], f16)", "f16[2 * n, m]"),
        ("arange(n)", "i32[n]"),
        ("one_hot(i, n)", "f32[4, n]"),
    ]);
}

#[test]
fn numbers_of_the_host_stay_there() {
    expect(&[
        ("maximum(2, 3)", "int"),
        ("minimum(2, k)", "int"),
        ("maximum(r, 0.5)", "float"),
        ("abs(r)", "int"),
        ("floor(2.5)", "float"),
        ("round(r, -1)", "int"),
        ("round(2.567, 2)", "float"),
        ("maximum(r, i)", "i32[4]"),
        ("exp(1)", "f32[]"),
        ("zeros([maximum(k, 5), minimum(2, 7)])", "f32[5, 2]"),
        ("zeros([abs(0 - k)])", "f32[3]"),
        // Neither is a number at compile time.
        ("zeros([maximum(r, 5)])", "E0207"),
        ("zeros([r])", "E0207"),
    ]);
}

#[test]
fn wrong_calls_are_refused() {
    expect(&[
        ("exp()", "E0250"),
        ("exp(x, x)", "E0250"),
        ("exp(y=x)", "E0250"),
        ("sum(x, x=x)", "E0250"),
        ("zeros([2], f32, dtype=i32)", "E0250"),
        ("exp(\"a\")", "E0251"),
        ("max(3, 4)", "E0251"),
        ("concat(x)", "E0251"),
        ("stack([])", "E0251"),
        ("take(v, w)", "E0251"),
        ("take(v, [v, 1])", "E0251"),
        ("roll(v, w)", "E0251"),
        ("roll(v, i)", "E0251"),
        ("roll(v, 1.5)", "E0251"),
        ("var(v, ddof=v)", "E0251"),
        ("pad(v, 1, constant_values=v)", "E0251"),
        ("linspace(v, 1)", "E0251"),
        ("arange(257, dtype=u8)", "E0202"),
        ("arange(-1, 3, dtype=u32)", "E0202"),
        ("sum(v, axis=1)", "E0252"),
        ("sum(x, axis=[0, -2])", "E0252"),
        ("concat([z, z])", "E0252"),
        ("reshape(t, [5, -1])", "E0253"),
        ("reshape(x, [n, n])", "E0253"),
        ("zeros([-1])", "E0253"),
        ("squeeze(t, axis=0)", "E0253"),
        ("eye(-1)", "E0253"),
        ("repeat(v, [1, 2])", "E0253"),
        ("pad(v, -1)", "E0253"),
        ("max(e, axis=1)", "E0254"),
        ("argmin(e)", "E0254"),
        ("concat([x, y])", "E0255"),
        ("broadcast_to(v, [3])", "E0255"),
        ("where(b, v, w)", "E0255"),
        ("einsum(\"ij,jk\", x, x)", "E0255"),
        ("einsum(\"ij\", v)", "E0256"),
        ("einsum(\"i->j\", v)", "E0256"),
        ("maximum(v, w)", "E0210"),
        ("x @ x", "E0211"),
        ("take(v, 4)", "E0230"),
        ("take(v, [0, -5])", "E0230"),
        ("eye([])", "E0206"),
        ("one_hot(i, [2, 3])", "E0206"),
        ("full([2], 300, u8)", "E0202"),
    ]);
}

#[test]
fn every_builtin_explains_itself() {
    let mut seen = std::collections::BTreeSet::new();
    for builtin in super::all() {
        assert!(seen.insert(builtin.name), "`{}` stands twice", builtin.name);
        assert!(!builtin.doc.is_empty() && !builtin.doc.ends_with('.'), "{}: {}", builtin.name, builtin.doc);
        let optional = builtin.params.iter().skip_while(|param| param.required);
        assert!(optional.clone().all(|param| !param.required), "{}", builtin.signature());
    }
}
