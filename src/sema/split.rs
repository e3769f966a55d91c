//! Splits an expression: calls that must run by themselves come first, left to right; the rest is one program.
//!
//! ```text
//! a + f(b) * print(c)   =>   %4 = f(b); %11 = print(c); a + %4 * %11
//! ```
//! Calls of functions of the program and of the instruments run by themselves, as do conditional expressions (only
//! the chosen branch is evaluated) and `and`/`or` around such calls (they short-circuit). The session and the proof
//! both follow this order: it is what "left to right, an operand when its operator runs" means.

use crate::syntax::ast::{Arg, BinaryOp, Expr, ExprKind, IndexItem, Name, Target};
use std::collections::BTreeSet;

/// Built-ins that look at the session or read values: they run by themselves.
pub const INSTRUMENTS: [&str; 8] = ["print", "live", "ledger", "memory", "clear_caches", "item", "int", "float"];

/// An expression whose calls were taken out.
#[derive(Clone, Debug)]
pub struct Split {
    /// Evaluated first, in order, each bound to its temporary.
    pub steps: Vec<(Name, Expr)>,
    /// What remains: free of such calls.
    pub rest: Expr,
    /// Names that occur in `rest`.
    pub free: Vec<Name>,
}

/// Splits expressions, knowing which names are functions of the program.
#[derive(Clone, Copy)]
pub struct Splitter<'f> {
    /// Whether a name means a function of the program here.
    pub is_function: &'f dyn Fn(&str) -> bool,
}

