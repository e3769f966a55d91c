//! Expressions in worlds: every world that goes in comes out with the value pushed, in as many copies as unknown
//! conditions ask for.

use super::run::drop_programs;
use super::world::{Array, Predicted, Slot, World};
use super::{Failure, Predictor};
use crate::base::{DType, Size, Span, Symbol};
use crate::proof::walk::host_type;
use crate::sema::elaborate::{self, Binding, Rejected, Scope};
use crate::sema::split::{Split, Splitter};
use crate::sema::value::{HostKind, HostType, Known, Scalar, Type, Value};
use crate::syntax::ast::{Arg, BinaryOp, Block, Expr, ExprKind, Name, StatementKind};
use std::rc::Rc;

/// Worlds, or why the prediction stops.
pub(super) type Outcome = Result<Vec<World>, Failure>;

/// The names of a world, as the elaborator asks for them.
pub(super) struct View<'w>(pub(super) &'w World);

impl Scope for View<'_> {
    fn lookup(&self, name: &str) -> Option<Binding> {
        if let Some(value) = self.0.value(name) {
            return Some(match value {
                Value::Function(function) => Binding::Function(function.clone()),
                value => Binding::Value(type_of(value)),
            });
        }
        match self.0.find(name)? {
            Slot::Bound(value) => Some(Binding::Value(type_of(value))),
            Slot::Gone(at) => Some(Binding::Gone { at: *at, how: "deleted" }),
        }
    }

    fn names(&self) -> Vec<Name> {
        self.0.names.keys().map(|(_, name)| name.clone()).collect()
    }

    fn unknown_size(&self, at: Span) -> Option<Size> {
        Some(crate::proof::state::symbol("size", at))
    }
}

/// The type of a value.
#[must_use]
pub fn type_of(value: &Predicted) -> Type {
    value.map(&mut |array: &Array| array.ty.clone(), &mut |host| host.clone())
}

/// Whether a value counts as true, where that is known.
fn truth(value: &Predicted) -> Option<bool> {
    match value {
        Value::Host(HostType { known: Some(known), .. }) => match known {
            Known::Bool(b) => Some(*b),
            Known::Float(x) => Some(*x != 0.0),
            Known::Int(size) => size.constant().map(|n| n != 0),
            Known::Str(_) => None,
        },
        _ => None,
    }
}

impl Predictor {
    /// Evaluates in every world.
    pub(super) fn evaluate_all(&mut self, expr: &Expr, worlds: Vec<World>) -> Outcome {
        let mut after = Vec::with_capacity(worlds.len());
        for world in worlds {
            after.extend(self.evaluate(expr, world)?);
        }
        Ok(after)
    }

