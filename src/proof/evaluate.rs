//! Expressions under proof: their types, and which leaves they read.

use super::diagnostics;
use super::rules::Rule;
use super::state::{Key, Level, Proved, Slot, Tracked, join_values};
use super::walk::{Walk, host_type};
use crate::base::{Size, Span};
use crate::ir::array::{OpKind, ParamKind, Program, Region, Value as IrValue};
use crate::sema::elaborate::{self, Binding, Elaborated, Input, Rejected, Scope};
use crate::sema::split::{Split, Splitter};
use crate::sema::value::{Scalar, Type, Value};
use crate::syntax::ast::{BinaryOp, Block, Expr, ExprKind, Name, StatementKind, Target};
use std::collections::{BTreeMap, BTreeSet};

/// So many diagnostics have suggestions of names.
const SUGGESTED: usize = 50;
/// The code of a program that is refused for its size.
const TOO_LARGE: &str = "E0209";

/// The type of a value under proof.
#[must_use]
pub fn type_of(value: &Proved) -> Type {
    value.map(&mut |array| array.ty.clone(), &mut |host| host.clone())
}

impl Scope for Walk {
    fn lookup(&self, name: &str) -> Option<Binding> {
        if let Some(value) = self.temporaries.get(name) {
            return Some(Binding::Value(type_of(value)));
        }
        match self.find(name)? {
            Slot::Bound { value: Value::Function(function), .. } => Some(Binding::Function(function.clone())),
            Slot::Bound { value, .. } => Some(Binding::Value(type_of(value))),
            Slot::Unclear { .. } => None,
            Slot::Deleted(at) => Some(Binding::Gone { at: *at, how: "deleted" }),
        }
    }

    fn names(&self) -> Vec<Name> {
        // They are for suggestions; a program with very many unknown names need not have one for each.
        if self.said < SUGGESTED { self.state.names().cloned().collect() } else { Vec::new() }
    }

    fn unknown_size(&self, at: Span) -> Option<Size> {
        Some(super::state::symbol("size", at))
    }
}

impl Walk {
    /// What a name means here: local, else global.
    pub(super) fn find(&self, name: &str) -> Option<&Slot> {
        let local = if self.outside { None } else { self.state.slot(Level::Local, name) };
        local.or_else(|| self.state.slot(Level::Global, name))
    }

    /// Where the name of a leaf was bound.
    pub(super) fn bound_at(&self, key: &Key) -> Option<Span> {
        let Key::Leaf(level, path) = key else { return None };
        let root = path.split(['.', '[']).next().unwrap_or_default();
        match self.state.slot(*level, root) {
            Some(Slot::Bound { at, .. }) => Some(*at),
            _ => None,
        }
    }

    /// The value of a name, without reading its elements.
    pub(super) fn read_name(&mut self, name: &Name, at: Span) -> Option<Proved> {
        if let Some(value) = self.temporaries.get(name) {
            return Some(value.clone());
        }
        match self.find(name) {
            Some(Slot::Bound { value, .. }) => Some(value.clone()),
            Some(Slot::Unclear { why, at: bound }) => {
                let (why, bound) = (*why, *bound);
                if !why.is_empty() {
                    self.say(diagnostics::unclear(name, at, why, bound));
                }
                None
            }
            Some(Slot::Deleted(_)) | None => {
                let expr = Expr { kind: ExprKind::Name(name.clone()), span: at };
                self.elaborated(&expr).and_then(|elaborated| self.finish(elaborated, at))
            }
        }
    }

