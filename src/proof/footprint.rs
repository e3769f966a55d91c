//! What a function can look at outside itself: every name that it mentions, and what the functions among them mention.
//!
//! Names are collected without regard to what is local, so a footprint may be too large but never too small:
//! Invariant: two calls of a function that find the same under all names of its footprint find the same everywhere.

use super::state::{Level, Slot, State};
use crate::sema::value::Value;
use crate::syntax::ast::{Block, Expr, ExprKind, Function, IndexItem, Name, Statement, StatementKind, Target};
use crate::syntax::ast::{TypeExpr, TypeExprKind};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The names that a function may look up, calls included.
#[derive(Debug)]
pub struct Footprint {
    /// Equal numbers: equal functions under equal names.
    pub number: usize,
    /// Names that are functions of the top level, which the number stands for.
    pub functions: BTreeMap<Name, Rc<Function>>,
    /// The other names.
    pub others: BTreeSet<Name>,
}

/// Footprints computed so far.
#[derive(Debug, Default)]
pub struct Footprints {
    mentioned: HashMap<*const Function, Rc<BTreeSet<Name>>>,
    known: HashMap<(Vec<*const Function>, usize), (super::state::Functions, Rc<Footprint>)>,
    numbers: HashMap<Vec<(Name, *const Function)>, usize>,
}

impl Footprints {
    /// The footprint of a call whose function, and functions among the arguments, are `roots`.
    pub fn of(&mut self, roots: &[Rc<Function>], state: &State) -> Rc<Footprint> {
        let key = (roots.iter().map(Rc::as_ptr).collect::<Vec<_>>(), state.functions().number());
        if let Some((_, known)) = self.known.get(&key) {
            return known.clone();
        }
        let (mut functions, mut others) = (BTreeMap::new(), BTreeSet::new());
        let mut seen: BTreeSet<*const Function> = key.0.iter().copied().collect();
        let mut open: Vec<Rc<Function>> = roots.to_vec();
        while let Some(function) = open.pop() {
            let names = self.mentioned.entry(Rc::as_ptr(&function)).or_insert_with(|| {
                let mut names = BTreeSet::new();
                of_function(&function, &mut names);
                Rc::new(names)
            });
            for name in names.iter() {
                let mut inside = Vec::new();
                if let Some(Slot::Bound { value, .. }) = state.slot(Level::Global, name) {
                    functions_in(value, &mut inside);
                    if let Value::Function(function) = value {
                        functions.insert(name.clone(), function.clone());
                    }
                }
                if !functions.contains_key(name) {
                    others.insert(name.clone());
                }
                open.extend(inside.into_iter().filter(|function| seen.insert(Rc::as_ptr(function))));
            }
        }
        let content = functions.iter().map(|(name, function)| (name.clone(), Rc::as_ptr(function))).collect();
        let next = self.numbers.len();
        let number = *self.numbers.entry(content).or_insert(next);
        let footprint = Rc::new(Footprint { number, functions, others });
        // The token is kept, so that its number is not given to another one.
        self.known.insert(key, (state.functions().clone(), footprint.clone()));
        footprint
    }
}

/// The functions in a value.
pub fn functions_in<A, H>(value: &Value<A, H>, found: &mut Vec<Rc<Function>>) {
    match value {
        Value::Function(function) => found.push(function.clone()),
        Value::Tuple(items) => items.iter().for_each(|item| functions_in(item, found)),
        Value::Record(fields) => fields.iter().for_each(|(_, item)| functions_in(item, found)),
        _ => {}
    }
}

fn of_function(function: &Function, names: &mut BTreeSet<Name>) {
    for param in &function.params {
        param.annotation.iter().for_each(|ty| of_type(ty, names));
        param.default.iter().for_each(|default| of_expr(default, names));
    }
    function.result.iter().for_each(|ty| of_type(ty, names));
    of_block(&function.body, names);
}

