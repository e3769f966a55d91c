//! Calls under proof: what is given, what is lent, what comes back.

use super::diagnostics;
use super::evaluate::{inputs_read, type_of};
use super::predict;
use super::rules::Rule;
use super::state::{Given, Key, Proved, Slot, Tracked, symbol};
use super::verdict::{self, Offer, Taker};
use super::walk::Walk;
use crate::base::{Broken, DType, Span};
use crate::ir::array::{ArrayType, ParamKind};
use crate::ir::plan::Verdict;
use crate::sema::elaborate::bind::Given as Bound;
use crate::sema::elaborate::{self, Elaborated, Input};
use crate::sema::value::{Columns, HostKind, HostType, Known, Type, Value};
use crate::syntax::ast::{Arg, Block, Expr, ExprKind, Function, FunctionKind, Ident, Name, StatementKind};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Captures above this size draw a warning.
const LARGE_CAPTURE: i64 = 1 << 20;
/// Calls nested deeper than this are taken for a recursion that the names hide.
const DEEPEST_CALL: usize = 2000;

impl Walk {
    /// A call that runs by itself.
    pub(super) fn call(&mut self, callee: &Expr, args: &[Arg], at: Span) -> Option<Proved> {
        let ExprKind::Name(name) = &callee.kind else { return None };
        if let Some(Slot::Bound { value: Value::Function(function), .. }) = self.find(name) {
            let function = function.clone();
            let args = self.arguments(args)?;
            return self.call_function(&function, &args, at);
        }
        if name.as_ref() == "memory" {
            return self.memory(args, at);
        }
        let evaluated = self.arguments(args)?;
        if name.as_ref() == "map" {
            let Some(((_, Value::Function(function), _), trees)) = evaluated.split_first() else { return None };
            let leaves: Vec<&Proved> = trees.iter().map(|(_, tree, _)| tree).collect();
            return self.map(function, &leaves, at);
        }
        for (_, value, span) in &evaluated {
            self.use_value(value, *span);
        }
        self.instrument(name, &evaluated, at)
    }

