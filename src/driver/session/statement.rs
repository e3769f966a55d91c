//! Statements: everything is evaluated before anything is bound.

use super::evaluate::type_of;
use super::{Live, Session};
use crate::base::{Broken, Diagnostic, Fault, Span};
use crate::driver::failure::Outcome;
use crate::sema::elaborate;
use crate::sema::value::{Scalar, Value};
use crate::syntax::ast::{Block, Expr, ExprKind, Ident, Statement, StatementKind, Target, TypeExpr};
use std::rc::Rc;
use std::time::Instant;

impl Session {
    /// Carries out one statement.
    ///
    /// # Errors
    /// The failure; the statement has had no effect.
    pub fn statement(&mut self, statement: &Statement) -> Outcome<()> {
        self.interrupted()?;
        self.at = statement.span;
        match &statement.kind {
            StatementKind::Bind { targets, annotation, value } => {
                if let [target] = targets.as_slice() {
                    return self.bind_target(target, annotation.as_ref(), value, statement.span);
                }
                let value = self.evaluate(value)?;
                self.destructure(targets, value, statement.span)
            }
            StatementKind::Augment { target, op, value } => {
                let whole = target.augmented(*op, value, statement.span);
                self.bind_target(target, None, &whole, statement.span)
            }
            StatementKind::Del(names) => {
                for name in names {
                    self.is_bound(name)?;
                }
                for name in names {
                    self.gone(&name.name, statement.span, "deleted");
                }
                Ok(())
            }
            StatementKind::For { index, start, end, step, body } => {
                let (start, end) = (self.integer(start)?, self.integer(end)?);
                let by = step.as_ref().map_or(Ok(1), |step| self.integer(step))?;
                if by == 0 {
                    let at = step.as_ref().map_or(statement.span, |step| step.span);
                    return Err(Fault::new("R0202", "the step of a `for` is 0", at)
                        .help("use 1, or a negative step to go backwards")
                        .into());
                }
                let mut i = start;
                while if by > 0 { i < end } else { i > end } {
                    self.interrupted()?;
                    self.at = index.span;
                    self.bind(&index.name, Value::Host(Scalar::Int(i)));
                    self.block(body)?;
                    let Some(next) = i.checked_add(by) else { break };
                    i = next;
                }
                Ok(())
            }
            StatementKind::While { condition, body } => {
                while self.condition(condition)? {
                    self.interrupted()?;
                    self.block(body)?;
                }
                Ok(())
            }
            StatementKind::If { condition, then, otherwise } => {
                if self.condition(condition)? {
                    self.block(then)
                } else if let Some(otherwise) = otherwise {
                    self.block(otherwise)
                } else {
                    Ok(())
                }
            }
            StatementKind::Bench { label, count, body } => self.bench(label.as_ref(), count, body),
            StatementKind::Assert { condition, message } => self.assert(condition, message.as_ref()),
            StatementKind::Function(function) => {
                if let Some(Value::Function(old)) = self.names.value(&function.name.name) {
                    let old = old.span;
                    self.drop_function(old);
                }
                self.forget_sites();
                self.bind(&function.name.name, Value::Function(function.clone()));
                Ok(())
            }
            StatementKind::Expr(expr) => self.evaluate(expr).and_then(|value| self.alive(&value)),
            StatementKind::Error => Err(Broken::new("session", "a program with syntax errors does not run").into()),
        }
    }

