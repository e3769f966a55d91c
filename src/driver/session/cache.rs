//! Compiled programs by signature, and the arrays that they hold.
//!
//! A signature is the shapes and dtypes of the arrays, the kinds of the host values, the host values that shapes
//! depend on, and the identity of captured arrays. Invariants: every captured array is held twice in the ledger, the
//! original and one constant copy that all programs share; what a program means never depends on what is cached.

use super::{Live, Session};
use crate::base::{Broken, DType, Span};
use crate::driver::failure::{Failure, Outcome};
use crate::ir::array::ParamKind;
use crate::ledger::{BufferId, Holder};
use crate::proof::evaluate::inputs_read;
use crate::runtime::Array;
use crate::runtime::execute::{Argument, Compiled, Failure as RunFailure};
use crate::sema::elaborate::{Elaborated, Input, Leaf};
use crate::sema::value::{HostKind, Scalar, Value};
use crate::syntax::ast::Name;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What an array leaf must be, or a host leaf.
pub type Signature = Value<(DType, Rc<[u64]>), (HostKind, Option<Scalar>)>;

/// A compiled program with the signature that it was compiled for.
pub struct Prepared {
    compiled: Compiled,
    inputs: Vec<Input>,
    /// Per input: its elements are read, and not only its type.
    read: Vec<bool>,
    result: Value<usize, Leaf>,
    /// Arguments of a call, in order.
    arguments: Vec<Signature>,
    /// Free names that are read, with what they must be.
    free: Vec<(Name, Signature)>,
    /// Captured arrays, by input.
    captured: FxHashMap<usize, Capture>,
}

impl Prepared {
    /// Whether it takes over the buffer of an argument.
    pub(super) fn gives(&self) -> bool {
        let params = &self.compiled.plan.plan().params;
        params.iter().any(|param| param.kind == ParamKind::Array { donated: true })
    }
}

/// A captured array.
#[derive(Clone)]
struct Capture {
    original: Array,
    constant: Array,
}

/// The programs of one function.
#[derive(Default)]
struct Programs {
    name: Option<Name>,
    entries: Vec<Rc<Prepared>>,
}

/// All compiled programs of `jit` functions.
#[derive(Default)]
pub struct Cache {
    functions: FxHashMap<Span, Programs>,
    constants: FxHashMap<BufferId, Array>,
}

/// Whether a value has this signature.
pub fn fits(signature: &Signature, value: &Live) -> bool {
    let array =
        |(dtype, extents): &(DType, Rc<[u64]>), array: &Array| *dtype == array.dtype && **extents == *array.extents;
    let host = |(kind, demanded): &(HostKind, Option<Scalar>), scalar: &Scalar| {
        *kind == scalar.kind() && demanded.as_ref().is_none_or(|needed| same(needed, scalar))
    };
    signature.agrees(value, &array, &host)
}

/// Equal to the bit: a NaN is itself, and -0.0 is not 0.0.
fn same(a: &Scalar, b: &Scalar) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

/// The signature of a value; host leaves whose path `demanded` names keep their value.
fn signature(value: &Live, demanded: &dyn Fn(&[usize]) -> bool) -> Signature {
    value.map_hosts(&mut |array| (array.dtype, array.extents.clone()), &mut |path, scalar| {
        let keep = scalar.kind() == HostKind::Str || demanded(path);
        (scalar.kind(), keep.then(|| scalar.clone()))
    })
}

/// A host value as the eight bytes that a program takes.
fn bits(scalar: &Scalar) -> u64 {
    match scalar {
        Scalar::Int(n) => *n as u64,
        Scalar::Float(x) => x.to_bits(),
        Scalar::Bool(b) => u64::from(*b),
        Scalar::Str(_) => 0,
    }
}

