//! Calls in worlds: a `jit` is one program, a `fn` its statements in a scope of its own.

use super::evaluate::{Outcome, type_of};
use super::program::{Planned, bytes};
use super::world::{Array, Predicted, World};
use super::{Failure, Predictor};
use crate::base::{Broken, Size, Span};
use crate::ir::array::ParamKind;
use crate::ir::plan::OutputSource;
use crate::ledger::Amount;
use crate::sema::elaborate::{self, bind::Given};
use crate::sema::value::{Columns, HostKind, HostType, Known, Type, Value};
use crate::syntax::ast::{Arg, Expr, ExprKind, Function, FunctionKind, Ident, Name};
use std::rc::Rc;

/// Arguments of a call as written: keyword and place.
type Written<'a> = [(Option<&'a Ident>, Span)];

fn written(args: &[Arg]) -> Vec<(Option<&Ident>, Span)> {
    args.iter().map(|arg| (arg.name.as_ref(), arg.value.span)).collect()
}

impl Predictor {
    /// A call that runs by itself; its value is pushed.
    pub(super) fn call(&mut self, callee: &Expr, args: &[Arg], at: Span, world: World) -> Outcome {
        let ExprKind::Name(name) = &callee.kind else { return Ok(Vec::new()) };
        let mut after = Vec::new();
        if name.as_ref() == "memory" && !matches!(world.value(name), Some(Value::Function(_))) {
            let rest = args.get(1..).unwrap_or_default();
            for world in self.arguments(rest, world)? {
                after.extend(self.memory(args, at, world)?);
            }
            return Ok(after);
        }
        let function = match world.value(name) {
            Some(Value::Function(function)) => Some(function.clone()),
            _ => None,
        };
        for mut world in self.arguments(args, world)? {
            if let Some(function) = &function {
                for mut world in self.call_function(function, &written(args), at, world)? {
                    world.drop_under(1, args.len());
                    after.push(world);
                }
            } else if name.as_ref() == "map" {
                let base = world.stack.len().saturating_sub(args.len());
                let mut values = world.stack.get(base..).unwrap_or_default().to_vec();
                let first = if values.is_empty() { Value::Unit } else { values.remove(0) };
                let Value::Function(mapped) = first else { continue };
                for mut world in self.map(&mapped, &values, at, world)? {
                    world.drop_under(1, args.len());
                    after.push(world);
                }
            } else {
                self.instrument(name, args.len(), at, &mut world);
                world.drop_under(1, args.len());
                after.push(world);
            }
        }
        Ok(after)
    }

    /// Calls a function; its arguments are the latest values and stay where they are, its result is pushed.
    fn call_function(&mut self, function: &Rc<Function>, args: &Written<'_>, at: Span, world: World) -> Outcome {
        let bound = match elaborate::bind::bind_arguments(function, args, at) {
            Ok(bound) => bound,
            Err(_) => return Ok(Vec::new()),
        };
        let base = world.stack.len().saturating_sub(args.len());
        let mut worlds = vec![world];
        for (given, param) in bound.into_iter().zip(&function.params) {
            match (given, &param.default) {
                (Given::Argument(k), _) => {
                    for world in &mut worlds {
                        let value = world.stack.get(base + k).cloned().unwrap_or(Value::Unit);
                        world.push(value);
                    }
                }
                (Given::Default, Some(default)) => worlds = self.evaluate_all(default, worlds)?,
                (Given::Default, None) => return Ok(Vec::new()),
            }
        }
        let mut after = Vec::with_capacity(worlds.len());
        for world in worlds {
            after.extend(match function.kind {
                FunctionKind::Jit => self.call_jit(function, at, world)?,
                FunctionKind::Fn => self.call_fn(function, at, world)?,
            });
        }
        Ok(after)
    }

    /// The latest values, one per parameter, become the result.
    fn call_jit(&mut self, function: &Rc<Function>, at: Span, mut world: World) -> Outcome {
        let count = function.params.len();
        let base = world.stack.len().saturating_sub(count);
        let values: Vec<Predicted> = world.stack.get(base..).unwrap_or_default().to_vec();
        // The names of the call under way are not seen: a `jit` reads those of the top level.
        world.calls.push(Name::from(""));
        let planned = match self.planned_call(function, &values, at, &world)? {
            Ok(planned) => planned,
            Err(rejected) => {
                self.ended(&world, rejected);
                return Ok(Vec::new());
            }
        };
        self.capture(function, &planned, &mut world, at);
        self.explain_call(function, &planned, at);
        self.execute(&planned, &values, &mut world, at)?;
        world.calls.pop();
        world.drop_under(1, count);
        Ok(vec![world])
    }

    /// Likewise.
    fn call_fn(&mut self, function: &Rc<Function>, at: Span, mut world: World) -> Outcome {
        let count = function.params.len();
        let base = world.stack.len().saturating_sub(count);
        if world.calls.len() > super::DEEPEST_CALL {
            return Err(Failure::Stopped("calls are nested too deeply"));
        }
        let values: Vec<Predicted> = world.stack.drain(base..).collect();
        let types: Vec<Type> = values.iter().map(type_of).collect();
        let Ok(dims) = elaborate::bind::dims(function, &types, at) else { return Ok(Vec::new()) };
        let mut owned = Vec::with_capacity(count);
        for (param, value) in function.params.iter().zip(values) {
            owned.push(if param.donate { self.take_over(&value, &mut world)? } else { value });
        }
        world.calls.push(function.name.name.clone());
        for (name, size) in dims {
            world.bind(&name, Value::Host(HostType { kind: HostKind::Int, known: Some(Known::Int(size)) }));
        }
        for (param, value) in function.params.iter().zip(owned) {
            // The value is held by the call already.
            world.stack.push(value);
            world.bind_top(&param.name.name);
        }
        let mut after = self.value_of(&function.body, world)?;
        after.iter_mut().for_each(World::leave);
        Ok(super::statement::merged(after, &[]))
    }

