//! Running a planned program in a world: what is allocated, taken over, released.

use super::program::{Planned, bytes};
use super::world::{Array, Entry, Predicted, World};
use super::{Failure, Predictor};
use crate::base::{Broken, Size, Span};
use crate::ir::array::ParamKind;
use crate::ir::plan::OutputSource;
use crate::ledger::{Amount, BufferId, Holder};
use crate::sema::elaborate::{Input, Leaf};
use crate::sema::value::{HostType, Type, Value};
use crate::syntax::ast::{Function, Name};
use std::collections::{BTreeMap, BTreeSet};

/// The array that an input of a program is, among these arguments and what names mean.
#[must_use]
pub fn input<'w>(world: &'w World, arguments: &'w [Predicted], input: &Input) -> Option<&'w Array> {
    let value = match input {
        Input::Argument { index, path } => arguments.get(*index).and_then(|value| value.at(path)),
        Input::Free { name, path } => world.value(name).and_then(|value| value.at(path)),
    };
    match value {
        Some(Value::Array(array)) => Some(array),
        _ => None,
    }
}

/// The result of a program whose outputs are these arrays.
fn assemble(result: &Value<usize, Leaf>, ty: &Type, outputs: &[Array]) -> Option<Predicted> {
    Some(match (result, ty) {
        (Value::Array(at), Value::Array(ty)) => {
            Value::Array(Array { handle: outputs.get(*at)?.handle, ty: ty.clone() })
        }
        (Value::Host(Leaf::Constant(scalar)), _) => Value::Host(crate::proof::walk::host_type(scalar)),
        (Value::Host(Leaf::Output(_)), Value::Host(host)) => Value::Host(host.clone()),
        (Value::Tuple(items), Value::Tuple(types)) => {
            let items = items.iter().zip(types).map(|(item, ty)| assemble(item, ty, outputs));
            Value::Tuple(items.collect::<Option<_>>()?)
        }
        (Value::Record(fields), Value::Record(types)) => {
            let fields = fields.iter().zip(types);
            let fields = fields.map(|((name, item), (_, ty))| Some((name.clone(), assemble(item, ty, outputs)?)));
            Value::Record(fields.collect::<Option<_>>()?)
        }
        (_, other) => other.try_map(&mut |_| Err(()), &mut |host: &HostType| Ok(host.clone())).ok()?,
    })
}

fn broken(invariant: &'static str) -> Failure {
    Failure::Broken(Broken::new("predict", invariant))
}

impl Predictor {
    /// Runs a program once; its result is pushed.
    pub(super) fn execute(
        &mut self,
        planned: &Planned,
        arguments: &[Predicted],
        world: &mut World,
        at: Span,
    ) -> Result<(), Failure> {
        let fresh = planned.fresh.iter().fold(Size::Known(0), |sum, bytes| sum.plus(bytes));
        world.high(&fresh, &planned.arena, self.statement, at);
        world.exact &= planned.exact;
        let arrays: Vec<Option<Array>> =
            planned.inputs.iter().map(|wanted| input(world, arguments, wanted).cloned()).collect();
        let mut given: Vec<Option<(BufferId, Size)>> = Vec::with_capacity(arrays.len());
        for (array, kind) in arrays.iter().zip(&planned.kinds) {
            given.push(match (array, kind) {
                (Some(array), ParamKind::Array { donated: true }) => {
                    Some(world.take(array.handle).ok_or_else(|| broken("no buffer is given twice"))?)
                }
                _ => None,
            });
        }
        let mut kept: BTreeSet<usize> = BTreeSet::new();
        let mut outputs: Vec<Array> = Vec::with_capacity(planned.outputs.len());
        for output in &planned.outputs {
            let handle = match output.source {
                OutputSource::Fresh(k) | OutputSource::HandedOver { fresh: k, .. } => {
                    let bytes = planned.fresh.get(k).cloned().unwrap_or_default();
                    let id = world.identity();
                    world.allocated = world.allocated.plus(&bytes);
                    world.handle(id, bytes)
                }
                OutputSource::Shared(param) => {
                    let lent = arrays.get(param).and_then(Option::as_ref);
                    lent.ok_or_else(|| broken("a shared output is an argument"))?.handle
                }
                OutputSource::InPlace(param) => {
                    let (id, bytes) = given.get(param).cloned().flatten().ok_or_else(|| broken("a gift is there"))?;
                    kept.insert(param);
                    world.handle(id, bytes)
                }
                OutputSource::Same(earlier) => {
                    outputs.get(earlier).ok_or_else(|| broken("outputs share earlier ones"))?.handle
                }
            };
            outputs.push(Array { handle, ty: output.ty.clone() });
        }
        let produced: Vec<Predicted> = outputs.iter().cloned().map(Value::Array).collect();
        produced.iter().for_each(|value| world.keep(value));
        for (param, given) in given.iter().enumerate() {
            let Some((id, bytes)) = given else { continue };
            if !kept.contains(&param) {
                world.allocated = world.allocated.minus(bytes);
            }
            self.given_away(world, *id);
        }
        let result = assemble(&planned.result, &planned.ty, &outputs).ok_or_else(|| broken("results have types"))?;
        world.push(result);
        produced.iter().for_each(|value| world.discard(value));
        Ok(())
    }

