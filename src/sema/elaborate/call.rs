//! Calls: arguments are bound to parameters, functions of the program are inlined, built-ins are built.

use super::bind::{Given, bind_arguments};
use super::body::assigned;
use super::carry::type_text;
use super::{Elaborator, Frame, Outcome};
use crate::base::{DType, Diagnostic, Shape, Size, Span};
use crate::sema::builtins::{self, Operand};
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, Known, Traced, Value};
use crate::syntax::ast::{Arg, Expr, Function, Ident, Name};
use std::rc::Rc;

/// Most functions inlined into one another.
const MOST_CALLS: usize = 1000;

/// Built-ins of this file.
const OWN: [&str; 4] = ["map", "item", "int", "float"];
/// Built-ins that act on the process; the session runs them.
const INSTRUMENTS: [&str; 5] = ["print", "live", "ledger", "memory", "clear_caches"];

/// Whether a built-in of this name exists.
#[must_use]
pub fn is_builtin(name: &str) -> bool {
    OWN.contains(&name) || INSTRUMENTS.contains(&name) || builtins::find(name).is_some()
}

/// The names of all built-ins.
#[must_use]
pub fn builtin_names() -> Vec<&'static str> {
    OWN.into_iter().chain(INSTRUMENTS).chain(builtins::all().map(|builtin| builtin.name)).collect()
}

/// An argument as a call gives it: the name in `name = value`, its place, what it is.
type Passed = (Option<Ident>, Span, Traced);