    /// Evaluates an expression; its value is pushed.
    pub(super) fn evaluate(&mut self, expr: &Expr, mut world: World) -> Outcome {
        let known = match &expr.kind {
            ExprKind::Int(n) => Some(Scalar::Int(*n)),
            ExprKind::Float(x) => Some(Scalar::Float(*x)),
            ExprKind::Bool(b) => Some(Scalar::Bool(*b)),
            ExprKind::Str(s) => Some(Scalar::Str(s.clone())),
            _ => None,
        };
        if let Some(scalar) = known {
            world.push(Value::Host(host_type(&scalar)));
            return Ok(vec![world]);
        }
        match &expr.kind {
            ExprKind::Paren(inner) => self.evaluate(inner, world),
            ExprKind::Name(_) | ExprKind::Field(..) => match field(&world, expr).cloned() {
                Some(value) => {
                    world.push(value);
                    Ok(vec![world])
                }
                None => self.program(expr, world),
            },
            ExprKind::If(condition, then, otherwise) => {
                let mut after = Vec::new();
                for (world, chosen) in self.condition(condition, world)? {
                    after.extend(self.value_of(if chosen { then } else { otherwise }, world)?);
                }
                Ok(after)
            }
            ExprKind::Call(callee, args) if splitting(&world, |s| s.runs_by_itself(callee, args)) => {
                self.call(callee, args, expr.span, world)
            }
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right)
                if splitting(&world, |s| s.has_calls(expr)) =>
            {
                self.short_circuit(expr, *op, left, right, world)
            }
            _ => self.program(expr, world),
        }
    }

    /// `a and b` around calls: the right side may not run.
    fn short_circuit(&mut self, whole: &Expr, op: BinaryOp, left: &Expr, right: &Expr, world: World) -> Outcome {
        let mut after = Vec::new();
        for world in self.evaluate(left, world)? {
            let first = world.stack.last().cloned().unwrap_or(Value::Unit);
            if !matches!(first, Value::Host(HostType { kind: HostKind::Bool, .. })) {
                // Of arrays, elementwise.
                for mut world in self.evaluate(right, world)? {
                    let place = world.stack.len();
                    let names = [("l", 2, left), ("r", 1, right)];
                    let mut sides = Vec::new();
                    for (side, back, operand) in names {
                        let name: Name = format!("%{}{side}", whole.span.start).into();
                        world.temporaries.push((name.clone(), world.frame(), place - back));
                        sides.push(Box::new(Expr { kind: ExprKind::Name(name), span: operand.span }));
                    }
                    let (Some(r), Some(l)) = (sides.pop(), sides.pop()) else { continue };
                    let both = Expr { kind: ExprKind::Binary(op, l, r), span: whole.span };
                    for mut world in self.program(&both, world)? {
                        world.temporaries.truncate(world.temporaries.len().saturating_sub(2));
                        world.drop_under(1, 2);
                        after.push(world);
                    }
                }
                continue;
            }
            let decided = op == BinaryOp::Or;
            let ways = match truth(&first) {
                Some(known) => vec![(world, known)],
                None => fork(world),
            };
            for (mut world, value) in ways {
                if value == decided {
                    world.drop_top();
                    world.push(Value::Host(host_type(&Scalar::Bool(value))));
                    after.push(world);
                } else {
                    world.drop_top();
                    after.extend(self.evaluate(right, world)?);
                }
            }
        }
        Ok(after)
    }

    /// A condition, with what it is in each world that can be.
    pub(super) fn condition(&mut self, expr: &Expr, world: World) -> Result<Vec<(World, bool)>, Failure> {
        let mut ways = Vec::new();
        for mut world in self.evaluate(expr, world)? {
            let known = world.stack.last().and_then(truth);
            world.drop_top();
            match known {
                Some(known) => ways.push((world, known)),
                None => {
                    let forked = fork(world).into_iter().map(|(mut world, value)| {
                        learn(&mut world, expr, value);
                        (world, value)
                    });
                    ways.extend(forked);
                }
            }
        }
        Ok(ways)
    }

    /// The value of a block in an expression: its last statement.
    pub(super) fn value_of(&mut self, block: &Block, world: World) -> Outcome {
        let Some((last, before)) = block.statements.split_last() else {
            let mut world = world;
            world.push(Value::Unit);
            return Ok(vec![world]);
        };
        let mut worlds = vec![world];
        for statement in before {
            worlds = self.statement(statement, worlds)?;
        }
        match &last.kind {
            StatementKind::Expr(value) => self.evaluate_all(value, worlds),
            _ => {
                let mut after = self.statement(last, worlds)?;
                after.iter_mut().for_each(|world| world.push(Value::Unit));
                Ok(after)
            }
        }
    }

    /// A general expression: what runs by itself first, then one program.
    fn program(&mut self, expr: &Expr, world: World) -> Outcome {
        let split = self.split(expr, &world);
        let steps = split.steps.len();
        let mut worlds = vec![world];
        for (name, step) in &split.steps {
            worlds = self.evaluate_all(step, worlds)?;
            for world in &mut worlds {
                let entry = (name.clone(), world.frame(), world.stack.len() - 1);
                world.temporaries.push(entry);
            }
        }
        let mut after = Vec::with_capacity(worlds.len());
        for world in worlds {
            for mut world in self.rest(&split, world)? {
                world.temporaries.truncate(world.temporaries.len().saturating_sub(steps));
                world.drop_under(1, steps);
                after.push(world);
            }
        }
        Ok(after)
    }

    fn rest(&mut self, split: &Split, mut world: World) -> Outcome {
        if let ExprKind::Name(name) = &split.rest.kind
            && let Some(value) = world.value(name).cloned()
        {
            world.push(value);
            return Ok(vec![world]);
        }
        let host_only = split.free.iter().all(|name| {
            let mut arrays = false;
            if let Some(value) = world.value(name) {
                value.each_array("", &mut |_, _| arrays = true);
            }
            !arrays
        });
        if host_only {
            // As the session does: known values are computed at once.
            match elaborate::evaluate_host(&View(&world), &split.rest) {
                Ok(value) => {
                    let value = value.try_map(&mut |_| Err(()), &mut |scalar| Ok(host_type(scalar)));
                    world.push(value.unwrap_or(Value::Unit));
                    return Ok(vec![world]);
                }
                Err(fault @ Rejected::Fault(_)) => {
                    self.ended(&world, fault);
                    return Ok(Vec::new());
                }
                Err(Rejected::Diagnostics(_)) => {}
            }
            let elaborated = match elaborate::expression(&View(&world), &split.rest) {
                Ok(elaborated) => elaborated,
                Err(rejected) => {
                    self.ended(&world, rejected);
                    return Ok(Vec::new());
                }
            };
            let mut arrays = false;
            elaborated.result.each_array("", &mut |_, _| arrays = true);
            if !arrays {
                let value = elaborated.ty.try_map(&mut |_| Err(()), &mut |host| Ok(host.clone()));
                world.push(value.unwrap_or(Value::Unit));
                return Ok(vec![world]);
            }
        }
        let planned = match self.planned_expression(split, &world)? {
            Ok(planned) => planned,
            Err(rejected) => {
                self.ended(&world, rejected);
                return Ok(Vec::new());
            }
        };
        self.execute(&planned, &[], &mut world, split.rest.span)?;
        Ok(vec![world])
    }

    /// A call of an instrument whose arguments are the latest `count` values; its value is pushed.
    pub(super) fn instrument(&mut self, name: &str, count: usize, at: Span, world: &mut World) {
        let unknown = |kind| Value::Host(HostType { kind, known: None });
        let argument = world.stack.last().filter(|_| count > 0).cloned();
        let value = match (name, argument) {
            ("live", _) => {
                let bytes = world.ledger.bytes();
                let count = Size::from(world.ledger.count() as u64);
                let int = |size| Value::Host(HostType { kind: HostKind::Int, known: Some(Known::Int(size)) });
                Value::Tuple(vec![int(count), int(bytes)])
            }
            ("clear_caches", _) => {
                drop_programs(world, &|_| true);
                Value::Unit
            }
            ("item", Some(Value::Host(host))) => Value::Host(host),
            ("item" | "int" | "float", Some(value)) => match (name, value) {
                ("int", Value::Host(host)) => match host.known {
                    Some(Known::Int(size)) => {
                        Value::Host(HostType { kind: HostKind::Int, known: Some(Known::Int(size)) })
                    }
                    Some(Known::Bool(b)) => Value::Host(host_type(&Scalar::Int(i64::from(b)))),
                    Some(Known::Float(x)) if x.is_finite() && x.abs() < 9.2e18 => {
                        Value::Host(host_type(&Scalar::Int(x as i64)))
                    }
                    _ => self.unknown_int(at, world),
                },
                ("float", Value::Host(host)) => match host.known {
                    Some(Known::Float(x)) => Value::Host(host_type(&Scalar::Float(x))),
                    Some(Known::Int(Size::Known(n))) => Value::Host(host_type(&Scalar::Float(n as f64))),
                    Some(Known::Bool(b)) => Value::Host(host_type(&Scalar::Float(f64::from(u8::from(b))))),
                    _ => unknown(HostKind::Float),
                },
                ("int", _) => self.unknown_int(at, world),
                ("float", _) => unknown(HostKind::Float),
                (_, Value::Array(array)) if array.ty.dtype == DType::Bool => unknown(HostKind::Bool),
                (_, Value::Array(array)) if array.ty.dtype.is_int() => self.unknown_int(at, world),
                _ => unknown(HostKind::Float),
            },
            _ => Value::Unit,
        };
        world.push(value);
    }

    /// An int that is known only while running: a symbol, named for what the statement binds.
    fn unknown_int(&mut self, at: Span, world: &mut World) -> Predicted {
        let name = self.target.clone().unwrap_or_else(|| format!("int@{}", at.start).into());
        let count = world.symbols.entry(name.clone()).or_insert(0);
        *count += 1;
        let name = if *count == 1 { name.to_string() } else { format!("{name}'{count}") };
        let size = Size::symbol(Symbol::new(&name));
        Value::Host(HostType { kind: HostKind::Int, known: Some(Known::Int(size)) })
    }
}

