//! Statements inside a function: bodies, bindings, assertions. Loops and branches are in `control`.

use super::index::Items;
use super::{Elaborator, Outcome, Reported};
use crate::base::{Literal, Span};
use crate::ir::array::Check;
use crate::ops::scalar::ScalarOp;
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, Known, Traced, Value};
use crate::syntax::ast::{Block, Expr, ExprKind, Ident, IndexItem, Name, Statement, StatementKind, Target, TypeExpr};
use std::collections::BTreeMap;

/// The names that a block binds, with the first place of each, those in blocks inside it included.
pub fn assigned(block: &Block, names: &mut BTreeMap<Name, Span>) {
    let bind = |ident: &Ident, names: &mut BTreeMap<Name, Span>| {
        names.entry(ident.name.clone()).or_insert(ident.span);
    };
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Bind { targets, value, .. } => {
                targets.iter().for_each(|target| bind(&target.root, names));
                assigned_in(value, names);
            }
            StatementKind::Augment { target, value, .. } => {
                bind(&target.root, names);
                assigned_in(value, names);
            }
            StatementKind::For { index, body, .. } => {
                bind(index, names);
                assigned(body, names);
            }
            StatementKind::While { body, .. } | StatementKind::Bench { body, .. } => assigned(body, names),
            StatementKind::If { then, otherwise, .. } => {
                assigned(then, names);
                otherwise.iter().for_each(|block| assigned(block, names));
            }
            StatementKind::Expr(value) => assigned_in(value, names),
            StatementKind::Del(_)
            | StatementKind::Assert { .. }
            | StatementKind::Function(_)
            | StatementKind::Error => {}
        }
    }
}

/// Likewise of the blocks of `if` inside an expression.
fn assigned_in(expr: &Expr, names: &mut BTreeMap<Name, Span>) {
    match &expr.kind {
        ExprKind::If(condition, then, otherwise) => {
            assigned_in(condition, names);
            assigned(then, names);
            assigned(otherwise, names);
        }
        ExprKind::Paren(inner) | ExprKind::Field(inner, _) | ExprKind::Unary(_, inner) => assigned_in(inner, names),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| assigned_in(item, names)),
        ExprKind::Record(fields) => fields.iter().for_each(|(_, item)| assigned_in(item, names)),
        ExprKind::Call(_, args) => args.iter().for_each(|arg| assigned_in(&arg.value, names)),
        ExprKind::Binary(_, left, right) => {
            assigned_in(left, names);
            assigned_in(right, names);
        }
        ExprKind::Index(base, items) => {
            assigned_in(base, names);
            for item in items {
                if let IndexItem::At(at) = item {
                    assigned_in(at, names);
                }
            }
        }
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_)
        | ExprKind::Error => {}
    }
}