impl Elaborator<'_> {
    pub(super) fn call_expr(&mut self, callee: &Expr, args: &[Arg], span: Span) -> Outcome<Traced> {
        let function = self.expr(callee)?;
        if let Value::Builtin(name) = &function
            && INSTRUMENTS.contains(&&**name)
        {
            return self.fail(diagnostics::no_meaning(&format!("`{name}`"), span));
        }
        let mut given: Vec<Passed> = Vec::with_capacity(args.len());
        for arg in args {
            given.push((arg.name.clone(), arg.value.span, self.expr(&arg.value)?));
        }
        self.apply(&function, given, callee.span, span)
    }

    /// Calls a function value.
    fn apply(&mut self, function: &Traced, args: Vec<Passed>, callee: Span, span: Span) -> Outcome<Traced> {
        self.builder.span = span;
        match function {
            Value::Function(function) => self.call_function(&function.clone(), args, span),
            Value::Builtin(name) => self.call_builtin(name, args, span),
            Value::DType(dtype) => {
                let value = self.only_argument(dtype.name(), args, span)?;
                let array = self.converted(&value.0, *dtype, value.1)?;
                Ok(Value::Array(array))
            }
            other => {
                let found = self.describe(other);
                self.fail(diagnostics::not_callable(&found, callee))
            }
        }
    }

    /// A cast: to an array of that dtype.
    fn converted(&mut self, value: &Traced, dtype: DType, span: Span) -> Outcome<crate::ir::array::Value> {
        // A float literal is cut off as any cast to an int does it.
        if let Value::Host(host) = value
            && let (HostKind::Float, Some(Known::Float(x)), true) = (host.kind, &host.known, host.origins.is_empty())
        {
            let literal = crate::base::Literal::from_f64(dtype, *x);
            return Ok(self.builder.constant(literal));
        }
        self.array_of(value, dtype, span)
    }

    fn only_argument(&mut self, name: &str, args: Vec<Passed>, span: Span) -> Outcome<(Traced, Span)> {
        let signature = format!("{name}(x)");
        let mut args = args.into_iter();
        match (args.next(), args.next()) {
            (Some((None, at, value)), None) => Ok((value, at)),
            (Some((Some(keyword), ..)), None) => {
                self.fail(diagnostics::unknown_argument(&keyword.name, &signature, keyword.span))
            }
            (None, _) => self.fail(diagnostics::missing_argument("x", &signature, span)),
            (_, Some((_, at, _))) => {
                let message = format!("`{name}` takes one argument");
                self.fail(diagnostics::surplus_argument(message, &signature, at))
            }
        }
    }

    fn call_builtin(&mut self, name: &Name, args: Vec<Passed>, span: Span) -> Outcome<Traced> {
        match &**name {
            "map" => return self.map_tree(args, span),
            "item" | "int" | "float" => {
                let (value, at) = self.only_argument(name, args, span)?;
                return self.read_host(name, &value, at, span);
            }
            _ => {}
        }
        let args = args.into_iter().map(|(name, span, value)| (name, Operand { value, span })).collect();
        builtins::call(self, name, span, args)
    }

    /// `item(x)`, `int(x)`, `float(x)`.
    fn read_host(&mut self, name: &str, value: &Traced, at: Span, span: Span) -> Outcome<Traced> {
        let (host, own) = match value {
            Value::Host(host) if host.kind != HostKind::Str => (host.clone(), host.kind),
            Value::Array(array) => {
                let ty = self.array_type(*array);
                if ty.shape.elements().and_then(|n| n.constant()) != Some(1) {
                    let message = format!("`{name}` reads one element, found {ty}");
                    let diagnostic = Diagnostic::error("E0206", message, at, "more than one element");
                    return self.fail(diagnostic.help("index the array first, as in `x[0]`"));
                }
                let kind = match ty.dtype {
                    DType::Bool => HostKind::Bool,
                    dtype if dtype.is_float() => HostKind::Float,
                    _ => HostKind::Int,
                };
                let scalar = self.builder.reshape(*array, Shape::default());
                let scalar = self.builder.cast(scalar, kind.dtype().unwrap_or(DType::F64));
                (Host { kind, known: None, origins: Vec::new(), runtime: Some(scalar) }, kind)
            }
            other => return self.refuse_operands(name, &[(other, at)], span, "it reads an array of one element"),
        };
        let kind = match name {
            "int" => HostKind::Int,
            "float" => HostKind::Float,
            _ => own,
        };
        if kind == host.kind {
            return Ok(Value::Host(host));
        }
        let known = host.known.as_ref().and_then(|known| match (kind, known) {
            (HostKind::Int, Known::Float(x)) => Some(Known::Int(Size::Known(*x as i64))),
            (HostKind::Int, Known::Bool(b)) => Some(Known::Int(Size::Known(i64::from(*b)))),
            (HostKind::Float, Known::Int(Size::Known(n))) => Some(Known::Float(*n as f64)),
            (HostKind::Float, Known::Bool(b)) => Some(Known::Float(f64::from(u8::from(*b)))),
            _ => None,
        });
        let runtime =
            if known.is_some() && host.origins.is_empty() { None } else { Some(self.runtime_as(&host, kind)) };
        Ok(Value::Host(Host { kind, known, origins: host.origins, runtime }))
    }

    fn call_function(&mut self, function: &Rc<Function>, args: Vec<Passed>, span: Span) -> Outcome<Traced> {
        let given: Vec<(Option<&Ident>, Span)> = args.iter().map(|(name, at, _)| (name.as_ref(), *at)).collect();
        let bound = match bind_arguments(function, &given, span) {
            Ok(bound) => bound,
            Err(diagnostic) => return self.fail(diagnostic),
        };
        let mut values = Vec::with_capacity(bound.len());
        for (param, given) in function.params.iter().zip(bound) {
            match (given, &param.default) {
                (Given::Argument(number), _) => {
                    values.extend(args.get(number).map(|(_, at, value)| (value.clone(), *at)));
                }
                (Given::Default, Some(default)) => values.push((self.default_value(default)?, default.span)),
                (Given::Default, None) => {}
            }
        }
        self.inline(function, values, span)
    }

    /// A default is evaluated among the free names.
    pub(super) fn default_value(&mut self, default: &Expr) -> Outcome<Traced> {
        self.frames.push(Frame::default());
        let value = self.expr(default);
        self.frames.pop();
        value
    }

    /// The value of a function's body for these arguments, one per parameter.
    pub(super) fn inline(&mut self, function: &Rc<Function>, args: Vec<(Traced, Span)>, span: Span) -> Outcome<Traced> {
        let identity = Rc::as_ptr(function) as usize;
        if self.running.contains(&identity) {
            let mut running = self.frames.iter().filter_map(|frame| frame.function.as_ref());
            let first = running.find(|(other, _)| Rc::ptr_eq(other, function)).map_or(span, |(_, at)| *at);
            return self.fail(diagnostics::recursion(&function.name.name, first, span));
        }
        if self.running.len() >= MOST_CALLS {
            let help = "replace the chain of calls by a loop";
            return self.fail(diagnostics::too_deep("calls inside calls", MOST_CALLS, span, help));
        }
        let mut frame = Frame { function: Some((function.clone(), span)), ..Frame::default() };
        assigned(&function.body, &mut frame.locals);
        for (param, (value, at)) in function.params.iter().zip(&args) {
            if param.donate
                && let Value::Host(host) = value
            {
                let kind = if host.kind == HostKind::Int { "an int" } else { "a host value" };
                return self.fail(diagnostics::no_buffer(&param.name.name, kind, *at, param.span));
            }
            frame.names.insert(param.name.name.clone(), value.clone());
        }
        self.frames.push(frame);
        self.running.insert(identity);
        let value = self.annotated_body(function, &args);
        self.running.remove(&identity);
        self.frames.pop();
        value
    }

    fn map_tree(&mut self, args: Vec<Passed>, span: Span) -> Outcome<Traced> {
        let signature = "map(f, t, ...)";
        for (name, _, _) in &args {
            if let Some(name) = name {
                return self.fail(diagnostics::unknown_argument(&name.name, signature, name.span));
            }
        }
        let mut args = args.into_iter();
        let Some((_, callee, function)) = args.next() else {
            return self.fail(diagnostics::missing_argument("f", signature, span));
        };
        let trees: Vec<(Traced, Span)> = args.map(|(_, at, value)| (value, at)).collect();
        if trees.is_empty() {
            return self.fail(diagnostics::missing_argument("t", signature, span));
        }
        self.map_leaves(&function, callee, &trees, span)
    }

    fn map_leaves(&mut self, function: &Traced, callee: Span, trees: &[(Traced, Span)], span: Span) -> Outcome<Traced> {
        let Some((first, at)) = trees.first() else { return Ok(Value::Unit) };
        let children = |tree: &Traced| -> Option<Vec<(Option<Name>, Traced)>> {
            match tree {
                Value::Tuple(items) => Some(items.iter().map(|item| (None, item.clone())).collect()),
                Value::Record(fields) => Some(fields.iter().map(|(n, item)| (Some(n.clone()), item.clone())).collect()),
                _ => None,
            }
        };
        let Some(shape) = children(first) else {
            if let Some((other, at)) = trees.iter().find(|(tree, _)| children(tree).is_some()) {
                return self.other_structure((first, trees.first().map_or(span, |t| t.1)), (other, *at), span);
            }
            let args = trees.iter().map(|(tree, at)| (None, *at, tree.clone())).collect();
            return self.apply(function, args, callee, span);
        };
        let mut columns = Vec::with_capacity(trees.len());
        for (tree, other) in trees {
            match children(tree) {
                Some(items) if items.len() == shape.len() && items.iter().zip(&shape).all(|(a, b)| a.0 == b.0) => {
                    columns.push((items, *other));
                }
                _ => return self.other_structure((first, *at), (tree, *other), span),
            }
        }
        let mut results = Vec::with_capacity(shape.len());
        for (position, (name, _)) in shape.iter().enumerate() {
            let row: Vec<(Traced, Span)> = columns
                .iter()
                .filter_map(|(items, at)| items.get(position).map(|(_, item)| (item.clone(), *at)))
                .collect();
            let value = self.deeper(span, |el| el.map_leaves(function, callee, &row, span))?;
            results.push((name.clone(), value));
        }
        Ok(match first {
            Value::Record(_) => {
                Value::Record(results.into_iter().filter_map(|(name, value)| Some((name?, value))).collect())
            }
            _ => Value::Tuple(results.into_iter().map(|(_, value)| value).collect()),
        })
    }

    fn other_structure(&mut self, a: (&Traced, Span), b: (&Traced, Span), span: Span) -> Outcome<Traced> {
        let (x, y) = (type_text(&self.type_of(a.0)), type_text(&self.type_of(b.0)));
        let diagnostic = diagnostics::structure(format!("`map`: {x} and {y} differ in structure"), span);
        self.fail(diagnostic.label(a.1, x).label(b.1, y))
    }
}
