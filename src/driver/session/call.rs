//! Calls: a `jit` runs one compiled program, a `fn` runs its statements in a scope of its own.

use super::evaluate::type_of;
use super::names::Frame;
use super::{Live, Session};
use crate::base::{Broken, Diagnostic, Fault, Span};
use crate::driver::failure::{Failure, Outcome};
use crate::runtime::Array;
use crate::sema::elaborate::{self, bind::Given};
use crate::sema::value::{Columns, Scalar, Value};
use crate::syntax::ast::{Arg, Expr, ExprKind, Function, FunctionKind, Ident};
use std::rc::Rc;

/// An evaluated argument.
pub(super) struct Evaluated<'a> {
    /// Keyword, if it was named.
    pub name: Option<&'a Ident>,
    /// Its value.
    pub value: Live,
    /// Where it stands.
    pub span: Span,
}

impl Session {
    /// A call that runs by itself: of a function of the program, or of an instrument.
    pub(super) fn call(&mut self, callee: &Expr, args: &[Arg], at: Span) -> Outcome<Live> {
        let ExprKind::Name(name) = &callee.kind else {
            return Err(Broken::new("call", "only names are called").into());
        };
        if let Some(Value::Function(function)) = self.names.value(name).cloned() {
            let args = self.arguments(args)?;
            return self.call_function(&function, &args, at);
        }
        match name.as_ref() {
            "map" => self.map(args, at),
            "memory" => self.memory(args, at),
            name => {
                let args = self.arguments(args)?;
                self.instrument(name, &args, at)
            }
        }
    }