impl Session {
    /// Compiles what was elaborated and records the signature; captured arrays are copied and held.
    pub(super) fn prepare(
        &mut self,
        elaborated: Elaborated,
        arguments: &[Live],
        function: Option<&Name>,
    ) -> Outcome<Prepared> {
        let compiled = crate::driver::pipeline::compile(&self.device, &elaborated.program)?;
        let mut captured = FxHashMap::default();
        for (at, (input, param)) in elaborated.inputs.iter().zip(&elaborated.program.params).enumerate() {
            if let (Input::Free { name, path }, ParamKind::Captured) = (input, param.kind) {
                let value = self.names.value(name).and_then(|value| value.at(path));
                let Some(Value::Array(original)) = value.cloned() else {
                    return Err(Broken::new("cache", "a captured leaf is an array").into());
                };
                // One copy per buffer, also when two names of it are captured at once.
                let made = captured.values().find(|capture: &&Capture| capture.original.id() == original.id());
                let constant = match made.map(|m| &m.constant).or(self.cache.constants.get(&original.id())) {
                    Some(copy) => copy.seen_as(original.dtype, original.extents.clone()),
                    None => self.device.copy(&original).map_err(|failure| stopped(failure, &compiled))?,
                };
                captured.insert(at, Capture { original, constant });
            }
        }
        // Nothing can fail from here on: the ledger and the cache change together.
        if let Some(function) = function {
            for Capture { original, constant } in captured.values() {
                self.cache.constants.entry(original.id()).or_insert_with(|| constant.clone());
                self.ledger.hold(original.id(), &original.contents(), Holder::Cache(function.clone()));
                self.ledger.hold(constant.id(), &constant.contents(), Holder::Constant(function.clone()));
            }
        }
        let is_demanded = |wanted: &Input| {
            elaborated.demanded.iter().any(|&at| elaborated.inputs.get(at).is_some_and(|input| input == wanted))
        };
        let signatures = arguments
            .iter()
            .enumerate()
            .map(|(index, value)| {
                let demanded = |path: &[usize]| is_demanded(&Input::Argument { index, path: path.to_vec() });
                signature(value, &demanded)
            })
            .collect();
        let mut free: Vec<(Name, Signature)> = Vec::new();
        for input in &elaborated.inputs {
            let Input::Free { name, .. } = input else { continue };
            if free.iter().any(|(known, _)| known == name) {
                continue;
            }
            let Some(value) = self.names.value(name) else { continue };
            let demanded = |path: &[usize]| is_demanded(&Input::Free { name: name.clone(), path: path.to_vec() });
            free.push((name.clone(), signature(value, &demanded)));
        }
        Ok(Prepared {
            compiled,
            read: inputs_read(&elaborated.program),
            inputs: elaborated.inputs,
            result: elaborated.result,
            arguments: signatures,
            free,
            captured,
        })
    }

    /// Whether a prepared program serves for these arguments and for what names mean now.
    pub(super) fn serves(&self, prepared: &Prepared, arguments: &[Live]) -> bool {
        prepared.arguments.len() == arguments.len()
            && prepared.arguments.iter().zip(arguments).all(|(signature, value)| fits(signature, value))
            && prepared
                .free
                .iter()
                .all(|(name, signature)| self.names.value(name).is_some_and(|value| fits(signature, value)))
            && prepared.captured.iter().all(|(&at, capture)| {
                let Some(Input::Free { name, path }) = prepared.inputs.get(at) else { return false };
                let now = self.names.value(name).and_then(|value| value.at(path));
                matches!(now, Some(Value::Array(array)) if array.id() == capture.original.id() && array.memory().is_some())
            })
    }

