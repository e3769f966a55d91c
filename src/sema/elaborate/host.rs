//! Host values under elaboration: folded where they are known, computed on `i64[]`, `f64[]` and `bool[]` else.
//!
//! ```text
//! lr * 0.9        lr an input, 0.01 today
//!   %1: f64[] = const 0.9        known today: 0.009, from input 0; asked for only by shapes
//!   %2: f64[] = mul %lr, %1
//! ```
//! Invariant: a value with `origins` also has `runtime`, so that nothing is compiled again unless a shape asks.

use super::fold::{self, Folded};
use super::{Elaborator, Outcome};
use crate::base::{DType, Fault, Literal, Size, Span};
use crate::ir::array::{self, Check};
use crate::ops::scalar::ScalarOp;
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, Known, Traced, Value};
use crate::syntax::ast::{BinaryOp, UnaryOp};

/// The union of two sorted lists.
pub(super) fn union(a: &[usize], b: &[usize]) -> Vec<usize> {
    let mut all: Vec<usize> = a.iter().chain(b).copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Elaborator<'_> {
    /// The value in the program, as `i64[]`, `f64[]` or `bool[]`.
    pub fn runtime(&mut self, host: &Host) -> array::Value {
        if let Some(value) = host.runtime {
            return value;
        }
        let literal = match &host.known {
            Some(Known::Int(Size::Known(n))) => Literal::from_i64(DType::I64, *n),
            Some(Known::Int(size)) => return self.size_as_array(&size.clone(), DType::I64),
            Some(Known::Float(x)) => Literal::from_f64(DType::F64, *x),
            Some(Known::Bool(b)) => Literal::from_bool(*b),
            Some(Known::Str(_)) | None => Literal::from_i64(host.kind.dtype().unwrap_or(DType::Bool), 0),
        };
        self.builder.constant(literal)
    }

    /// The value in the program, converted to the dtype of another kind of host value.
    pub fn runtime_as(&mut self, host: &Host, kind: HostKind) -> array::Value {
        let value = self.runtime(host);
        self.builder.cast(value, kind.dtype().unwrap_or(DType::Bool))
    }

    /// A host value that the program computes.
    #[must_use]
    pub fn computed(kind: HostKind, origins: Vec<usize>, value: array::Value) -> Traced {
        Value::Host(Host { kind, known: None, origins, runtime: Some(value) })
    }

    /// `a op b` of host values.
    pub fn host_binary(
        &mut self,
        op: BinaryOp,
        (a, a_span): (&Host, Span),
        (b, b_span): (&Host, Span),
        span: Span,
    ) -> Outcome<Traced> {
        let Some(mut kind) = fold::kind(op, a.kind, b.kind) else {
            let found = [(a.kind.name().to_owned(), a_span), (b.kind.name().to_owned(), b_span)];
            let help = match op {
                BinaryOp::MatMul => "`@` is the product of two arrays",
                _ => "convert one side, as in `int(x)` or `float(x)`",
            };
            return self.fail(diagnostics::bad_operands(op.symbol(), &found, span, help));
        };
        let mut known = None;
        if let (Some(left), Some(right)) = (&a.known, &b.known) {
            match fold::binary(op, left, right) {
                Folded::Value(value) => known = Some(value),
                Folded::Unknown => {}
                Folded::DivisionByZero if a.origins.is_empty() && b.origins.is_empty() => {
                    return self.divided_by_zero(span);
                }
                Folded::DivisionByZero => {}
            }
        }
        if kind == HostKind::Int && matches!(known, Some(Known::Float(_))) {
            // A negative power of ints is a float only where the exponent is the same in every run.
            if b.origins.is_empty() {
                kind = HostKind::Float;
            } else {
                known = None;
            }
        }
        let origins = union(&a.origins, &b.origins);
        if known.is_some() && origins.is_empty() {
            return Ok(Value::Host(Host { kind, known, origins, runtime: None }));
        }
        if kind == HostKind::Str {
            return self.fail(diagnostics::must_be_known("a string", span));
        }
        self.builder.span = span;
        let runtime = self.host_operation(op, kind, a, b, span)?;
        Ok(Value::Host(Host { kind, known, origins, runtime: Some(runtime) }))
    }

    fn host_operation(
        &mut self,
        op: BinaryOp,
        kind: HostKind,
        a: &Host,
        b: &Host,
        span: Span,
    ) -> Outcome<array::Value> {
        let meet = match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                match fold::kind(BinaryOp::Add, a.kind, b.kind) {
                    Some(kind) => kind,
                    None => HostKind::Int,
                }
            }
            _ => kind,
        };
        let x = self.runtime_as(a, meet);
        if op == BinaryOp::Pow && b.kind != HostKind::Float {
            return self.power_by_int(x, &Value::Host(b.clone()), span);
        }
        let y = self.runtime_as(b, meet);
        self.elementwise(op, x, y, nonzero(&Value::Host(b.clone())), span)
    }

    /// An int division by zero that is certain: a fault, or a check where the place may never be reached.
    pub fn divided_by_zero(&mut self, span: Span) -> Outcome<Traced> {
        let message = "integer division by zero";
        if !self.builder.in_region() {
            return self.fault(Fault::new("R0001", message, span).help("test the divisor first"));
        }
        self.builder.span = span;
        let bad = self.builder.constant(Literal::from_bool(true));
        let help = Some("test the divisor first".to_owned());
        self.builder.check(Check { code: "R0001", message: message.into(), help }, bad, &[]);
        let zero = self.builder.constant(Literal::from_i64(DType::I64, 0));
        Ok(Self::computed(HostKind::Int, Vec::new(), zero))
    }

    /// `-a`, `~a`, `not a` of a host value.
    pub fn host_unary(&mut self, op: UnaryOp, host: &Host, operand: Span, span: Span) -> Outcome<Traced> {
        let (kind, name) = match (op, host.kind) {
            (UnaryOp::Not, kind) if kind != HostKind::Str => (HostKind::Bool, "not"),
            (UnaryOp::Neg, HostKind::Float) => (HostKind::Float, "-"),
            (UnaryOp::Neg | UnaryOp::Invert, HostKind::Int) | (UnaryOp::Neg, HostKind::Bool) => (HostKind::Int, "-"),
            (UnaryOp::Invert, HostKind::Bool) => (HostKind::Bool, "~"),
            (op, kind) => {
                let symbol = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::Invert => "~",
                    UnaryOp::Not => "not",
                };
                let found = [(kind.name().to_owned(), operand)];
                return self.fail(diagnostics::bad_operands(symbol, &found, span, "convert the value first"));
            }
        };
        let known = host.known.as_ref().and_then(|known| match (op, known) {
            (UnaryOp::Neg, Known::Int(Size::Known(n))) => Some(Known::Int(Size::Known(n.wrapping_neg()))),
            (UnaryOp::Neg, Known::Int(size)) => size.neg().map(Known::Int),
            (UnaryOp::Neg, Known::Float(x)) => Some(Known::Float(-x)),
            (UnaryOp::Neg, Known::Bool(b)) => Some(Known::Int(Size::Known(-i64::from(*b)))),
            (UnaryOp::Invert, Known::Int(Size::Known(n))) => Some(Known::Int(Size::Known(!n))),
            (UnaryOp::Invert, Known::Bool(b)) => Some(Known::Bool(!b)),
            (UnaryOp::Not, known) => truth_of(known).map(|b| Known::Bool(!b)),
            _ => None,
        });
        if known.is_some() && host.origins.is_empty() {
            return Ok(Value::Host(Host { kind, known, origins: Vec::new(), runtime: None }));
        }
        self.builder.span = span;
        let scalar = match (op, name) {
            (UnaryOp::Neg, _) => ScalarOp::Neg,
            _ => ScalarOp::Not,
        };
        let operand = self.runtime_as(host, kind);
        let runtime = self.builder.map(scalar, &[operand]);
        Ok(Value::Host(Host { kind, known, origins: host.origins.clone(), runtime: Some(runtime) }))
    }

    /// Whether the host value counts as true, as a host bool.
    pub fn host_truth(&mut self, host: &Host, span: Span) -> Outcome<Host> {
        let known = host.known.as_ref().and_then(truth_of).map(Known::Bool);
        if host.kind == HostKind::Bool {
            return Ok(host.clone());
        }
        if known.is_some() && host.origins.is_empty() {
            return Ok(Host { kind: HostKind::Bool, known, origins: Vec::new(), runtime: None });
        }
        if host.kind == HostKind::Str {
            return self.fail(diagnostics::no_condition("str", span));
        }
        self.builder.span = span;
        let runtime = self.runtime_as(host, HostKind::Bool);
        Ok(Host { kind: HostKind::Bool, known, origins: host.origins.clone(), runtime: Some(runtime) })
    }
}

/// Whether a known value counts as true; `None` for a size that may be 0.
pub(super) fn truth_of(known: &Known) -> Option<bool> {
    match known {
        Known::Int(Size::Known(n)) => Some(*n != 0),
        Known::Int(size) => match fold::binary(BinaryOp::Ne, &Known::Int(size.clone()), &Known::Int(Size::Known(0))) {
            Folded::Value(Known::Bool(b)) => Some(b),
            _ => None,
        },
        Known::Float(x) => Some(*x != 0.0),
        Known::Bool(b) => Some(*b),
        Known::Str(text) => Some(!text.is_empty()),
    }
}

/// Whether this is an int that is not 0 in every run.
pub(super) fn nonzero(value: &Traced) -> bool {
    match value {
        Value::Host(Host { known: Some(known), origins, .. }) if origins.is_empty() => truth_of(known) == Some(true),
        _ => false,
    }
}
