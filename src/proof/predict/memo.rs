//! Programs that were planned before, by place and signature.
//!
//! A signature is what a compiled program depends on: types, and host values that were compiled in. Invariant: what is
//! found here is what planning anew would give.

use super::evaluate::View;
use super::program::{Planned, planned};
use super::world::{Predicted, World};
use super::{Compiled, Failure, Predictor};
use crate::base::Span;
use crate::sema::elaborate::{self, Elaborated, Input, Leaf, Rejected};
use crate::sema::split::Split;
use crate::sema::value::{HostKind, HostType, Type, Value};
use crate::syntax::ast::{Expr, Function, Name, Target};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Programs kept per place; more signatures than these are planned again.
const PER_PLACE: usize = 32;

/// What was planned for one signature.
struct Known {
    arguments: Vec<Type>,
    free: Vec<(Name, Type)>,
    planned: Rc<Planned>,
}

/// A place in the text, and for `x[...] = v` whether `x` is given to the program.
type Place = (Span, Option<bool>);

/// All that was planned.
#[derive(Default)]
pub(super) struct Plans {
    known: FxHashMap<Place, Vec<Known>>,
}

/// The plan, or what is wrong with the program for these types.
type Outcome = Result<Result<Rc<Planned>, Rejected>, Failure>;

/// Whether a value has this signature.
fn fits(signature: &Type, value: &Predicted) -> bool {
    let host = |wanted: &HostType, host: &HostType| {
        wanted.kind == host.kind && (wanted.known.is_none() || wanted.known == host.known)
    };
    signature.agrees(value, &|ty, array| *ty == array.ty, &host)
}

/// The type of a value without host values that no `demanded` path names.
fn signature(value: &Predicted, demanded: &dyn Fn(&[usize]) -> bool) -> Type {
    value.map_hosts(&mut |array| array.ty.clone(), &mut |path, host| {
        let keep = host.kind == HostKind::Str || demanded(path);
        HostType { kind: host.kind, known: host.known.clone().filter(|_| keep) }
    })
}

/// Whether the result's type says nothing that the signature does not.
fn settled(result: &Value<usize, Leaf>, ty: &Type) -> bool {
    match (result, ty) {
        (Value::Host(Leaf::Output(_)), Value::Host(host)) => host.known.is_none(),
        (Value::Tuple(a), Value::Tuple(b)) => a.iter().zip(b).all(|(a, b)| settled(a, b)),
        (Value::Record(a), Value::Record(b)) => a.iter().zip(b).all(|((_, a), (_, b))| settled(a, b)),
        _ => true,
    }
}

impl Predictor {
    fn found(&self, place: Place, arguments: &[Predicted], world: &World) -> Option<Rc<Planned>> {
        let known = self.plans.known.get(&place)?;
        let serves = |entry: &&Known| {
            entry.arguments.len() == arguments.len()
                && entry.arguments.iter().zip(arguments).all(|(signature, value)| fits(signature, value))
                && entry
                    .free
                    .iter()
                    .all(|(name, signature)| world.value(name).is_some_and(|value| fits(signature, value)))
        };
        known.iter().rev().find(serves).map(|entry| entry.planned.clone())
    }

    fn keep(
        &mut self,
        place: Place,
        arguments: &[Predicted],
        world: &World,
        elaborated: &Elaborated,
        (function, at): (Option<&Name>, Span),
    ) -> Result<Rc<Planned>, Failure> {
        let planned = Rc::new(planned(elaborated)?);
        self.programs.push(Compiled { function: function.cloned(), at, planned: planned.clone() });
        if !settled(&elaborated.result, &elaborated.ty) {
            return Ok(planned);
        }
        let is_demanded = |wanted: &Input| {
            elaborated.demanded.iter().any(|&at| elaborated.inputs.get(at).is_some_and(|input| input == wanted))
        };
        let arguments = arguments.iter().enumerate().map(|(index, value)| {
            let demanded = |path: &[usize]| is_demanded(&Input::Argument { index, path: path.to_vec() });
            signature(value, &demanded)
        });
        let mut free: Vec<(Name, Type)> = Vec::new();
        for input in &elaborated.inputs {
            let Input::Free { name, .. } = input else { continue };
            let (Some(value), false) = (world.value(name), free.iter().any(|(known, _)| known == name)) else {
                continue;
            };
            let demanded = |path: &[usize]| is_demanded(&Input::Free { name: name.clone(), path: path.to_vec() });
            free.push((name.clone(), signature(value, &demanded)));
        }
        let known = Known { arguments: arguments.collect(), free, planned: planned.clone() };
        let entries = self.plans.known.entry(place).or_default();
        if entries.len() == PER_PLACE {
            entries.remove(0);
        }
        entries.push(known);
        Ok(planned)
    }

    /// The program of what remains of an expression.
    pub(super) fn planned_expression(&mut self, split: &Split, world: &World) -> Outcome {
        let place = (split.rest.span, None);
        if let Some(planned) = self.found(place, &[], world) {
            return Ok(Ok(planned));
        }
        match elaborate::expression(&View(world), &split.rest) {
            Ok(elaborated) => self.keep(place, &[], world, &elaborated, (None, split.rest.span)).map(Ok),
            Err(rejected) => Ok(Err(rejected)),
        }
    }

    /// The program of `x[...] = e`.
    pub(super) fn planned_assignment(&mut self, target: &Target, value: &Expr, alone: bool, world: &World) -> Outcome {
        let place = (target.span, Some(alone));
        if let Some(planned) = self.found(place, &[], world) {
            return Ok(Ok(planned));
        }
        match elaborate::assignment(&View(world), target, value, alone) {
            Ok(elaborated) => self.keep(place, &[], world, &elaborated, (None, target.span)).map(Ok),
            Err(rejected) => Ok(Err(rejected)),
        }
    }

    /// The program of a `jit` for these arguments.
    pub(super) fn planned_call(
        &mut self,
        function: &Rc<Function>,
        arguments: &[Predicted],
        at: Span,
        world: &World,
    ) -> Outcome {
        let place = (function.span, None);
        if let Some(planned) = self.found(place, arguments, world) {
            return Ok(Ok(planned));
        }
        let types: Vec<Type> = arguments.iter().map(super::evaluate::type_of).collect();
        match elaborate::call(&View(world), function, &types, at) {
            Ok(elaborated) => self.keep(place, arguments, world, &elaborated, (Some(&function.name.name), at)).map(Ok),
            Err(rejected) => Ok(Err(rejected)),
        }
    }

    /// A function was defined anew: what a name means may have changed.
    pub(super) fn forget(&mut self) {
        self.plans.known.clear();
        self.splits.clear();
    }
}