    /// The buffer was given away: no name holds it any more, and programs that captured it go with it.
    pub(super) fn given_away(&mut self, world: &mut World, id: BufferId) {
        world.ledger.give(id);
        world.donated.insert(id);
        if world.constants.contains_key(&id) {
            drop_programs(world, &|entry| entry.originals.values().any(|original| *original == id));
        }
    }

    /// Captured arrays are copied and held, if no program of this function captured just these before.
    pub(super) fn capture(&mut self, function: &Function, planned: &Planned, world: &mut World, at: Span) {
        let mut originals: BTreeMap<crate::proof::predict::world::Handle, BufferId> = BTreeMap::new();
        let mut arrays: Vec<Array> = Vec::new();
        for (wanted, kind) in planned.inputs.iter().zip(&planned.kinds) {
            if let (ParamKind::Captured, Some(array)) = (kind, input(world, &[], wanted).cloned()) {
                let Some(target) = world.target(array.handle) else { continue };
                if originals.insert(array.handle, target.buffer).is_none() {
                    arrays.push(array);
                }
            }
        }
        let name: Name = function.name.name.clone();
        let entry = Entry { function: function.span, name: name.clone(), originals };
        if arrays.is_empty() || world.cache.contains(&entry) {
            return;
        }
        for array in arrays {
            let Some(id) = entry.originals.get(&array.handle).copied() else { continue };
            let constant = match world.constants.get(&id) {
                Some(constant) => constant.clone(),
                None => {
                    let bytes = bytes(&array.ty);
                    world.high(&bytes, &Size::Known(0), self.statement, at);
                    world.allocated = world.allocated.plus(&bytes);
                    let identity = world.identity();
                    let constant = Array { handle: world.handle(identity, bytes), ty: array.ty.clone() };
                    world.keep(&Value::Array(constant.clone()));
                    world.constants.insert(id, constant.clone());
                    constant
                }
            };
            let contents = world.contents(&array);
            world.ledger.hold(id, &contents, Holder::Cache(name.clone()));
            if let Some(copy) = world.target(constant.handle).map(|target| target.buffer) {
                world.ledger.hold(copy, &contents, Holder::Constant(name.clone()));
            }
            world.keep(&Value::Array(array));
        }
        world.cache.insert(entry);
    }
}

/// Drops compiled programs, with what they alone held.
pub(super) fn drop_programs(world: &mut World, drop: &dyn Fn(&Entry) -> bool) {
    let (gone, left): (Vec<Entry>, Vec<Entry>) = world.cache.iter().cloned().partition(drop);
    world.cache = left.iter().cloned().collect();
    let still = |id: BufferId, name: &Name| {
        left.iter().any(|entry| entry.name == *name && entry.originals.values().any(|original| *original == id))
    };
    for entry in &gone {
        for &id in entry.originals.values().filter(|&&id| !still(id, &entry.name)) {
            world.ledger.release(id, &Holder::Cache(entry.name.clone()));
            let constant = world.constants.get(&id).and_then(|constant| world.target(constant.handle));
            if let Some(copy) = constant.map(|target| target.buffer) {
                world.ledger.release(copy, &Holder::Constant(entry.name.clone()));
            }
        }
    }
    for entry in gone {
        for (handle, id) in entry.originals {
            world.loosen(handle);
            let used = left.iter().any(|entry| entry.originals.values().any(|original| *original == id));
            if let (false, Some(constant)) = (used, world.constants.get(&id).cloned()) {
                world.constants.remove(&id);
                world.loosen(constant.handle);
            }
        }
    }
}
