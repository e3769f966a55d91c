//! Where elaboration begins and ends: an expression of the top level, the whole body of a function, a host value now.

use super::body::assigned;
use super::expr::Place;
use super::{Elaborated, Elaborator, Frame, Input, Leaf, Outcome, Rejected, Scope};
use crate::base::{Size, Span};
use crate::ir::array::{self, ParamKind};
use crate::sema::diagnostics;
use crate::sema::value::{Host, Known, Scalar, Traced, Type, Value};
use crate::syntax::ast::{Expr, Function, Target};
use std::convert::Infallible;
use std::rc::Rc;

/// The program of an expression of the top level; free arrays are lent.
///
/// # Errors
/// What is wrong with it.
pub fn expression(scope: &dyn Scope, expr: &Expr) -> Result<Elaborated, Rejected> {
    let mut el = Elaborator::new(scope, false);
    let value = el.expr(expr);
    el.finish(value)
}

/// The program of a function's whole body for arguments of these types, one per parameter.
///
/// # Errors
/// What is wrong with it, with the call `at` as the first of the chain.
pub fn call(scope: &dyn Scope, function: &Rc<Function>, args: &[Type], at: Span) -> Result<Elaborated, Rejected> {
    let mut el = Elaborator::new(scope, true);
    let value = el.whole_function(function, args, at);
    el.finish(value)
}

/// The value of `x[...] = e` or `r.w[...] = e`: what `x` or `r.w` becomes. `alone`: nobody else holds the array, so
/// that it is given to the program, which may change it in place.
///
/// # Errors
/// What is wrong with it.
pub fn assignment(scope: &dyn Scope, target: &Target, value: &Expr, alone: bool) -> Result<Elaborated, Rejected> {
    let mut el = Elaborator::new(scope, false);
    let value = el.assigned_value(target, value, alone);
    el.finish(value)
}

/// A host value that needs no program: the expression as it is now.
///
/// # Errors
/// What is wrong with it; that an array takes part in it.
pub fn evaluate_host(scope: &dyn Scope, expr: &Expr) -> Result<Value<Infallible, Scalar>, Rejected> {
    let mut el = Elaborator::new(scope, false);
    el.now = true;
    let Ok(value) = el.expr(expr) else { return Err(el.rejected()) };
    let constant = value.try_map(&mut |_| Err(()), &mut |host: &Host| scalar(host).ok_or(()));
    constant.map_err(|()| Rejected::Diagnostics(vec![diagnostics::must_be_known("this value", expr.span)]))
}

/// The names that a function binds: local to it everywhere in its body, as in Python.
#[must_use]
pub fn locals(function: &Function) -> std::collections::BTreeMap<crate::syntax::ast::Name, Span> {
    let mut names = std::collections::BTreeMap::new();
    assigned(&function.body, &mut names);
    names
}

/// The value of a constant.
fn scalar(host: &Host) -> Option<Scalar> {
    if !host.origins.is_empty() {
        return None;
    }
    match host.known.as_ref()? {
        Known::Int(Size::Known(n)) => Some(Scalar::Int(*n)),
        Known::Int(_) => None,
        Known::Float(x) => Some(Scalar::Float(*x)),
        Known::Bool(b) => Some(Scalar::Bool(*b)),
        Known::Str(text) => Some(Scalar::Str(text.clone())),
    }
}

impl Elaborator<'_> {
    fn assigned_value(&mut self, target: &Target, value: &Expr, alone: bool) -> Outcome<Traced> {
        // Right before left, as the value may be read from what is changed.
        let new = self.expr(value)?;
        let held = Target { index: None, ..target.clone() };
        let old = self.read_target(&held)?;
        let (Value::Array(array), Some(items)) = (&old, &target.index) else {
            if target.index.is_none() {
                return Ok(new);
            }
            let found = self.describe(&old);
            return self.fail(diagnostics::no_index_into(&found, target.span));
        };
        if alone {
            self.builder.donate(*array);
        }
        let changed = self.index_set(*array, items, &new, value.span, target.span)?;
        Ok(Value::Array(changed))
    }

    fn whole_function(&mut self, function: &Rc<Function>, args: &[Type], at: Span) -> Outcome<Traced> {
        let mut values = Vec::with_capacity(args.len());
        for (index, param) in function.params.iter().enumerate() {
            let value = match (args.get(index), &param.default) {
                (Some(ty), _) => {
                    let place = Place {
                        input: Input::Argument { index, path: Vec::new() },
                        label: param.name.name.to_string(),
                        ty: ty.clone(),
                        kind: ParamKind::Array { donated: param.donate },
                    };
                    (self.instantiate(&place)?, at)
                }
                (None, Some(default)) => (self.default_value(default)?, default.span),
                (None, None) => {
                    let signature = super::bind::signature(function);
                    let missing = diagnostics::missing_argument(&param.name.name, &signature, at);
                    return self.fail(missing);
                }
            };
            values.push(value);
        }
        self.inline(function, values, at)
    }

    pub(super) fn rejected(&mut self) -> Rejected {
        match self.fault.take() {
            Some(fault) => Rejected::Fault(fault),
            None => Rejected::Diagnostics(std::mem::take(&mut self.diagnostics)),
        }
    }

    /// The finished program with that value as its result.
    pub(super) fn finish(mut self, value: Outcome<Traced>) -> Result<Elaborated, Rejected> {
        let value = match value {
            Ok(value) if !self.diagnostics.iter().any(crate::base::Diagnostic::is_error) => value,
            _ => return Err(self.rejected()),
        };
        let ty = self.type_today(&value);
        self.frames = vec![Frame::default()];
        let mut outputs: Vec<array::Value> = Vec::new();
        let result = self.result(&value, &mut outputs);
        let demanded = self.demanded.iter().enumerate().filter(|(_, demanded)| **demanded);
        Ok(Elaborated {
            demanded: demanded.map(|(at, _)| at).collect(),
            inputs: self.inputs.into_iter().map(|(input, _)| input).collect(),
            program: self.builder.finish(outputs),
            result,
            ty,
            functions: self.functions.into_iter().collect(),
            warnings: self.diagnostics,
        })
    }

    fn result(&mut self, value: &Traced, outputs: &mut Vec<array::Value>) -> Value<usize, Leaf> {
        // One value returned twice is one output: one buffer with two holders.
        let mut output = |value: array::Value| match outputs.iter().position(|&other| other == value) {
            Some(at) => at,
            None => {
                outputs.push(value);
                outputs.len() - 1
            }
        };
        match value {
            Value::Array(array) => Value::Array(output(*array)),
            Value::Host(host) => Value::Host(match (scalar(host), &host.known) {
                (Some(scalar), _) => Leaf::Constant(scalar),
                (None, Some(Known::Str(text))) => Leaf::Constant(Scalar::Str(text.clone())),
                (None, _) => {
                    let runtime = self.runtime(host);
                    Leaf::Output(output(runtime))
                }
            }),
            Value::Tuple(items) => Value::Tuple(items.iter().map(|item| self.result(item, outputs)).collect()),
            Value::Record(fields) => {
                Value::Record(fields.iter().map(|(name, item)| (name.clone(), self.result(item, outputs))).collect())
            }
            Value::DType(dtype) => Value::DType(*dtype),
            Value::Function(function) => Value::Function(function.clone()),
            Value::Builtin(name) => Value::Builtin(name.clone()),
            Value::Unit => Value::Unit,
        }
    }
}