    /// Statements in order.
    pub(super) fn block(&mut self, block: &Block) -> Outcome<()> {
        block.statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn is_bound(&self, name: &Ident) -> Outcome<()> {
        // A name whose array was given away may still be deleted.
        let here = self.names.current().names.get(&name.name);
        let fine = match here {
            Some(super::names::Slot::Bound { .. }) => true,
            Some(super::names::Slot::Gone { how, .. }) => *how == "donated",
            None => false,
        };
        if fine {
            return Ok(());
        }
        let message = format!("`{}` is not bound here", name.name);
        let diagnostic = Diagnostic::error("E0322", message, name.span, "nothing to delete");
        Err(diagnostic.help("only names of the same scope can be deleted").into())
    }

    fn integer(&mut self, expr: &Expr) -> Outcome<i64> {
        let value = self.evaluate(expr)?;
        let found = match &value {
            Value::Host(Scalar::Int(n)) => return Ok(*n),
            Value::Array(array) if array.dtype.is_int() => match array.item() {
                Some(literal) => return Ok(literal.to_i64()),
                None => array.contents().to_string(),
            },
            other => other.kind().to_owned(),
        };
        Err(Fault::new("R0203", format!("expected an int, found {found}"), expr.span)
            .help("convert it with `int(x)`, or read one element of an array first")
            .into())
    }

    fn destructure(&mut self, targets: &[Target], value: Live, at: Span) -> Outcome<()> {
        let parts = match value {
            Value::Tuple(parts) if parts.len() == targets.len() => parts,
            Value::Tuple(parts) => {
                let message = format!("{} names for a tuple of {}", targets.len(), parts.len());
                return Err(Diagnostic::error("E0225", message, at, "counts differ")
                    .help("write as many names as the tuple has elements")
                    .into());
            }
            other => {
                let message = format!("{} names for {}", targets.len(), other.kind());
                return Err(Diagnostic::error("E0225", message, at, "only a tuple is taken apart").into());
            }
        };
        for (target, part) in targets.iter().zip(parts) {
            self.assign(target, part)?;
        }
        Ok(())
    }

    fn bind_target(&mut self, target: &Target, annotation: Option<&TypeExpr>, value: &Expr, at: Span) -> Outcome<()> {
        if target.index.is_some() {
            return self.assign_elements(target, value);
        }
        let value = self.evaluate(value)?;
        if let Some(annotation) = annotation {
            let annotated = elaborate::bind::annotation(self, annotation, &type_of(&value), at)?;
            for (name, size) in annotated.dims {
                self.bind(&name, Value::Host(Scalar::Int(size.constant().unwrap_or(0))));
            }
        }
        self.assign(target, value)
    }

    /// Binds an evaluated value to a name, a field or elements.
    fn assign(&mut self, target: &Target, value: Live) -> Outcome<()> {
        self.alive(&value)?;
        if target.index.is_some() {
            let name = Rc::from("%assigned");
            self.names.current_mut().temporaries.insert(Rc::clone(&name), value);
            let expr = Expr { kind: ExprKind::Name(Rc::clone(&name)), span: target.span };
            let done = self.assign_elements(target, &expr);
            self.names.current_mut().temporaries.remove(&name);
            return done;
        }
        if target.fields.is_empty() {
            self.bind(&target.root.name, value);
            return Ok(());
        }
        let path: Vec<&Ident> = target.fields.iter().collect();
        let record = self.replaced(target, &path, value)?;
        self.bind(&target.root.name, record);
        Ok(())
    }

    /// The record under the target's root with the leaf at `path` replaced.
    fn replaced(&mut self, target: &Target, path: &[&Ident], value: Live) -> Outcome<Live> {
        let Some(root) = self.names.value(&target.root.name) else {
            let message = format!("`{}` is not bound here", target.root.name);
            return Err(Diagnostic::error("E0203", message, target.root.span, "no record to change").into());
        };
        fn replace(old: &Live, path: &[&Ident], value: Live) -> Result<Live, Ident> {
            let Some((field, rest)) = path.split_first() else { return Ok(value) };
            let Value::Record(fields) = old else { return Err((*field).clone()) };
            let mut fields = fields.clone();
            match fields.iter_mut().find(|(name, _)| *name == field.name) {
                Some((_, slot)) => *slot = replace(slot, rest, value)?,
                None => return Err((*field).clone()),
            }
            Ok(Value::Record(fields))
        }
        replace(root, path, value).map_err(|field| {
            let message = format!("there is no field `{}` to change", field.name);
            Diagnostic::error("E0224", message, field.span, "no such field").into()
        })
    }

    fn assert(&mut self, condition: &Expr, message: Option<&Expr>) -> Outcome<()> {
        if self.condition(condition)? {
            return Ok(());
        }
        let mut text = String::from("assertion failed");
        if let Some(message) = message {
            let message = self.evaluate(message)?;
            text = format!("{text}: {}", self.text(&message)?);
        }
        let mut fault = Fault::new("R0204", text, condition.span);
        if let ExprKind::Binary(op, left, right) = &condition.kind {
            let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
            let shown = format!("found {} {} {}", self.text(&left)?, op.symbol(), self.text(&right)?);
            fault.message = format!("{}; {shown}", fault.message);
        }
        Err(fault.into())
    }

    fn bench(&mut self, label: Option<&Expr>, count: &Expr, body: &Block) -> Outcome<()> {
        let label = match label {
            Some(label) => {
                let value = self.evaluate(label)?;
                self.text(&value)?
            }
            None => "bench".into(),
        };
        let runs = self.integer(count)?;
        if runs < 1 {
            return Err(Fault::new("R0205", format!("`bench` needs at least 1 run, found {runs}"), count.span).into());
        }
        self.block(body)?;
        let mut seconds = Vec::new();
        for _ in 0..runs {
            self.interrupted()?;
            let start = Instant::now();
            self.block(body)?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        seconds.sort_by(f64::total_cmp);
        let at = |k: usize| seconds.get(k).copied().unwrap_or(0.0);
        let (median, least, most) = (at(seconds.len() / 2), at(0), at(seconds.len() - 1));
        let line = format!(
            "{label}: median {}, min {}, max {} over {runs} runs",
            duration(median),
            duration(least),
            duration(most)
        );
        self.print(&line)
    }
}

/// `1.25 ms`: three or four digits in the unit that fits.
fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "us"),
    };
    format!("{value:.2} {unit}")
}