    /// The same buffers under new handles; all older handles lose them.
    fn take_over(&mut self, value: &Predicted, world: &mut World) -> Result<Predicted, Failure> {
        let taken = value.try_map(
            &mut |array: &Array| {
                let given = world.take(array.handle);
                let (id, bytes) = given.ok_or(Failure::Broken(Broken::new("predict", "no buffer is given twice")))?;
                self.given_away(world, id);
                Ok::<_, Failure>(Array { handle: world.handle(id, bytes), ty: array.ty.clone() })
            },
            &mut |host| Ok(host.clone()),
        )?;
        world.keep(&taken);
        world.discard(value);
        Ok(taken)
    }

    /// `map(f, t, ...)`: `f` of the leaves of trees of one structure; the tree of results is pushed.
    fn map(&mut self, function: &Rc<Function>, trees: &[Predicted], at: Span, world: World) -> Outcome {
        let trees: Vec<&Predicted> = trees.iter().collect();
        let parts: Vec<Vec<Predicted>> = match Value::columns(&trees) {
            Columns::Parts(columns) => {
                columns.into_iter().map(|column| column.into_iter().cloned().collect()).collect()
            }
            Columns::Differ => return Ok(Vec::new()),
            Columns::Leaves => {
                let mut world = world;
                trees.iter().for_each(|&leaf| world.push(leaf.clone()));
                let args: Vec<(Option<&Ident>, Span)> = trees.iter().map(|_| (None, at)).collect();
                let mut after = self.call_function(function, &args, at, world)?;
                after.iter_mut().for_each(|world| world.drop_under(1, trees.len()));
                return Ok(after);
            }
        };
        let count = parts.len();
        let mut worlds = vec![world];
        for leaves in &parts {
            let mut after = Vec::new();
            for world in worlds {
                after.extend(self.map(function, leaves, at, world)?);
            }
            worlds = after;
        }
        for world in &mut worlds {
            let base = world.stack.len().saturating_sub(count);
            let results: Vec<Predicted> = world.stack.drain(base..).collect();
            // What held the results one by one now is in one value.
            world.stack.push(trees.first().map_or(Value::Unit, |first| first.with_parts(results)));
        }
        Ok(worlds)
    }

    /// `memory(f, args...)`; the arguments are the latest values.
    fn memory(&mut self, args: &[Arg], at: Span, world: World) -> Outcome {
        let Some((first, rest)) = args.split_first() else { return Ok(Vec::new()) };
        let ExprKind::Name(name) = &first.value.kind else { return Ok(Vec::new()) };
        let Some(Value::Function(function)) = world.value(name).cloned() else { return Ok(Vec::new()) };
        let Ok(bound) = elaborate::bind::bind_arguments(&function, &written(rest), at) else { return Ok(Vec::new()) };
        let base = world.stack.len().saturating_sub(rest.len());
        let mut worlds = vec![world];
        for (given, param) in bound.into_iter().zip(&function.params) {
            match (given, &param.default) {
                (Given::Argument(k), _) => worlds.iter_mut().for_each(|world| {
                    let value = world.stack.get(base + k).cloned().unwrap_or(Value::Unit);
                    world.push(value);
                }),
                (Given::Default, Some(default)) => worlds = self.evaluate_all(default, worlds)?,
                (Given::Default, None) => return Ok(Vec::new()),
            }
        }
        let mut after = Vec::with_capacity(worlds.len());
        for mut inner in worlds {
            let values = inner.stack.get(base + rest.len()..).unwrap_or_default().to_vec();
            inner.calls.push(Name::from(""));
            let planned = self.planned_call(&function, &values, at, &inner)?;
            inner.calls.pop();
            let planned = match planned {
                Ok(planned) => planned,
                Err(rejected) => {
                    self.ended(&inner, rejected);
                    return Ok(Vec::new());
                }
            };
            inner.push(figures(&planned));
            inner.drop_under(1, values.len() + rest.len());
            after.push(inner);
        }
        Ok(after)
    }
}

/// What a program needs, as `memory` returns it; the size of machine code depends on the machine.
fn figures(planned: &Planned) -> Predicted {
    let sum = |sizes: &mut dyn Iterator<Item = Size>| sizes.fold(Size::Known(0), |sum, size| sum.plus(&size));
    let params = || planned.params.iter().zip(&planned.kinds);
    let argument = params().filter(|(_, kind)| matches!(kind, ParamKind::Array { .. })).map(|(ty, _)| bytes(ty));
    let constant = params().filter(|(_, kind)| **kind == ParamKind::Captured).map(|(ty, _)| bytes(ty));
    let own = planned.outputs.iter().filter(|output| !matches!(output.source, OutputSource::Same(_)));
    let in_argument = |source| matches!(source, OutputSource::InPlace(_) | OutputSource::Shared(_));
    let aliased = planned.outputs.iter().filter(|output| in_argument(output.source));
    let rows = [
        ("argument", Some(sum(&mut argument.into_iter()))),
        ("output", Some(sum(&mut own.map(|output| bytes(&output.ty))))),
        ("aliased", Some(sum(&mut aliased.map(|output| bytes(&output.ty))))),
        ("temporary", planned.exact.then(|| planned.arena.clone())),
        ("constant", Some(sum(&mut constant.into_iter()))),
        ("code", None),
    ];
    let field = |(name, size): (&str, Option<Size>)| {
        (Name::from(name), Value::Host(HostType { kind: HostKind::Int, known: size.map(Known::Int) }))
    };
    Value::Record(rows.map(field).to_vec())
}
