//! Expressions: what runs by itself first, the rest as one compiled program.

use super::site::Site;
use super::{Live, Session};
use crate::base::{Broken, Fault, Shape, Size, Span};
use crate::driver::failure::{Failure, Outcome};
use crate::driver::session::names::Slot;
use crate::ir::array::ArrayType;
use crate::sema::elaborate::{self, Binding, Elaborated, Scope};
use crate::sema::value::{HostType, Known, Scalar, Type, Value};
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, Name, StatementKind};
use std::rc::Rc;

/// The type of a live value; host values are known.
#[must_use]
pub fn type_of(value: &Live) -> Type {
    value.map(
        &mut |array| {
            let extents = array.extents.iter().map(|&extent| Size::from(extent)).collect();
            ArrayType::new(array.dtype, Shape(extents))
        },
        &mut |scalar| {
            let known = match scalar {
                Scalar::Int(n) => Known::Int(Size::Known(*n)),
                Scalar::Float(x) => Known::Float(*x),
                Scalar::Bool(b) => Known::Bool(*b),
                Scalar::Str(s) => Known::Str(s.clone()),
            };
            HostType { kind: scalar.kind(), known: Some(known) }
        },
    )
}

impl Scope for Session {
    fn lookup(&self, name: &str) -> Option<Binding> {
        if let Some(value) = self.names.current().temporaries.get(name) {
            return Some(Binding::Value(type_of(value)));
        }
        Some(match self.names.find(name)? {
            Slot::Bound { value: Value::Function(function), .. } => Binding::Function(function.clone()),
            Slot::Bound { value, .. } => Binding::Value(type_of(value)),
            Slot::Gone { at, how } => Binding::Gone { at: *at, how },
        })
    }

    fn names(&self) -> Vec<Name> {
        let here = self.names.current().names.keys();
        here.chain(self.names.globals.names.keys()).cloned().collect()
    }

    fn unknown_size(&self, _: Span) -> Option<Size> {
        None
    }
}