    /// The arguments, left to right.
    pub(super) fn arguments<'a>(&mut self, args: &'a [Arg]) -> Outcome<Vec<Evaluated<'a>>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            let value = self.evaluate(&arg.value)?;
            values.push(Evaluated { name: arg.name.as_ref(), value, span: arg.value.span });
        }
        Ok(values)
    }

    /// The values of all parameters, defaults included.
    pub(super) fn bound(&mut self, function: &Rc<Function>, args: &[Evaluated<'_>], at: Span) -> Outcome<Vec<Live>> {
        let given: Vec<(Option<&Ident>, Span)> = args.iter().map(|arg| (arg.name, arg.span)).collect();
        let bound = elaborate::bind::bind_arguments(function, &given, at)?;
        let mut values = Vec::with_capacity(bound.len());
        for (given, param) in bound.into_iter().zip(&function.params) {
            values.push(match (given, &param.default) {
                (Given::Argument(k), _) => args
                    .get(k)
                    .map(|arg| arg.value.clone())
                    .ok_or_else(|| Broken::new("call", "bound arguments exist"))?,
                (Given::Default, Some(default)) => self.evaluate(default)?,
                (Given::Default, None) => return Err(Broken::new("call", "a default is there").into()),
            });
        }
        Ok(values)
    }

    /// Calls a function of the program.
    pub(super) fn call_function(&mut self, function: &Rc<Function>, args: &[Evaluated<'_>], at: Span) -> Outcome<Live> {
        let values = self.bound(function, args, at)?;
        values.iter().try_for_each(|value| self.alive(value))?;
        self.interrupted()?;
        match function.kind {
            FunctionKind::Jit => self.call_jit(function, &values, at),
            FunctionKind::Fn => self.call_fn(function, values, at),
        }
    }

    /// Does something where the names of the call under way are not seen: a `jit` reads those of the top level.
    pub(super) fn outside<T>(&mut self, inner: impl FnOnce(&mut Self) -> T) -> T {
        self.names.calls.push(Frame::default());
        let done = inner(self);
        self.names.calls.pop();
        done
    }

    fn call_jit(&mut self, function: &Rc<Function>, values: &[Live], at: Span) -> Outcome<Live> {
        self.outside(|session| session.run_jit(function, values, at))
    }

    fn run_jit(&mut self, function: &Rc<Function>, values: &[Live], at: Span) -> Outcome<Live> {
        if let Some(prepared) = self.cached(function.span, values) {
            return self.execute(&prepared, values);
        }
        let types: Vec<_> = values.iter().map(type_of).collect();
        let elaborated = elaborate::call(self, function, &types, at)?;
        let prepared = Rc::new(self.prepare(elaborated, values, Some(&function.name.name))?);
        self.keep(function.span, &function.name.name, prepared.clone());
        self.execute(&prepared, values)
    }

    fn call_fn(&mut self, function: &Rc<Function>, values: Vec<Live>, at: Span) -> Outcome<Live> {
        if self.names.calls.iter().any(|frame| frame.function.as_ref() == Some(&function.name.name)) {
            let message = format!("`{}` calls itself", function.name.name);
            return Err(Diagnostic::error("E0208", message, at, "recursive call").into());
        }
        let types: Vec<_> = values.iter().map(type_of).collect();
        let dims = elaborate::bind::dims(function, &types, at)?;
        let mut owned = Vec::with_capacity(values.len());
        for (param, value) in function.params.iter().zip(values) {
            owned.push(if param.donate { self.take_over(&value)? } else { value });
        }
        self.enter(&function.name.name, at);
        for (name, size) in dims {
            self.bind(&name, Value::Host(Scalar::Int(size.constant().unwrap_or(0))));
        }
        for (param, value) in function.params.iter().zip(owned) {
            self.bind(&param.name.name, value);
        }
        let result = self.value_of(&function.body, at);
        self.leave();
        result.map_err(|failure| called_from(failure, at))
    }

    /// The same buffers under new handles; all older handles lose them.
    fn take_over(&mut self, value: &Live) -> Outcome<Live> {
        value.try_map(
            &mut |array| {
                let memory = array.give(self.at).ok_or_else(|| Broken::new("call", "no buffer is given twice"))?;
                self.given_away(array.id());
                Ok(Array::new(array.id(), memory, array.dtype, array.extents.clone()))
            },
            &mut |scalar| Ok::<_, Failure>(scalar.clone()),
        )
    }

    /// `map(f, t, ...)`: `f` of the leaves of trees of one structure.
    fn map(&mut self, args: &[Arg], at: Span) -> Outcome<Live> {
        let args = self.arguments(args)?;
        let Some((Evaluated { value: Value::Function(function), .. }, trees)) = args.split_first() else {
            return Err(Broken::new("call", "map is given a function").into());
        };
        let Some(first) = trees.first() else {
            return Err(Diagnostic::error("E0221", "`map` needs a tree", at, "nothing to map over")
                .help("write map(f, tree)")
                .into());
        };
        let values: Vec<&Live> = trees.iter().map(|tree| &tree.value).collect();
        self.map_trees(function, &values, first.span, at)
    }

    fn map_trees(&mut self, function: &Rc<Function>, trees: &[&Live], span: Span, at: Span) -> Outcome<Live> {
        match Value::columns(trees) {
            Columns::Leaves => {
                let leaves: Vec<Evaluated<'_>> =
                    trees.iter().map(|&tree| Evaluated { name: None, value: tree.clone(), span }).collect();
                self.call_function(function, &leaves, at)
            }
            Columns::Parts(columns) => {
                let parts = columns.iter().map(|column| self.map_trees(function, column, span, at));
                let parts = parts.collect::<Outcome<Vec<Live>>>()?;
                Ok(trees.first().map_or(Value::Unit, |first| first.with_parts(parts)))
            }
            Columns::Differ => {
                let message = "`map`: the trees have different structures";
                Err(Diagnostic::error("E0226", message, at, "in this call").into())
            }
        }
    }
}

/// Adds the call to the chain of a failure.
fn called_from(failure: Failure, at: Span) -> Failure {
    match failure {
        Failure::Fault(Fault { code, message, span, help, mut calls }) => {
            calls.insert(0, at);
            Failure::Fault(Fault { code, message, span, help, calls })
        }
        Failure::Rejected(all) => Failure::Rejected(all.into_iter().map(|d| d.label(at, "in this call")).collect()),
        other => other,
    }
}