impl Elaborator<'_> {
    /// Runs a block; its value is that of a last expression, or of a last `if` whose branches have one.
    pub(super) fn block_value(&mut self, block: &Block) -> Outcome<Traced> {
        let Some((last, before)) = block.statements.split_last() else { return Ok(Value::Unit) };
        for statement in before {
            self.statement(statement)?;
        }
        match &last.kind {
            StatementKind::Expr(expr) => self.expr(expr),
            StatementKind::If { condition, then, otherwise: Some(otherwise) } => {
                self.deeper(last.span, |el| el.if_blocks(condition, then, Some(otherwise), last.span))
            }
            _ => {
                self.statement(last)?;
                Ok(Value::Unit)
            }
        }
    }

    /// Runs a block for its bindings.
    pub(super) fn block(&mut self, block: &Block) -> Outcome<()> {
        block.statements.iter().try_for_each(|statement| self.statement(statement))
    }

    fn statement(&mut self, statement: &Statement) -> Outcome<()> {
        self.deeper(statement.span, |el| el.statement_kind(statement))
    }

    fn statement_kind(&mut self, statement: &Statement) -> Outcome<()> {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Bind { targets, annotation, value } => self.bind(targets, annotation.as_ref(), value),
            StatementKind::Augment { target, op, value } => {
                let old = self.read_target(target)?;
                let right = self.expr(value)?;
                let new = self.binary_values(*op, (&old, target.span), (&right, value.span), span)?;
                self.store(target, new, span)
            }
            StatementKind::Del(names) => names.iter().try_for_each(|ident| self.delete(ident)),
            StatementKind::For { index, start, end, step, body } => {
                self.for_statement(index, start, end, step.as_ref(), body, span)
            }
            StatementKind::While { condition, body } => self.while_statement(condition, body, span),
            StatementKind::If { condition, then, otherwise } => {
                self.if_statement(condition, then, otherwise.as_ref(), span)
            }
            StatementKind::Assert { condition, message } => self.assertion(condition, message.as_ref(), span),
            StatementKind::Expr(expr) => self.expr(expr).map(|_| ()),
            StatementKind::Bench { .. } => self.fail(diagnostics::no_meaning("`bench`", span)),
            StatementKind::Function(function) => {
                self.fail(diagnostics::nested_definition(&function.name.name, function.name.span))
            }
            StatementKind::Error => Err(Reported),
        }
    }

    fn bind(&mut self, targets: &[Target], annotation: Option<&TypeExpr>, value: &Expr) -> Outcome<()> {
        let result = self.expr(value)?;
        if let [target] = targets {
            if let Some(annotation) = annotation {
                self.check_annotation(&result, annotation, &target.root.name, value.span)?;
            }
            return self.store(target, result, value.span);
        }
        let parts = match result {
            Value::Tuple(items) if items.len() == targets.len() => items,
            other => {
                let message = format!("{} names for {}", targets.len(), self.describe(&other));
                return self.fail(diagnostics::tuple_length(message, value.span));
            }
        };
        targets.iter().zip(parts).try_for_each(|(target, part)| self.store(target, part, value.span))
    }

    /// What a target means now, for `x += e`.
    pub(super) fn read_target(&mut self, target: &Target) -> Outcome<Traced> {
        // As an expression, so that of a free record only the leaves that are meant become inputs.
        let mut read = Expr { kind: ExprKind::Name(target.root.name.clone()), span: target.root.span };
        for field in &target.fields {
            let span = read.span.to(field.span);
            read = Expr { kind: ExprKind::Field(Box::new(read), field.clone()), span };
        }
        let value = self.expr(&read)?;
        match &target.index {
            None => Ok(value),
            Some(items) => match value {
                Value::Array(array) => self.index_get(array, items, target.span),
                other => {
                    let found = self.describe(&other);
                    self.fail(diagnostics::no_index_into(&found, target.span))
                }
            },
        }
    }

    pub(super) fn record_field(&mut self, value: &Traced, field: &Ident) -> Outcome<Traced> {
        let found = match value {
            Value::Record(fields) => fields.iter().find(|(name, _)| *name == field.name).map(|(_, item)| item.clone()),
            _ => None,
        };
        match found {
            Some(found) => Ok(found),
            None => {
                let text = self.describe(value);
                self.fail(diagnostics::no_field(&field.name, &text, "the fields of its type", field.span))
            }
        }
    }

    /// Binds a target; a field or element of a local value makes a new value in which that part changed.
    fn store(&mut self, target: &Target, value: Traced, at: Span) -> Outcome<()> {
        let name = target.root.name.clone();
        let value = if target.fields.is_empty() && target.index.is_none() {
            value
        } else {
            let root = self.name(&name, target.root.span)?;
            self.replaced(&root, &target.fields, target.index.as_deref(), value, (target.span, at))?
        };
        let frame = self.frame();
        frame.partial.remove(&name);
        frame.names.insert(name, value);
        Ok(())
    }

    /// `root` with the part at `.fields[index]` replaced.
    fn replaced(
        &mut self,
        root: &Traced,
        fields: &[Ident],
        index: Option<&Items>,
        value: Traced,
        spans: (Span, Span),
    ) -> Outcome<Traced> {
        let Some((field, deeper)) = fields.split_first() else {
            return match (index, root) {
                (None, _) => Ok(value),
                (Some(items), Value::Array(array)) => {
                    let array = self.index_set(*array, items, &value, spans.1, spans.0)?;
                    Ok(Value::Array(array))
                }
                (Some(_), other) => {
                    let found = self.describe(other);
                    self.fail(diagnostics::no_index_into(&found, spans.0))
                }
            };
        };
        let old = self.record_field(root, field)?;
        let new = self.replaced(&old, deeper, index, value, spans)?;
        let Value::Record(entries) = root else { return Ok(new) };
        let swap = |(name, item): &(Name, Traced)| {
            (name.clone(), if *name == field.name { new.clone() } else { item.clone() })
        };
        Ok(Value::Record(entries.iter().map(swap).collect()))
    }

    fn delete(&mut self, ident: &Ident) -> Outcome<()> {
        let frame = self.frame();
        if frame.names.remove(&ident.name).is_some() {
            frame.partial.insert(ident.name.clone(), (ident.span, "it was deleted".into()));
            return Ok(());
        }
        if self.scope.lookup(&ident.name).is_some() {
            let what = format!("`del {}`: `{}` is bound outside, and deleting it", ident.name, ident.name);
            return self.fail(diagnostics::no_meaning(&what, ident.span));
        }
        self.name(&ident.name, ident.span).map(|_| ())
    }

    fn assertion(&mut self, condition: &Expr, message: Option<&Expr>, span: Span) -> Outcome<()> {
        let value = self.expr(condition)?;
        let truth = self.condition(&value, condition.span)?;
        let text = match message {
            None => None,
            Some(message) => match self.expr(message)? {
                Value::Host(Host { known: Some(Known::Str(text)), .. }) => Some(text),
                other => {
                    let help = "the message is a string";
                    return self.refuse_operands("assert", &[(&other, message.span)], span, help);
                }
            },
        };
        if truth.origins.is_empty()
            && let Some(Known::Bool(holds)) = truth.known
        {
            if holds {
                return Ok(());
            }
            if !self.builder.in_region() {
                return self.fail(diagnostics::refuted(text.as_deref(), condition.span));
            }
        }
        self.builder.span = span;
        let holds = self.runtime_as(&truth, HostKind::Bool);
        let bad = self.builder.map(ScalarOp::Not, &[holds]);
        let message = text.map_or_else(|| "assertion failed".to_owned(), |text| format!("assertion failed: {text}"));
        self.builder.check(Check { code: "R0003", message, help: None }, bad, &[]);
        Ok(())
    }

    /// A rank-0 int of the program.
    pub(super) fn int(&mut self, n: i64) -> crate::ir::array::Value {
        self.builder.constant(Literal::from_i64(crate::base::DType::I64, n))
    }
}