fn of_block(block: &Block, names: &mut BTreeSet<Name>) {
    block.statements.iter().for_each(|statement| of_statement(statement, names));
}

fn of_statement(statement: &Statement, names: &mut BTreeSet<Name>) {
    match &statement.kind {
        StatementKind::Bind { targets, annotation, value } => {
            targets.iter().for_each(|target| of_target(target, names));
            annotation.iter().for_each(|ty| of_type(ty, names));
            of_expr(value, names);
        }
        StatementKind::Augment { target, value, .. } => {
            of_target(target, names);
            of_expr(value, names);
        }
        StatementKind::Del(dropped) => names.extend(dropped.iter().map(|name| name.name.clone())),
        StatementKind::For { index, start, end, step, body } => {
            names.insert(index.name.clone());
            [Some(start), Some(end), step.as_ref()].into_iter().flatten().for_each(|bound| of_expr(bound, names));
            of_block(body, names);
        }
        StatementKind::While { condition, body } => {
            of_expr(condition, names);
            of_block(body, names);
        }
        StatementKind::If { condition, then, otherwise } => {
            of_expr(condition, names);
            of_block(then, names);
            otherwise.iter().for_each(|block| of_block(block, names));
        }
        StatementKind::Bench { label, count, body } => {
            label.iter().for_each(|label| of_expr(label, names));
            of_expr(count, names);
            of_block(body, names);
        }
        StatementKind::Assert { condition, message } => {
            of_expr(condition, names);
            message.iter().for_each(|message| of_expr(message, names));
        }
        StatementKind::Function(function) => of_function(function, names),
        StatementKind::Expr(expr) => of_expr(expr, names),
        StatementKind::Error => {}
    }
}

fn of_target(target: &Target, names: &mut BTreeSet<Name>) {
    names.insert(target.root.name.clone());
    target.index.iter().flatten().for_each(|item| of_item(item, names));
}

fn of_type(ty: &TypeExpr, names: &mut BTreeSet<Name>) {
    match &ty.kind {
        TypeExprKind::Array { dims, .. } => dims.iter().for_each(|dim| of_expr(dim, names)),
        TypeExprKind::Tuple(items) => items.iter().for_each(|item| of_type(item, names)),
        TypeExprKind::Record(fields) => fields.iter().for_each(|(_, item)| of_type(item, names)),
        TypeExprKind::Host(_) => {}
    }
}

fn of_item(item: &IndexItem, names: &mut BTreeSet<Name>) {
    match item {
        IndexItem::At(at) => of_expr(at, names),
        IndexItem::Slice { start, stop, step, .. } => {
            [start, stop, step].into_iter().flatten().for_each(|part| of_expr(part, names));
        }
        IndexItem::Ellipsis(_) | IndexItem::NewAxis(_) => {}
    }
}

fn of_expr(expr: &Expr, names: &mut BTreeSet<Name>) {
    match &expr.kind {
        ExprKind::Name(name) => {
            names.insert(name.clone());
        }
        ExprKind::Paren(e) | ExprKind::Field(e, _) | ExprKind::Unary(_, e) => of_expr(e, names),
        ExprKind::Tuple(items) | ExprKind::List(items) => items.iter().for_each(|item| of_expr(item, names)),
        ExprKind::Record(fields) => fields.iter().for_each(|(_, item)| of_expr(item, names)),
        ExprKind::Index(base, items) => {
            of_expr(base, names);
            items.iter().for_each(|item| of_item(item, names));
        }
        ExprKind::Call(callee, args) => {
            of_expr(callee, names);
            args.iter().for_each(|arg| of_expr(&arg.value, names));
        }
        ExprKind::Binary(_, a, b) => {
            of_expr(a, names);
            of_expr(b, names);
        }
        ExprKind::If(condition, then, otherwise) => {
            of_expr(condition, names);
            of_block(then, names);
            of_block(otherwise, names);
        }
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Str(_) | ExprKind::Error => {}
    }
}