    /// Runs a prepared program.
    pub(super) fn execute(&mut self, prepared: &Prepared, arguments: &[Live]) -> Outcome<Live> {
        let mut run = Vec::with_capacity(prepared.inputs.len());
        let mut given: Vec<BufferId> = Vec::new();
        let params = &prepared.compiled.plan.plan().params;
        for (at, (input, param)) in prepared.inputs.iter().zip(params).enumerate() {
            let value = match input {
                Input::Argument { index, path } => arguments.get(*index).and_then(|value| value.at(path)),
                Input::Free { name, path } => self.names.value(name).and_then(|value| value.at(path)),
            };
            run.push(match (prepared.captured.get(&at), value) {
                (Some(capture), _) => Argument::Array(&capture.constant),
                (None, Some(Value::Array(array))) => {
                    if param.kind == (ParamKind::Array { donated: true }) {
                        given.push(array.id());
                        Argument::Array(array)
                    } else if prepared.read.get(at) == Some(&true) || array.memory().is_some() {
                        Argument::Array(array)
                    } else {
                        Argument::Unread
                    }
                }
                (None, Some(Value::Host(scalar))) => Argument::Scalar(bits(scalar)),
                _ => return Err(Broken::new("cache", "every input of a program is bound").into()),
            });
        }
        let outputs = self.device.run(&prepared.compiled, &run, self.at).map_err(|f| stopped(f, &prepared.compiled))?;
        drop(run);
        for id in given {
            self.given_away(id);
        }
        prepared.result.try_map(
            &mut |&at| outputs.get(at).cloned().ok_or_else(|| Broken::new("cache", "outputs are counted").into()),
            &mut |leaf| match leaf {
                Leaf::Constant(scalar) => Ok(scalar.clone()),
                Leaf::Output(at) => {
                    let literal = outputs.get(*at).and_then(Array::item);
                    let literal = literal.ok_or_else(|| Broken::new("cache", "a host result has one element"))?;
                    Ok(match literal.dtype {
                        DType::Bool => Scalar::Bool(literal.to_bool()),
                        dtype if dtype.is_float() => Scalar::Float(literal.to_f64()),
                        _ => Scalar::Int(literal.to_i64()),
                    })
                }
            },
        )
    }

    /// The buffer was given away: no name holds it any more, and programs that captured it go with it.
    pub(super) fn given_away(&mut self, id: BufferId) {
        self.ledger.give(id);
        self.donated.insert(id);
        if self.cache.constants.contains_key(&id) {
            self.drop_programs(&|prepared| prepared.captured.values().any(|capture| capture.original.id() == id));
        }
    }

    /// A program of `function` for these arguments, compiled before.
    pub(super) fn cached(&self, function: Span, arguments: &[Live]) -> Option<Rc<Prepared>> {
        let programs = self.cache.functions.get(&function)?;
        programs.entries.iter().rev().find(|entry| self.serves(entry, arguments)).cloned()
    }

    /// Keeps a program of `function`.
    pub(super) fn keep(&mut self, function: Span, name: &Name, prepared: Rc<Prepared>) {
        let programs = self.cache.functions.entry(function).or_default();
        programs.name = Some(name.clone());
        programs.entries.push(prepared);
    }

    /// Drops all compiled programs, with what they alone held.
    pub(super) fn clear_caches(&mut self) {
        self.drop_programs(&|_| true);
        self.forget_sites();
    }

    /// Drops the programs of a function that is defined anew.
    pub(super) fn drop_function(&mut self, function: Span) {
        if self.cache.functions.remove(&function).is_some() {
            self.drop_programs(&|_| false);
        }
    }

    fn drop_programs(&mut self, drop: &dyn Fn(&Prepared) -> bool) {
        for programs in self.cache.functions.values_mut() {
            programs.entries.retain(|entry| !drop(entry));
        }
        // Holders that no program justifies any more are released.
        let mut held: Vec<(BufferId, Holder)> = Vec::new();
        let mut used: Vec<BufferId> = Vec::new();
        for programs in self.cache.functions.values() {
            let Some(name) = &programs.name else { continue };
            for capture in programs.entries.iter().flat_map(|entry| entry.captured.values()) {
                used.push(capture.original.id());
                held.push((capture.original.id(), Holder::Cache(name.clone())));
                held.push((capture.constant.id(), Holder::Constant(name.clone())));
            }
        }
        let mut stale: Vec<(BufferId, Holder)> = Vec::new();
        for (id, row) in self.ledger.rows() {
            for holder in &row.holders {
                let of_cache = matches!(holder, Holder::Cache(_) | Holder::Constant(_));
                if of_cache && !held.iter().any(|(held, by)| held == id && by == holder) {
                    stale.push((*id, holder.clone()));
                }
            }
        }
        for (id, holder) in stale {
            self.ledger.release(id, &holder);
        }
        self.cache.constants.retain(|id, _| used.contains(id));
        self.cache.functions.retain(|_, programs| !programs.entries.is_empty());
    }
}

fn stopped(failure: RunFailure, compiled: &Compiled) -> Failure {
    match failure {
        RunFailure::Stop(stop) => Failure::from_stop(stop, compiled.plan.plan()),
        RunFailure::Unavailable(unavailable) => Failure::Unavailable(unavailable),
    }
}
