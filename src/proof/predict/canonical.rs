//! Worlds that differ in nothing but numbers that nobody sees are one world.
//!
//! The key of a world lists what names mean and what the cache holds, with handles, buffers and unknown sizes numbered
//! in the order in which they occur. Invariant: two worlds of one key go on alike, up to these numbers.

use super::world::{Array, Handle, Predicted, Slot, World};
use crate::base::{Size, Symbol};
use crate::ledger::BufferId;
use crate::sema::value::{HostType, Known, Value};
use std::collections::HashMap;
use std::fmt::Write;

/// Numbers in the order of first occurrence.
#[derive(Default)]
struct Numbers {
    handles: HashMap<Handle, usize>,
    buffers: HashMap<BufferId, usize>,
    symbols: HashMap<Symbol, usize>,
    text: String,
}

impl Numbers {
    fn size(&mut self, size: &Size) {
        if let Size::Known(n) = size {
            let _ = write!(self.text, "{n},");
            return;
        }
        for symbol in size.symbols() {
            let next = self.symbols.len();
            self.symbols.entry(symbol).or_insert(next);
        }
        let numbered = |symbol: &Symbol| {
            let at = self.symbols.get(symbol)?;
            Some(Size::symbol(Symbol::new(&format!("${at}"))))
        };
        match size.substitute(&numbered) {
            Some(size) => _ = write!(self.text, "{size},"),
            None => _ = write!(self.text, "{size},"),
        }
    }

    fn handle(&mut self, world: &World, handle: Handle) {
        let next = self.handles.len();
        let at = *self.handles.entry(handle).or_insert(next);
        let target = world.target(handle);
        if let Some(target) = target.filter(|target| target.live) {
            let next = self.buffers.len();
            let buffer = *self.buffers.entry(target.buffer).or_insert(next);
            let _ = write!(self.text, "#{at}/{buffer} ");
        } else {
            let _ = write!(self.text, "#{at}/dead ");
        }
    }

    fn array(&mut self, world: &World, array: &Array) {
        self.handle(world, array.handle);
        let _ = write!(self.text, "{}[", array.ty.dtype);
        array.ty.shape.0.iter().for_each(|extent| self.size(extent));
        self.text.push(']');
    }

    fn host(&mut self, host: &HostType) {
        let _ = write!(self.text, "{}=", host.kind.name());
        match &host.known {
            Some(Known::Int(size)) => self.size(size),
            Some(Known::Float(x)) => _ = write!(self.text, "{:x}", x.to_bits()),
            other => _ = write!(self.text, "{other:?}"),
        }
    }

    fn value(&mut self, world: &World, value: &Predicted) {
        match value {
            Value::Array(array) => self.array(world, array),
            Value::Host(host) => self.host(host),
            Value::Tuple(items) => {
                self.text.push('(');
                for item in items {
                    self.value(world, item);
                    self.text.push(',');
                }
                self.text.push(')');
            }
            Value::Record(fields) => {
                self.text.push('{');
                for (name, item) in fields {
                    let _ = write!(self.text, "{name}:");
                    self.value(world, item);
                    self.text.push(',');
                }
                self.text.push('}');
            }
            Value::DType(dtype) => _ = write!(self.text, "{dtype}"),
            Value::Function(function) => _ = write!(self.text, "fn {:?}", function.span),
            Value::Builtin(name) => _ = write!(self.text, "builtin {name}"),
            Value::Unit => self.text.push_str("unit"),
        }
    }
}

/// What a world is, but for names that `ignored` lists (with their scope).
#[must_use]
pub fn key(world: &World, ignored: &[(u32, crate::syntax::ast::Name)]) -> String {
    let mut numbers = Numbers::default();
    for (name, slot) in &world.names {
        if ignored.contains(name) {
            continue;
        }
        let _ = write!(numbers.text, "{} {}: ", name.0, name.1);
        match slot {
            Slot::Bound(value) => numbers.value(world, value),
            Slot::Gone(_) => numbers.text.push_str("gone"),
        }
        numbers.text.push(';');
    }
    for value in &world.stack {
        numbers.text.push('|');
        numbers.value(world, value);
    }
    // Entries in an order that does not depend on the numbers of this world.
    let mut entries: Vec<String> = Vec::with_capacity(world.cache.len());
    for entry in &world.cache {
        let start = numbers.text.len();
        let _ = write!(numbers.text, "cache {:?}: ", entry.function);
        for handle in entry.originals.keys() {
            numbers.handle(world, *handle);
            if let Some(target) = world.target(*handle) {
                numbers.size(&target.bytes);
            }
        }
        entries.push(numbers.text.split_off(start));
    }
    entries.sort();
    numbers.text.push_str(&entries.concat());
    numbers.text
}