impl Session {
    /// The value of an expression.
    ///
    /// # Errors
    /// The failure; nothing was bound.
    pub fn evaluate(&mut self, expr: &Expr) -> Outcome<Live> {
        match &expr.kind {
            ExprKind::Int(n) => Ok(Value::Host(Scalar::Int(*n))),
            ExprKind::Float(x) => Ok(Value::Host(Scalar::Float(*x))),
            ExprKind::Bool(b) => Ok(Value::Host(Scalar::Bool(*b))),
            ExprKind::Str(s) => Ok(Value::Host(Scalar::Str(s.clone()))),
            ExprKind::Paren(inner) => self.evaluate(inner),
            ExprKind::Name(name) => match self.names.value(name) {
                Some(value) => Ok(value.clone()),
                None => self.program(expr),
            },
            ExprKind::Field(..) => match self.field(expr) {
                Some(value) => Ok(value.clone()),
                None => self.program(expr),
            },
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.condition(condition)?;
                self.value_of(if condition { then } else { otherwise }, expr.span)
            }
            ExprKind::Call(callee, args) if self.runs_by_itself(callee, args) => self.call(callee, args, expr.span),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right)
                if self.splitting(|s| s.has_calls(expr)) =>
            {
                let first = self.evaluate(left)?;
                match first {
                    Value::Host(Scalar::Bool(decided)) if decided == (*op == BinaryOp::Or) => Ok(first),
                    Value::Host(Scalar::Bool(_)) => self.evaluate(right),
                    _ => {
                        let second = self.evaluate(right)?;
                        self.combine(expr, *op, (first, left.span), (second, right.span))
                    }
                }
            }
            _ => self.program(expr),
        }
    }

    /// `a and b` of evaluated operands, elementwise.
    fn combine(&mut self, whole: &Expr, op: BinaryOp, a: (Live, Span), b: (Live, Span)) -> Outcome<Live> {
        let operand = |side: &str, span| {
            let name: Name = format!("%{}{side}", whole.span.start).into();
            (name.clone(), Box::new(Expr { kind: ExprKind::Name(name), span }))
        };
        let ((left, l), (right, r)) = (operand("l", a.1), operand("r", b.1));
        let temporaries = &mut self.names.current_mut().temporaries;
        temporaries.insert(left.clone(), a.0);
        temporaries.insert(right.clone(), b.0);
        let result = self.program(&Expr { kind: ExprKind::Binary(op, l, r), span: whole.span });
        let temporaries = &mut self.names.current_mut().temporaries;
        temporaries.remove(&left);
        temporaries.remove(&right);
        result
    }

    /// `params.w`: a field of a record that a name holds.
    fn field(&self, expr: &Expr) -> Option<&Live> {
        match &expr.kind {
            ExprKind::Name(name) => self.names.value(name),
            ExprKind::Paren(inner) => self.field(inner),
            ExprKind::Field(base, field) => match self.field(base)? {
                Value::Record(fields) => fields.iter().find(|(name, _)| *name == field.name).map(|(_, value)| value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of a block in an expression: its last statement.
    pub(super) fn value_of(&mut self, block: &Block, at: Span) -> Outcome<Live> {
        let Some((last, before)) = block.statements.split_last() else { return Ok(Value::Unit) };
        for statement in before {
            self.statement(statement)?;
        }
        match &last.kind {
            StatementKind::Expr(value) => self.evaluate(value),
            _ => {
                self.statement(last)?;
                let _ = at;
                Ok(Value::Unit)
            }
        }
    }

    /// A condition, read to the host.
    pub(super) fn condition(&mut self, expr: &Expr) -> Outcome<bool> {
        let value = self.evaluate(expr)?;
        self.truth(&value, expr.span)
    }

    /// Whether a value counts as true.
    pub(super) fn truth(&mut self, value: &Live, at: Span) -> Outcome<bool> {
        match value {
            Value::Host(Scalar::Bool(b)) => Ok(*b),
            Value::Host(Scalar::Int(n)) => Ok(*n != 0),
            Value::Host(Scalar::Float(x)) => Ok(*x != 0.0),
            Value::Array(array) => match array.item() {
                Some(literal) => Ok(literal.to_bool()),
                None => {
                    Err(Fault::new("R0201", format!("a condition needs one element, found {}", array.contents()), at)
                        .help("reduce it with any(...) or all(...)")
                        .into())
                }
            },
            other => Err(Fault::new("R0201", format!("a condition cannot be {}", other.kind()), at).into()),
        }
    }

    /// Evaluates a general expression: first what runs by itself, then one program.
    fn program(&mut self, expr: &Expr) -> Outcome<Live> {
        let site = self.site(expr);
        for (name, step) in &site.split.steps {
            let value = self.evaluate(step)?;
            self.names.current_mut().temporaries.insert(name.clone(), value);
        }
        let result = self.rest(&site);
        for (name, _) in &site.split.steps {
            self.names.current_mut().temporaries.remove(name);
        }
        result
    }

    fn rest(&mut self, site: &Site) -> Outcome<Live> {
        if let ExprKind::Name(name) = &site.split.rest.kind
            && let Some(value) = self.names.value(name)
        {
            return Ok(value.clone());
        }
        if site.host.get() && site.split.free.iter().all(|name| self.is_host(name)) {
            return self.host(&site.split.rest);
        }
        let found = site.programs.borrow().iter().rev().find(|prepared| self.serves(prepared, &[])).cloned();
        if let Some(prepared) = found {
            return self.execute(&prepared, &[]);
        }
        if site.split.free.iter().all(|name| self.is_host(name))
            && let Some(value) = self.try_host(site)?
        {
            return Ok(value);
        }
        let elaborated = elaborate::expression(self, &site.split.rest)?;
        let prepared = Rc::new(self.prepare(elaborated, &[], None)?);
        site.remember(prepared.clone());
        self.execute(&prepared, &[])
    }

    /// Whether a name holds host values alone (or is none: a built-in, a dtype).
    fn is_host(&self, name: &Name) -> bool {
        let mut arrays = false;
        if let Some(value) = self.names.value(name) {
            value.each_array("", &mut |_, _| arrays = true);
        }
        !arrays
    }

    /// Evaluates directly what is host arithmetic alone.
    fn try_host(&mut self, site: &Site) -> Outcome<Option<Live>> {
        let elaborated = elaborate::expression(self, &site.split.rest)?;
        if touches_arrays(&elaborated) {
            return Ok(None);
        }
        site.host.set(true);
        self.host(&site.split.rest).map(Some)
    }

    fn host(&mut self, expr: &Expr) -> Outcome<Live> {
        let value = elaborate::evaluate_host(self, expr)?;
        value.try_map(
            &mut |_| Err(Failure::from(Broken::new("evaluate", "host arithmetic makes no arrays"))),
            &mut |scalar| Ok(scalar.clone()),
        )
    }
}

fn touches_arrays(elaborated: &Elaborated) -> bool {
    let mut arrays = false;
    elaborated.result.each_array("", &mut |_, _| arrays = true);
    arrays
}
