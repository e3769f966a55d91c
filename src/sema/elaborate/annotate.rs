//! Written types: `f32[n, 784]`, `int`, `(f32[n], float)`. Names of dims are bound by the first value that has them.

use super::carry::type_text;
use super::{Binding, Elaborator, Outcome};
use crate::base::{Size, Span};
use crate::ir::array::ArrayType;
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, Known, Traced, Value};
use crate::syntax::ast::{Expr, ExprKind, Function, TypeExpr, TypeExprKind};

/// What is done with the dims of a written type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Names of a signature are its own, whatever they mean outside.
    Signature,
    /// A name that means an int outside is that int.
    Statement,
    /// All are compared.
    Check,
}

/// The kind of host value of that name.
pub(super) fn host_kind(name: &str) -> Option<HostKind> {
    [HostKind::Int, HostKind::Float, HostKind::Bool, HostKind::Str].into_iter().find(|kind| kind.name() == name)
}

/// A written type as it was written, as far as it can be told without its text.
fn written(ty: &TypeExpr) -> String {
    match &ty.kind {
        TypeExprKind::Array { dtype, dims } => {
            let dims: Vec<String> = dims.iter().map(dim_text).collect();
            format!("{dtype}[{}]", dims.join(", "))
        }
        TypeExprKind::Host(name) => name.to_string(),
        TypeExprKind::Tuple(items) => {
            let items: Vec<String> = items.iter().map(written).collect();
            format!("({})", items.join(", "))
        }
        TypeExprKind::Record(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, ty)| format!("{}: {}", name.name, written(ty))).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}

fn dim_text(dim: &Expr) -> String {
    match &dim.kind {
        ExprKind::Int(n) => n.to_string(),
        ExprKind::Name(name) => name.to_string(),
        ExprKind::Paren(inner) => format!("({})", dim_text(inner)),
        ExprKind::Binary(op, a, b) => format!("{} {} {}", dim_text(a), op.symbol(), dim_text(b)),
        _ => "...".to_owned(),
    }
}

impl Elaborator<'_> {
    /// Checks arguments against a signature, runs the body, checks the result. The function's frame is in place.
    pub(super) fn annotated_body(
        &mut self,
        function: &std::rc::Rc<Function>,
        args: &[(Traced, Span)],
    ) -> Outcome<Traced> {
        self.match_parameters(function, args)?;
        let value = self.block_value(&function.body)?;
        if let Some(result) = &function.result {
            let at = function.body.statements.last().map_or(function.body.span, |last| last.span);
            let what = format!("the result of `{}`", function.name.name);
            self.match_type(&value, result, &what, at, Pass::Signature)?;
            self.match_type(&value, result, &what, at, Pass::Check)?;
        }
        Ok(value)
    }

    /// Checks arguments against the written types of their parameters, and binds the dims that those name.
    pub(super) fn match_parameters(&mut self, function: &Function, args: &[(Traced, Span)]) -> Outcome<()> {
        for pass in [Pass::Signature, Pass::Check] {
            // Plain names first, so that `f(x: f32[n + 1], y: f32[n])` knows n.
            for (param, (value, at)) in function.params.iter().zip(args) {
                if let Some(annotation) = &param.annotation {
                    let what = format!("`{}`", param.name.name);
                    self.match_type(value, annotation, &what, *at, pass)?;
                }
            }
        }
        Ok(())
    }

    /// Checks a value against the type written beside its name.
    pub(super) fn check_annotation(&mut self, value: &Traced, ty: &TypeExpr, name: &str, at: Span) -> Outcome<()> {
        let what = format!("`{name}`");
        self.match_type(value, ty, &what, at, Pass::Statement)?;
        self.match_type(value, ty, &what, at, Pass::Check)
    }

    /// Dims that are plain new names are bound in the first pass, all others checked in the second.
    fn match_type(&mut self, value: &Traced, ty: &TypeExpr, what: &str, at: Span, pass: Pass) -> Outcome<()> {
        let found = self.describe(value);
        match (&ty.kind, value) {
            (TypeExprKind::Array { dtype, dims }, Value::Array(array)) => {
                let own = self.array_type(*array);
                if own.dtype != *dtype || own.shape.rank() != dims.len() {
                    return self.fail(diagnostics::annotation(what, &written(ty), &found, at, ty.span));
                }
                dims.iter().zip(own.shape.0.iter()).try_for_each(|(dim, extent)| match pass {
                    Pass::Check => self.check_dim(dim, extent, &own, ty, what, at),
                    _ => self.bind_dim(dim, extent, pass),
                })
            }
            (TypeExprKind::Host(name), value) => {
                let Some(kind) = host_kind(name) else {
                    return self.fail(diagnostics::bad_type(format!("there is no type `{name}`"), ty.span));
                };
                match value {
                    Value::Host(host) if host.kind == kind => Ok(()),
                    Value::Host(host) if kind == HostKind::Float && host.kind == HostKind::Int => Ok(()),
                    _ => self.fail(diagnostics::annotation(what, kind.name(), &found, at, ty.span)),
                }
            }
            (TypeExprKind::Tuple(types), Value::Tuple(items)) if types.len() == items.len() => {
                types.iter().zip(items).enumerate().try_for_each(|(position, (ty, item))| {
                    self.match_type(item, ty, &format!("{what}[{position}]"), at, pass)
                })
            }
            (TypeExprKind::Record(types), Value::Record(fields))
                if types.len() == fields.len() && types.iter().zip(fields).all(|(a, b)| a.0.name == b.0) =>
            {
                types.iter().zip(fields).try_for_each(|((_, ty), (name, item))| {
                    self.match_type(item, ty, &format!("{what}.{name}"), at, pass)
                })
            }
            _ => self.fail(diagnostics::annotation(what, &written(ty), &found, at, ty.span)),
        }
    }

    fn bind_dim(&mut self, dim: &Expr, extent: &Size, pass: Pass) -> Outcome<()> {
        if let ExprKind::Name(name) = &dim.kind {
            let outside = || matches!(self.scope.lookup(name), Some(Binding::Value(Value::Host(_))));
            if pass == Pass::Statement && outside() {
                return Ok(());
            }
            let frame = self.frame();
            if !frame.names.contains_key(name) {
                let value = Value::Host(Host::constant(Known::Int(extent.clone())));
                frame.names.insert(name.clone(), value);
            }
        }
        Ok(())
    }

    fn check_dim(
        &mut self,
        dim: &Expr,
        extent: &Size,
        own: &ArrayType,
        ty: &TypeExpr,
        what: &str,
        at: Span,
    ) -> Outcome<()> {
        let value = self.expr(dim)?;
        let wanted = self.demand_size(&value, "a dim of a type", dim.span)?;
        if wanted == *extent {
            return Ok(());
        }
        if let Some(stated) = &mut self.stated
            && (wanted.is_symbolic() || extent.is_symbolic())
        {
            stated.push((wanted, extent.clone()));
            return Ok(());
        }
        let diagnostic =
            diagnostics::annotation(what, &written(ty), &type_text(&Value::Array(own.clone())), at, ty.span);
        self.fail(diagnostic.label(dim.span, format!("{wanted} here, {extent} there")))
    }
}