    pub(super) fn splitting<T>(&self, with: impl FnOnce(Splitter<'_>) -> T) -> T {
        let is_function = |name: &str| matches!(self.find(name), Some(Slot::Bound { value: Value::Function(_), .. }));
        with(Splitter { is_function: &is_function })
    }

    /// The value of an expression; `None` after an error in it.
    pub(super) fn evaluate(&mut self, expr: &Expr) -> Option<Proved> {
        match &expr.kind {
            ExprKind::Int(n) => Some(Value::Host(host_type(&Scalar::Int(*n)))),
            ExprKind::Float(x) => Some(Value::Host(host_type(&Scalar::Float(*x)))),
            ExprKind::Bool(b) => Some(Value::Host(host_type(&Scalar::Bool(*b)))),
            ExprKind::Str(s) => Some(Value::Host(host_type(&Scalar::Str(s.clone())))),
            ExprKind::Paren(inner) => self.evaluate(inner),
            ExprKind::Name(name) => self.read_name(name, expr.span),
            ExprKind::Field(..) => match self.field(expr) {
                Some(value) => Some(value),
                None => self.program(expr),
            },
            ExprKind::If(condition, then, otherwise) => {
                self.condition(condition)?;
                // What a branch gives away is gone there: the other's value may still be that array.
                let before = self.state.clone();
                let yes = self.value_of(then).map(|value| self.unnamed(&value));
                let after = std::mem::replace(&mut self.state, before);
                let no = self.value_of(otherwise).map(|value| self.unnamed(&value));
                self.state = after.join(&self.state, Span { end: condition.span.end, ..expr.span });
                let (yes, no) = (yes?, no?);
                let joined = join_values("value", &yes, &no, expr.span);
                if joined.is_none() {
                    self.say(diagnostics::branches_differ(expr.span, &type_of(&yes), &type_of(&no)));
                }
                joined
            }
            ExprKind::Call(callee, args) if self.splitting(|s| s.runs_by_itself(callee, args)) => {
                self.call(callee, args, expr.span)
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) if self.splitting(|s| s.has_calls(expr)) => {
                let first = self.evaluate(left);
                if let Some(value) = &first {
                    self.use_value(value, left.span);
                }
                // The right operand may not run.
                let before = self.state.clone();
                let second = self.evaluate(right);
                if let Some(value) = &second {
                    self.use_value(value, right.span);
                }
                self.state = self.state.join(&before, expr.span);
                match (first?, second?) {
                    (a @ Value::Array(_), _) | (_, a @ Value::Array(_)) => Some(a),
                    (a, _) => {
                        let Value::Host(mut host) = a else { return None };
                        host.known = None;
                        Some(Value::Host(host))
                    }
                }
            }
            _ => self.program(expr),
        }
    }

    /// A condition: read to the host.
    pub(super) fn condition(&mut self, expr: &Expr) -> Option<Proved> {
        let value = self.evaluate(expr)?;
        self.use_value(&value, expr.span);
        let many = match &value {
            Value::Array(array) => array.ty.shape.elements().and_then(|n| n.known()).is_some_and(|n| n != 1),
            _ => false,
        };
        if many {
            let found = super::diagnostics::type_text(&type_of(&value));
            self.say(crate::sema::diagnostics::no_condition(&found, expr.span));
            return None;
        }
        Some(value)
    }

    /// `params.w`, without reading anything.
    fn field(&self, expr: &Expr) -> Option<Proved> {
        match &expr.kind {
            ExprKind::Name(name) => match (self.temporaries.get(name), self.find(name)) {
                (Some(value), _) | (None, Some(Slot::Bound { value, .. })) => Some(value.clone()),
                _ => None,
            },
            ExprKind::Paren(inner) => self.field(inner),
            ExprKind::Field(base, field) => match self.field(base)? {
                Value::Record(fields) => {
                    fields.into_iter().find(|(name, _)| *name == field.name).map(|(_, value)| value)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of a block in an expression or of a function's body.
    pub(super) fn value_of(&mut self, block: &Block) -> Option<Proved> {
        let Some((last, before)) = block.statements.split_last() else { return Some(Value::Unit) };
        before.iter().for_each(|statement| self.statement(statement));
        match &last.kind {
            StatementKind::Expr(value) => {
                let value = self.evaluate(value)?;
                self.use_value(&value, last.span);
                Some(value)
            }
            _ => {
                self.statement(last);
                Some(Value::Unit)
            }
        }
    }

    /// A general expression: what runs by itself first, then one program.
    fn program(&mut self, expr: &Expr) -> Option<Proved> {
        let Split { steps, rest, .. } = self.splitting(|splitter| splitter.expression(expr));
        self.around(&steps, |walk| {
            if let ExprKind::Name(name) = &rest.kind {
                return walk.read_name(name, rest.span);
            }
            let elaborated = walk.elaborated(&rest)?;
            walk.finish(elaborated, rest.span)
        })
    }

    fn around<T>(&mut self, steps: &[(Name, Expr)], inner: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut whole = true;
        for (name, step) in steps {
            match self.evaluate(step) {
                Some(value) => {
                    self.temporaries.insert(name.clone(), value);
                }
                None => whole = false,
            }
        }
        let result = if whole { inner(self) } else { None };
        for (name, _) in steps {
            self.temporaries.remove(name);
        }
        result
    }

    /// `x[...] = e`.
    pub(super) fn assign_elements(&mut self, target: &Target, value: &Expr) {
        let (steps, target, value) = self.splitting(|splitter| splitter.assignment(target, value));
        let changed = self.around(&steps, |walk| {
            walk.clear_names(&value)?;
            let elaborated = match elaborate::assignment(walk, &target, &value, false) {
                Ok(elaborated) => elaborated,
                Err(rejected) => {
                    walk.rejected(rejected);
                    return None;
                }
            };
            walk.finish(elaborated, target.span)
        });
        let changed = changed.map(|value| self.fresh_leaves(&value));
        let span = target.span;
        self.assign(&Target { index: None, ..target }, changed, span);
    }

    /// Reports names in `expr` whose meaning is unclear, so that elaboration does not call them unknown.
    pub(super) fn clear_names(&mut self, expr: &Expr) -> Option<()> {
        let mut names = BTreeSet::new();
        crate::sema::split::names(expr, &mut names);
        for name in names {
            if let Some(Slot::Unclear { .. }) = self.find(&name) {
                self.read_name(&name, expr.span);
                return None;
            }
        }
        Some(())
    }

    /// Elaborates an expression without calls; reports what is wrong.
    pub(super) fn elaborated(&mut self, expr: &Expr) -> Option<Elaborated> {
        self.clear_names(expr)?;
        match elaborate::expression(self, expr) {
            Ok(elaborated) => Some(elaborated),
            Err(rejected) => {
                self.rejected(rejected);
                None
            }
        }
    }

    pub(super) fn rejected(&mut self, rejected: Rejected) {
        match rejected {
            Rejected::Diagnostics(all) => {
                for diagnostic in all {
                    self.exhausted |= self.quiet == 0 && diagnostic.code.0 == TOO_LARGE;
                    self.say(diagnostic);
                }
            }
            Rejected::Fault(fault) => self.say(diagnostics::certain_fault(&fault)),
        }
    }

    /// The value of an elaborated program: reads its inputs, and gives its outputs their leaves.
    pub(super) fn finish(&mut self, elaborated: Elaborated, at: Span) -> Option<Proved> {
        for warning in &elaborated.warnings {
            self.say(warning.clone());
        }
        self.keep(None, at, &elaborated.program);
        let read = inputs_read(&elaborated.program);
        let sources: Vec<Option<Tracked>> = elaborated
            .inputs
            .iter()
            .map(|input| match input {
                Input::Free { name, path } => match self.free_value(name)?.at(path) {
                    Some(Value::Array(array)) => Some(array.clone()),
                    _ => None,
                },
                Input::Argument { .. } => None,
            })
            .collect();
        for (source, used) in sources.iter().zip(&read) {
            if let (Some(array), true) = (source, used) {
                self.use_leaf(array, at);
            }
        }
        Some(self.results(&elaborated, &sources))
    }

    fn free_value(&self, name: &Name) -> Option<Proved> {
        if let Some(value) = self.temporaries.get(name) {
            return Some(value.clone());
        }
        match self.find(name) {
            Some(Slot::Bound { value, .. }) => Some(value.clone()),
            _ => None,
        }
    }

    /// The result of a program: an output that may be an input's buffer shares its leaves, others are new.
    pub(super) fn results(&mut self, elaborated: &Elaborated, sources: &[Option<Tracked>]) -> Proved {
        let program = &elaborated.program;
        let mut outputs = Vec::new();
        elaborated.result.each_array("", &mut |_, output| outputs.push(*output));
        let mut outputs = outputs.into_iter();
        let mut fresh: BTreeMap<IrValue, Key> = BTreeMap::new();
        let shares = self.rules.has(Rule::ResultsShare);
        let next = &mut self.next;
        elaborated.ty.map(
            &mut |ty| {
                let root = outputs.next().and_then(|k| program.body.results.get(k)).map(|&v| origin(program, v));
                let lent = root.and_then(|root| {
                    let at = program.params.iter().position(|param| param.value == root)?;
                    let donated = program.params.get(at)?.kind == (ParamKind::Array { donated: true });
                    if donated || !shares { None } else { sources.get(at).cloned().flatten() }
                });
                let from = match (lent, root) {
                    (Some(array), _) => array.from,
                    (None, Some(root)) => {
                        let key = fresh.entry(root).or_insert_with(|| {
                            *next += 1;
                            Key::Temporary(*next)
                        });
                        BTreeSet::from([key.clone()])
                    }
                    (None, None) => BTreeSet::new(),
                };
                Tracked { ty: ty.clone(), from }
            },
            &mut |host| host.clone(),
        )
    }

    /// The same types in buffers of their own.
    pub(super) fn fresh_leaves(&mut self, value: &Proved) -> Proved {
        let next = &mut self.next;
        value.map(
            &mut |array| {
                *next += 1;
                Tracked { ty: array.ty.clone(), from: BTreeSet::from([Key::Temporary(*next)]) }
            },
            &mut |host| host.clone(),
        )
    }

    /// All leaves of a value are read.
    pub(super) fn use_value(&mut self, value: &Proved, at: Span) {
        let mut leaves = Vec::new();
        value.each_array("", &mut |_, array| leaves.push(array.clone()));
        for array in leaves {
            self.use_leaf(&array, at);
        }
    }

    /// A leaf is read: it must not have been given away (R1, R3).
    pub(super) fn use_leaf(&mut self, array: &Tracked, at: Span) {
        for key in &array.from {
            if let Some(given) = self.state.given.get(key)
                && (given.maybe.is_none() || self.rules.has(Rule::MaybeIsGiven))
            {
                let diagnostic = diagnostics::used_after_donation(key, given, self.bound_at(key), at);
                self.say(diagnostic);
                return;
            }
        }
    }
}

/// The value whose buffer an output may be: through operations that can cost nothing.
fn origin(program: &Program, mut value: IrValue) -> IrValue {
    let definitions: BTreeMap<IrValue, (&OpKind, IrValue)> = program
        .body
        .ops
        .iter()
        .filter_map(|op| Some((*op.results.first()?, (&op.kind, *op.operands.first()?))))
        .collect();
    loop {
        match definitions.get(&value) {
            Some((OpKind::Reshape | OpKind::Transpose(_) | OpKind::Slice { .. } | OpKind::Broadcast { .. }, from))
                if program.ty(*from).shape.elements() == program.ty(value).shape.elements() =>
            {
                value = *from;
            }
            _ => return value,
        }
    }
}

/// Per parameter: whether its elements matter, and not only its type.
#[must_use]
pub fn inputs_read(program: &Program) -> Vec<bool> {
    let mut needed: BTreeSet<IrValue> = program.body.results.iter().copied().collect();
    needed_in(&program.body, &mut needed);
    program.params.iter().map(|param| needed.contains(&param.value)).collect()
}

/// Adds what a region needs, last operation first. A loop or branch needs all that its regions read.
fn needed_in(region: &Region, needed: &mut BTreeSet<IrValue>) {
    for op in region.ops.iter().rev() {
        let wanted = matches!(op.kind, OpKind::Check(_))
            || op.results.iter().any(|result| needed.contains(result))
            || op.regions.iter().any(has_check);
        if wanted {
            needed.extend(op.operands.iter().copied());
            for inner in &op.regions {
                needed.extend(inner.results.iter().copied());
                needed_in(inner, needed);
            }
        }
    }
}

fn has_check(region: &Region) -> bool {
    region.ops.iter().any(|op| matches!(op.kind, OpKind::Check(_)) || op.regions.iter().any(has_check))
}