impl Session {
    /// `x[...] = e`: a new array that differs there; in the old one's buffer when nobody else holds it.
    fn assign_elements(&mut self, target: &Target, value: &Expr) -> Outcome<()> {
        let (steps, target, value) = self.splitting(|splitter| splitter.assignment(target, value));
        for (name, step) in &steps {
            let value = self.evaluate(step)?;
            self.names.current_mut().temporaries.insert(name.clone(), value);
        }
        let done = self.assign_program(&target, &value);
        for (name, _) in &steps {
            self.names.current_mut().temporaries.remove(name);
        }
        let changed = done?;
        self.assign(&Target { index: None, ..target }, changed)
    }

    fn assign_program(&mut self, target: &Target, value: &Expr) -> Outcome<Live> {
        let alone = self.is_held_alone(target);
        let site = self.assignment_site(target, value);
        let found = site.programs.borrow().iter().rev().find(|p| p.gives() == alone && self.serves(p, &[])).cloned();
        if let Some(prepared) = found {
            return self.execute(&prepared, &[]);
        }
        let elaborated = elaborate::assignment(self, target, value, alone)?;
        let prepared = Rc::new(self.prepare(elaborated, &[], None)?);
        site.remember(prepared.clone());
        self.execute(&prepared, &[])
    }

    /// Whether the array that the target changes has one holder, the target itself.
    fn is_held_alone(&self, target: &Target) -> bool {
        let root = self.names.current().names.get(&target.root.name);
        let Some(super::names::Slot::Bound { value: root, .. }) = root else { return false };
        let mut value = root;
        for field in &target.fields {
            let Value::Record(fields) = value else { return false };
            let Some((_, inner)) = fields.iter().find(|(name, _)| *name == field.name) else { return false };
            value = inner;
        }
        matches!(value, Value::Array(array) if array.is_unique())
    }
}
