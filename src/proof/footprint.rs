//! What a function can look at outside itself: every name that it mentions, and what the functions among them mention.
//!
//! Names are collected without regard to what is local, so a footprint may be too large but never too small:
//! Invariant: two calls of a function that find the same under all names of its footprint find the same everywhere.

use super::state::{Level, Slot, State};
use crate::sema::value::Value;
use crate::syntax::ast::{Block, Expr, ExprKind, Function, IndexItem, Name, Statement, StatementKind, Target};
use crate::syntax::ast::{TypeExpr, TypeExprKind};
use imbl::{OrdMap, OrdSet};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// The names that a function may look up, calls included.
#[derive(Clone, Debug)]
pub struct Footprint {
    /// Equal numbers: equal functions under equal names.
    pub number: usize,
    /// Names that are functions of the top level, which the number stands for.
    pub functions: OrdMap<Name, *const Function>,
    /// The other names.
    pub others: OrdSet<Name>,
}

/// What decides a footprint's number: names with the functions that they mean, and the numbers of those functions.
type Content = (Vec<(Name, *const Function)>, Vec<usize>);

/// Footprints computed so far.
#[derive(Debug, Default)]
pub struct Footprints {
    mentioned: HashMap<*const Function, Rc<BTreeSet<Name>>>,
    numbers: HashMap<Content, usize>,
}

/// What the names in one body mean.
#[derive(Default)]
struct Direct {
    functions: Vec<(Name, *const Function)>,
    others: Vec<Name>,
    /// The functions among them, those inside tuples and records included.
    callees: Vec<Rc<Function>>,
}

impl Footprints {
    /// The footprint of a call whose function, and functions among the arguments, are `roots`.
    pub fn of(&mut self, roots: &[Rc<Function>], state: &mut State) -> Rc<Footprint> {
        if let [root] = roots {
            return self.of_one(root, state);
        }
        let parts: Vec<Rc<Footprint>> = roots.iter().map(|root| self.of_one(root, state)).collect();
        Rc::new(self.united(Direct::default(), &parts))
    }

    /// Callees first, without recursion: chains of calls may be long.
    fn of_one(&mut self, root: &Rc<Function>, state: &mut State) -> Rc<Footprint> {
        let mut open = vec![(root.clone(), false)];
        let mut entered: HashSet<*const Function> = HashSet::new();
        while let Some((function, callees_done)) = open.pop() {
            let address = Rc::as_ptr(&function);
            if state.footprint(address).is_some() {
                continue;
            }
            let direct = self.direct(&function, state);
            if !callees_done {
                if entered.insert(address) {
                    open.push((function, true));
                    open.extend(direct.callees.into_iter().map(|callee| (callee, false)));
                }
                continue;
            }
            let known = |callee: &Rc<Function>| state.footprint(Rc::as_ptr(callee)).cloned();
            let footprint = match direct.callees.iter().map(known).collect::<Option<Vec<_>>>() {
                Some(parts) => self.united(direct, &parts),
                // It calls itself, by way of others.
                None => self.around_a_circle(&function, state),
            };
            let names = self.names(&function);
            state.keep_footprint(address, &names, Rc::new(footprint));
        }
        match state.footprint(Rc::as_ptr(root)) {
            Some(known) => known.clone(),
            None => Rc::new(self.around_a_circle(root, state)),
        }
    }

    /// The names that a function mentions itself.
    fn names(&mut self, function: &Rc<Function>) -> Rc<BTreeSet<Name>> {
        let names = self.mentioned.entry(Rc::as_ptr(function)).or_insert_with(|| {
            let mut names = BTreeSet::new();
            of_function(function, &mut names);
            Rc::new(names)
        });
        names.clone()
    }

    fn direct(&mut self, function: &Rc<Function>, state: &State) -> Direct {
        let names = self.names(function);
        let mut direct = Direct::default();
        for name in names.iter() {
            match state.slot(Level::Global, name) {
                Some(Slot::Bound { value: Value::Function(function), .. }) => {
                    direct.functions.push((name.clone(), Rc::as_ptr(function)));
                    direct.callees.push(function.clone());
                }
                Some(Slot::Bound { value, .. }) => {
                    functions_in(value, &mut direct.callees);
                    direct.others.push(name.clone());
                }
                _ => direct.others.push(name.clone()),
            }
        }
        direct
    }

    fn united(&mut self, direct: Direct, parts: &[Rc<Footprint>]) -> Footprint {
        let largest = parts.iter().max_by_key(|part| part.functions.len() + part.others.len());
        let (mut functions, mut others) =
            largest.map(|part| (part.functions.clone(), part.others.clone())).unwrap_or_default();
        for part in parts {
            if !part.functions.ptr_eq(&functions) {
                functions.extend(part.functions.iter().map(|(name, function)| (name.clone(), *function)));
            }
            others.extend(part.others.iter().cloned());
        }
        functions.extend(direct.functions.iter().cloned());
        others.extend(direct.others);
        let next = self.numbers.len();
        let content = (direct.functions, parts.iter().map(|part| part.number).collect());
        Footprint { number: *self.numbers.entry(content).or_insert(next), functions, others }
    }

    /// The footprint of a function that can reach itself: everything reachable, gone through once.
    fn around_a_circle(&mut self, root: &Rc<Function>, state: &State) -> Footprint {
        let mut all = Direct::default();
        let mut seen: HashSet<*const Function> = HashSet::from([Rc::as_ptr(root)]);
        let mut open = vec![root.clone()];
        while let Some(function) = open.pop() {
            let direct = self.direct(&function, state);
            all.functions.extend(direct.functions);
            all.others.extend(direct.others);
            open.extend(direct.callees.into_iter().filter(|callee| seen.insert(Rc::as_ptr(callee))));
        }
        all.functions.sort();
        all.functions.dedup();
        self.united(all, &[])
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