    fn arguments<'a>(&mut self, args: &'a [Arg]) -> Option<Vec<(Option<&'a Ident>, Proved, Span)>> {
        let evaluated: Vec<_> =
            args.iter().map(|arg| (arg.name.as_ref(), self.evaluate(&arg.value), arg.value.span)).collect();
        evaluated.into_iter().map(|(name, value, span)| Some((name, value?, span))).collect()
    }

    fn host(&self, kind: HostKind, what: &str, at: Span) -> Proved {
        let known = (kind == HostKind::Int).then(|| Known::Int(symbol(what, at)));
        Value::Host(HostType { kind, known })
    }

    fn instrument(&mut self, name: &str, args: &[(Option<&Ident>, Proved, Span)], at: Span) -> Option<Proved> {
        match name {
            "live" => {
                Some(Value::Tuple(vec![self.host(HostKind::Int, "count", at), self.host(HostKind::Int, "bytes", at)]))
            }
            "item" | "int" | "float" => {
                let [(_, value, span)] = args else {
                    self.say(diagnostics::one_argument(name, args.len(), at));
                    return None;
                };
                let kind = match (name, value) {
                    ("int", _) => HostKind::Int,
                    ("float", _) => HostKind::Float,
                    (_, Value::Host(host)) => host.kind,
                    (_, Value::Array(array)) if array.ty.dtype == DType::Bool => HostKind::Bool,
                    (_, Value::Array(array)) if array.ty.dtype.is_int() => HostKind::Int,
                    _ => HostKind::Float,
                };
                match value {
                    Value::Array(array) => {
                        let elements = array.ty.shape.elements().and_then(|n| n.known());
                        if elements.is_some_and(|n| n != 1) {
                            self.say(diagnostics::not_one_element(name, &array.ty, *span));
                            return None;
                        }
                        Some(self.host(kind, name, at))
                    }
                    Value::Host(host) if host.kind == kind => Some(value.clone()),
                    Value::Host(_) => Some(self.host(kind, name, at)),
                    other => {
                        self.say(diagnostics::not_a_number(name, other.kind(), *span));
                        None
                    }
                }
            }
            _ => Some(Value::Unit),
        }
    }

    fn memory(&mut self, args: &[Arg], at: Span) -> Option<Proved> {
        if let Some((function, rest)) = args.split_first() {
            if !matches!(self.evaluate(&function.value)?, Value::Function(_)) {
                self.say(diagnostics::memory_of_what(at));
                return None;
            }
            self.arguments(rest)?;
        } else {
            self.say(diagnostics::memory_of_what(at));
            return None;
        }
        let fields = ["argument", "output", "aliased", "temporary", "constant", "code"];
        Some(Value::Record(fields.map(|field| (Name::from(field), self.host(HostKind::Int, field, at))).to_vec()))
    }

    fn map(&mut self, function: &Rc<Function>, trees: &[&Proved], at: Span) -> Option<Proved> {
        match Value::columns(trees) {
            Columns::Leaves => {
                let leaves: Vec<_> = trees.iter().map(|&tree| (None, tree.clone(), at)).collect();
                self.call_function(function, &leaves, at)
            }
            Columns::Parts(columns) => {
                let parts: Option<Vec<Proved>> = columns.iter().map(|column| self.map(function, column, at)).collect();
                Some(trees.first()?.with_parts(parts?))
            }
            Columns::Differ => {
                self.say(diagnostics::structures_differ(at));
                None
            }
        }
    }

    /// A call of a function of the program.
    fn call_function(
        &mut self,
        function: &Rc<Function>,
        args: &[(Option<&Ident>, Proved, Span)],
        at: Span,
    ) -> Option<Proved> {
        let recursive = self.calls.iter().any(|(f, _)| Rc::ptr_eq(f, function));
        if recursive || self.calls.len() > DEEPEST_CALL {
            self.say(diagnostics::recursion(&function.name.name, at, function.name.span));
            return None;
        }
        let given: Vec<(Option<&Ident>, Span)> = args.iter().map(|(name, _, span)| (*name, *span)).collect();
        let bound = match elaborate::bind::bind_arguments(function, &given, at) {
            Ok(bound) => bound,
            Err(diagnostic) => {
                self.say(diagnostic);
                return None;
            }
        };
        let mut values = Vec::with_capacity(bound.len());
        let mut spans = Vec::with_capacity(bound.len());
        for (given, param) in bound.into_iter().zip(&function.params) {
            let (value, span) = match (given, &param.default) {
                (Bound::Argument(k), _) => args.get(k).map(|(_, value, span)| (value.clone(), *span))?,
                (Bound::Default, Some(default)) => (self.evaluate(default)?, default.span),
                (Bound::Default, None) => return None,
            };
            values.push(value);
            spans.push(span);
        }
        for (value, span) in values.iter().zip(&spans) {
            self.use_value(value, *span);
        }
        match function.kind {
            FunctionKind::Jit => self.call_jit(function, &values, &spans, at),
            FunctionKind::Fn => self.call_fn(function, values, &spans, at),
        }
    }

    fn call_jit(&mut self, function: &Rc<Function>, values: &[Proved], spans: &[Span], at: Span) -> Option<Proved> {
        let types: Vec<Type> = values.iter().map(type_of).collect();
        let outside = std::mem::replace(&mut self.outside, true);
        let elaborated = self.elaborated_call(function, values, &types, at);
        let sources = elaborated.as_ref().map(|elaborated| self.sources(elaborated, values));
        self.outside = outside;
        let (elaborated, sources) = (elaborated?, sources?);
        for warning in &elaborated.warnings {
            self.say(warning.clone());
        }
        self.keep(Some(&function.name.name), at, &elaborated.program);
        let read = inputs_read(&elaborated.program);
        let mut captured = Vec::new();
        for ((input, source), used) in elaborated.inputs.iter().zip(&sources).zip(&read) {
            let (Input::Free { name, .. }, Some(array), true) = (input, source, used) else { continue };
            captured.push(array.clone());
            if self.rules.has(Rule::CaptureIsRead)
                && let Some(given) = array.from.iter().find_map(|key| self.state.given.get(key))
            {
                let diagnostic = diagnostics::captured_then_given(&function.name, name, given, at);
                self.say(diagnostic);
            }
            if array.ty.bytes().and_then(|bytes| bytes.constant()).is_some_and(|bytes| bytes > LARGE_CAPTURE) {
                self.say(diagnostics::large_capture(&function.name, name, &array.ty, at));
            }
        }
        self.body_of_jit(function, values, at);
        self.give_arguments(function, values, spans, &captured, at)?;
        self.judge(function, &elaborated, at);
        Some(self.results(&elaborated, &sources))
    }

    /// Per input of a program: the array that it reads.
    fn sources(&self, elaborated: &Elaborated, values: &[Proved]) -> Vec<Option<Tracked>> {
        let at = |value: Option<&Proved>, path: &[usize]| {
            let value = path.iter().try_fold(value?, |value, &step| match value {
                Value::Tuple(items) => items.get(step),
                Value::Record(fields) => fields.get(step).map(|(_, item)| item),
                _ => None,
            });
            match value {
                Some(Value::Array(array)) => Some(array.clone()),
                _ => None,
            }
        };
        let sources = elaborated.inputs.iter().map(|input| match input {
            Input::Argument { index, path } => at(values.get(*index), path),
            Input::Free { name, path } => match (self.temporaries.get(name), self.find(name)) {
                (Some(value), _) | (None, Some(Slot::Bound { value, .. })) => at(Some(value), path),
                _ => None,
            },
        });
        sources.collect()
    }

    /// Walks the body of a `jit` that calls other functions, for ownership: what it gives on must be its own.
    fn body_of_jit(&mut self, function: &Rc<Function>, values: &[Proved], at: Span) {
        if self.splitting(|splitter| block_has_calls(&function.body, &|e| splitter.has_calls(e))) {
            let state = self.state.clone();
            let owned: Vec<Proved> = values.iter().map(|value| self.fresh_leaves(value)).collect();
            let types: Vec<Type> = values.iter().map(type_of).collect();
            let dims = elaborate::bind::dims(function, &types, at).unwrap_or_default();
            let _ = self.body(function, &owned, &dims, at);
            self.state = state;
        }
    }

    fn call_fn(&mut self, function: &Rc<Function>, values: Vec<Proved>, spans: &[Span], at: Span) -> Option<Proved> {
        self.give_arguments(function, &values, spans, &[], at)?;
        let types: Vec<Type> = values.iter().map(type_of).collect();
        let dims = match elaborate::bind::dims(function, &types, at) {
            Ok(dims) => dims,
            Err(diagnostic) => {
                self.say(diagnostic);
                return None;
            }
        };
        let mut owned = Vec::with_capacity(values.len());
        for (param, value) in function.params.iter().zip(values) {
            owned.push(if param.donate { self.fresh_leaves(&value) } else { value });
        }
        self.body(function, &owned, &dims, at)
    }

    /// Gives the donated arguments away (R1), each once and not beside a reader (R4), and only what is ours (R5).
    fn give_arguments(
        &mut self,
        function: &Rc<Function>,
        values: &[Proved],
        spans: &[Span],
        captured: &[Tracked],
        at: Span,
    ) -> Option<()> {
        let mut leaves: Vec<(usize, String, Tracked)> = Vec::new();
        for (index, (param, value)) in function.params.iter().zip(values).enumerate() {
            let before = leaves.len();
            value.each_array(&param.name.name, &mut |path, array| {
                leaves.push((index, path.to_owned(), array.clone()));
            });
            if param.donate && leaves.len() == before {
                let span = spans.get(index).copied().unwrap_or(at);
                self.say(diagnostics::nothing_to_donate(&param.name.name, value.kind(), span, param.span));
                return None;
            }
        }
        let donated = |index: usize| function.params.get(index).is_some_and(|param| param.donate);
        let span_of = |index: usize| spans.get(index).copied().unwrap_or(at);
        for (k, (index, path, array)) in leaves.iter().enumerate() {
            if !donated(*index) {
                continue;
            }
            let share = |other: &BTreeSet<Key>| self.state.shares.may_share(&array.from, other);
            for (j, (other, other_path, other_array)) in leaves.iter().enumerate() {
                let rule = if donated(*other) { Rule::GivenOnce } else { Rule::NotBesideReader };
                // A pair of donated leaves is reported once.
                let reported = donated(*other) && j < k;
                if j == k || reported || !self.rules.has(rule) || !share(&other_array.from) {
                    continue;
                }
                let (name, other_name) = (self.path_of(array), self.path_of(other_array));
                let mut diagnostic = diagnostics::given_twice(
                    &function.name,
                    (path, span_of(*index), name.clone()),
                    (other_path, span_of(*other), other_name.clone()),
                    at,
                );
                if name != other_name
                    && let Some(alias) = other_name
                    && let Some(bound) = other_array.from.iter().find_map(|key| self.bound_at(key))
                {
                    diagnostic = diagnostic.label(bound, format!("`{alias}` is bound here"));
                }
                self.say(diagnostic);
                return None;
            }
            let beside = self.rules.has(Rule::NotBesideCapture);
            if beside && captured.iter().any(|capture| share(&capture.from)) {
                self.say(diagnostics::given_and_captured(&function.name, path, span_of(*index)));
                return None;
            }
            let borrowed = self.borrowed.iter().find(|borrowed| share(&borrowed.tag));
            let borrowed = borrowed.filter(|_| self.rules.has(Rule::BorrowedStays));
            let inner = self.calls.last().map(|(inner, _)| inner.clone());
            if let (Some(borrowed), Some(inner)) = (borrowed, &inner)
                && let Some(param) = inner.params.get(borrowed.index)
            {
                let diagnostic = diagnostics::not_ours(&function.name, inner, param, span_of(*index));
                self.say(diagnostic);
                return None;
            }
        }
        for (index, _, array) in &leaves {
            if donated(*index) {
                let path: Rc<str> = self.path_of(array).unwrap_or_else(|| "a value".into()).into();
                let mut dead = BTreeSet::new();
                if self.rules.has(Rule::AliasesDie) {
                    dead = self.state.shares.closure(&array.from);
                }
                for key in &array.from {
                    if self.rules.has(Rule::GivenIsDead) {
                        dead.insert(key.clone());
                    } else {
                        dead.remove(key);
                    }
                }
                for key in dead {
                    let given = Given { at, path: path.clone(), maybe: None };
                    self.state.given.insert(key, given);
                }
            }
        }
        Some(())
    }

    /// The path under which the program knows an array.
    fn path_of(&self, array: &Tracked) -> Option<String> {
        array.from.iter().find_map(|key| match key {
            Key::Leaf(_, path) => Some(path.to_string()),
            Key::Temporary(_) => None,
        })
    }

    /// Whether each donated parameter is taken over by an output.
    fn judge(&mut self, function: &Rc<Function>, elaborated: &Elaborated, at: Span) {
        let program = &elaborated.program;
        let offers: Vec<Offer> = program
            .params
            .iter()
            .filter(|param| param.kind == ParamKind::Array { donated: true })
            .map(|param| Offer { path: param.name.clone(), ty: program.ty(param.value).clone(), is: Some(param.value) })
            .collect();
        if offers.is_empty() {
            return;
        }
        let mut results: Vec<Taker> = Vec::new();
        let mut arrays = Vec::new();
        elaborated.result.each_array("", &mut |_, output| arrays.push(*output));
        for value in arrays.into_iter().filter_map(|k| program.body.results.get(k)) {
            let lent = program
                .params
                .iter()
                .any(|param| param.value == *value && param.kind != (ParamKind::Array { donated: true }));
            if !lent && !results.iter().any(|result| result.is == *value) {
                results.push(Taker { ty: program.ty(*value).clone(), is: *value });
            }
        }
        let refused = verdict::refusals(&offers, &results);
        if refused.is_empty() {
            self.warn_of_hand_over(function, elaborated, at);
        }
        for refused in refused {
            self.say(diagnostics::refused(function, &refused, &offers, &results, at));
        }
    }

    /// Warns of donations that are taken over only after the call, as the plan decides it.
    fn warn_of_hand_over(&mut self, function: &Rc<Function>, elaborated: &Elaborated, at: Span) {
        let types: Vec<&ArrayType> =
            elaborated.program.params.iter().map(|param| elaborated.program.ty(param.value)).collect();
        let place = (function.span, format!("{types:?}"));
        if !self.planned.contains_key(&place) {
            let donations = match predict::program::planned(elaborated) {
                Ok(planned) => (predict::explain::donations(function, &planned), planned.exact),
                Err(broken) => {
                    self.report.broken.get_or_insert(broken);
                    return;
                }
            };
            self.planned.insert(place.clone(), Rc::new(donations));
        }
        let Some(donations) = self.planned.get(&place).cloned() else { return };
        let (donations, exact) = &*donations;
        for what in donations {
            let predict::explain::What::Donation { verdict, .. } = what else { continue };
            match verdict {
                Verdict::HandedOver { .. } => self.say(diagnostics::handed_over(function, what, *exact, at)),
                Verdict::Refused(_) => {
                    let invariant = format!("the plan refuses what the proof accepts: {what}");
                    self.report.broken.get_or_insert(Broken::new("proof", invariant));
                }
                Verdict::InPlace { .. } => {}
            }
        }
    }

    /// Bodies of annotated functions are proved once, for every size, even when nobody calls them.
    pub(super) fn judge_definitions(&mut self, program: &Block) {
        for statement in &program.statements {
            let StatementKind::Function(function) = &statement.kind else { continue };
            let Some(types) = elaborate::bind::signature_types(function) else { continue };
            if types.is_empty() {
                continue;
            }
            let mut values = Vec::with_capacity(types.len());
            for ty in &types {
                let next = &mut self.next;
                let value: Proved = ty.map(
                    &mut |ty| {
                        *next += 1;
                        Tracked { ty: ty.clone(), from: BTreeSet::from([Key::Temporary(*next)]) }
                    },
                    &mut |host| host.clone(),
                );
                values.push(value);
            }
            let spans: Vec<Span> = function.params.iter().map(|param| param.span).collect();
            let state = self.state.clone();
            match function.kind {
                FunctionKind::Jit => self.call_jit(function, &values, &spans, function.name.span),
                FunctionKind::Fn => self.call_fn(function, values, &spans, function.name.span),
            };
            self.state = state;
        }
    }
}

fn block_has_calls(block: &Block, has_calls: &dyn Fn(&Expr) -> bool) -> bool {
    block.statements.iter().any(|statement| match &statement.kind {
        StatementKind::Bind { value, .. } | StatementKind::Augment { value, .. } | StatementKind::Expr(value) => {
            has_calls(value)
        }
        StatementKind::For { body, .. } | StatementKind::While { body, .. } | StatementKind::Bench { body, .. } => {
            block_has_calls(body, has_calls)
        }
        StatementKind::If { then, otherwise, .. } => {
            block_has_calls(then, has_calls)
                || otherwise.as_ref().is_some_and(|block| block_has_calls(block, has_calls))
        }
        StatementKind::Del(_) | StatementKind::Assert { .. } | StatementKind::Function(_) | StatementKind::Error => {
            false
        }
    })
}