impl Splitter<'_> {
    /// The expression in the order in which it runs.
    #[must_use]
    pub fn expression(self, expr: &Expr) -> Split {
        let mut steps = Vec::new();
        let rest = self.split(expr, &mut steps);
        let mut free = BTreeSet::new();
        names(&rest, &mut free);
        Split { steps, rest, free: free.into_iter().collect() }
    }

    /// The target and value of `x[...] = e` without calls that run by themselves, and those calls.
    #[must_use]
    pub fn assignment(self, target: &Target, value: &Expr) -> (Vec<(Name, Expr)>, Target, Expr) {
        let mut steps = Vec::new();
        let value = self.split(value, &mut steps);
        let index = target.index.as_ref().map(|items| items.iter().map(|i| self.item(i, &mut steps)).collect());
        (steps, Target { index, ..target.clone() }, value)
    }

    /// Whether a call of `callee` with these arguments runs by itself.
    #[must_use]
    pub fn runs_by_itself(self, callee: &Expr, args: &[Arg]) -> bool {
        let ExprKind::Name(name) = &callee.kind else { return false };
        let named = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if (self.is_function)(name));
        named(callee)
            || INSTRUMENTS.contains(&name.as_ref())
            || (name.as_ref() == "map" && args.first().is_some_and(|arg| named(&arg.value)))
    }

    /// Whether something inside must run by itself.
    #[must_use]
    pub fn has_calls(self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::If(..) => true,
            ExprKind::Call(callee, args) => {
                self.runs_by_itself(callee, args) || args.iter().any(|arg| self.has_calls(&arg.value))
            }
            ExprKind::Paren(e) | ExprKind::Field(e, _) | ExprKind::Unary(_, e) => self.has_calls(e),
            ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().any(|item| self.has_calls(item)),
            ExprKind::Record(fields) => fields.iter().any(|(_, item)| self.has_calls(item)),
            ExprKind::Binary(_, a, b) => self.has_calls(a) || self.has_calls(b),
            ExprKind::Index(base, items) => {
                self.has_calls(base) || items.iter().any(|item| parts(item).any(|part| self.has_calls(part)))
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::Name(_)
            | ExprKind::Error => false,
        }
    }

    fn split(self, expr: &Expr, steps: &mut Vec<(Name, Expr)>) -> Expr {
        if !self.has_calls(expr) {
            return expr.clone();
        }
        let by_itself = match &expr.kind {
            ExprKind::If(..) | ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) => true,
            ExprKind::Call(callee, args) => self.runs_by_itself(callee, args),
            _ => false,
        };
        if by_itself {
            let name: Name = format!("%{}", expr.span.start).into();
            steps.push((name.clone(), expr.clone()));
            return Expr { kind: ExprKind::Name(name), span: expr.span };
        }
        let kind = match &expr.kind {
            ExprKind::Paren(e) => ExprKind::Paren(Box::new(self.split(e, steps))),
            ExprKind::Field(e, field) => ExprKind::Field(Box::new(self.split(e, steps)), field.clone()),
            ExprKind::Unary(op, e) => ExprKind::Unary(*op, Box::new(self.split(e, steps))),
            ExprKind::Tuple(items) => ExprKind::Tuple(items.iter().map(|item| self.split(item, steps)).collect()),
            ExprKind::List(items) => ExprKind::List(items.iter().map(|item| self.split(item, steps)).collect()),
            ExprKind::Record(fields) => {
                ExprKind::Record(fields.iter().map(|(name, item)| (name.clone(), self.split(item, steps))).collect())
            }
            ExprKind::Binary(op, a, b) => {
                let a = self.split(a, steps);
                ExprKind::Binary(*op, Box::new(a), Box::new(self.split(b, steps)))
            }
            ExprKind::Call(callee, args) => {
                let part =
                    |arg: &Arg, steps: &mut _| Arg { name: arg.name.clone(), value: self.split(&arg.value, steps) };
                ExprKind::Call(callee.clone(), args.iter().map(|arg| part(arg, steps)).collect())
            }
            ExprKind::Index(base, items) => {
                let base = self.split(base, steps);
                let items = items.iter().map(|item| self.item(item, steps)).collect();
                ExprKind::Index(Box::new(base), items)
            }
            other => other.clone(),
        };
        Expr { kind, span: expr.span }
    }

    fn item(self, item: &IndexItem, steps: &mut Vec<(Name, Expr)>) -> IndexItem {
        match item {
            IndexItem::At(e) => IndexItem::At(self.split(e, steps)),
            IndexItem::Slice { start, stop, step, span } => {
                let mut part = |e: &Option<Expr>| e.as_ref().map(|e| self.split(e, steps));
                IndexItem::Slice { start: part(start), stop: part(stop), step: part(step), span: *span }
            }
            IndexItem::Ellipsis(_) | IndexItem::NewAxis(_) => item.clone(),
        }
    }
}

/// The expressions in an index item.
fn parts(item: &IndexItem) -> impl Iterator<Item = &Expr> {
    let all: [Option<&Expr>; 3] = match item {
        IndexItem::At(e) => [Some(e), None, None],
        IndexItem::Slice { start, stop, step, .. } => [start.as_ref(), stop.as_ref(), step.as_ref()],
        IndexItem::Ellipsis(_) | IndexItem::NewAxis(_) => [None, None, None],
    };
    all.into_iter().flatten()
}

/// Every name in a call-free expression.
pub fn names(expr: &Expr, found: &mut BTreeSet<Name>) {
    match &expr.kind {
        ExprKind::Name(name) => {
            found.insert(name.clone());
        }
        ExprKind::Paren(e) | ExprKind::Field(e, _) | ExprKind::Unary(_, e) => names(e, found),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| names(item, found)),
        ExprKind::Record(fields) => fields.iter().for_each(|(_, item)| names(item, found)),
        ExprKind::Binary(_, a, b) => {
            names(a, found);
            names(b, found);
        }
        ExprKind::Call(callee, args) => {
            names(callee, found);
            args.iter().for_each(|arg| names(&arg.value, found));
        }
        ExprKind::Index(base, items) => {
            names(base, found);
            items.iter().flat_map(parts).for_each(|part| names(part, found));
        }
        // An `if` runs by itself and is never in what remains.
        ExprKind::If(..)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Str(_)
        | ExprKind::Error => {}
    }
}