/// Both ways of a condition that is not known.
pub(super) fn fork(mut world: World) -> Vec<(World, bool)> {
    world.certain = false;
    vec![(world.clone(), true), (world, false)]
}

/// A condition that is a name: where it is taken for true, the name is.
fn learn(world: &mut World, condition: &Expr, value: bool) {
    match &condition.kind {
        ExprKind::Paren(inner) => learn(world, inner, value),
        ExprKind::Name(name) => {
            let frame = if world.names.contains_key(&(world.frame(), name.clone())) { world.frame() } else { 0 };
            let bool = |slot: &Slot| matches!(slot, Slot::Bound(Value::Host(HostType { kind: HostKind::Bool, .. })));
            if let Some(slot) = world.names.get_mut(&(frame, name.clone())).filter(|slot| bool(slot)) {
                *slot = Slot::Bound(Value::Host(host_type(&Scalar::Bool(value))));
            }
        }
        _ => {}
    }
}

/// `params.w`: a name, or a field of a record that a name holds.
fn field<'w>(world: &'w World, expr: &Expr) -> Option<&'w Predicted> {
    match &expr.kind {
        ExprKind::Name(name) => world.value(name),
        ExprKind::Paren(inner) => field(world, inner),
        ExprKind::Field(base, name) => match field(world, base)? {
            Value::Record(fields) => fields.iter().find(|(other, _)| *other == name.name).map(|(_, value)| value),
            _ => None,
        },
        _ => None,
    }
}

/// Splits with what names mean in this world.
pub(super) fn splitting<T>(world: &World, with: impl FnOnce(Splitter<'_>) -> T) -> T {
    let is_function = |name: &str| matches!(world.value(name), Some(Value::Function(_)));
    with(Splitter { is_function: &is_function })
}

impl Predictor {
    /// The split form of an expression, kept until a function is defined anew.
    fn split(&mut self, expr: &Expr, world: &World) -> Rc<Split> {
        if let Some(split) = self.splits.get(&expr.span) {
            return split.clone();
        }
        let split = Rc::new(splitting(world, |splitter| splitter.expression(expr)));
        self.splits.insert(expr.span, split.clone());
        split
    }

    /// Evaluates arguments left to right.
    pub(super) fn arguments(&mut self, args: &[Arg], world: World) -> Outcome {
        let mut worlds = vec![world];
        for arg in args {
            worlds = self.evaluate_all(&arg.value, worlds)?;
        }
        Ok(worlds)
    }
}
