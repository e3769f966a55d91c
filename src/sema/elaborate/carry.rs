//! Values that cross the border of a region, a program or a written type: their types, and conversion to a type.
//!
//! A host value that a loop or branch decides is carried as `i64[]`, `f64[]` or `bool[]`; ints and floats that meet
//! become floats, a number that meets an array becomes an array.

use super::host::union;
use super::{Elaborator, Outcome};
use crate::base::{Shape, Span};
use crate::ir::array::{self, ArrayType};
use crate::ops::promote;
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, HostType, Known, Traced, Type, Value};
use std::rc::Rc;

impl Elaborator<'_> {
    /// The type of a value. Host values are known in it where they are the same in every run.
    #[must_use]
    pub fn type_of(&self, value: &Traced) -> Type {
        self.type_with(value, &|host| host.known.clone().filter(|_| host.origins.is_empty()))
    }

    /// The type of a value. Host values are known in it as far as they are for the inputs of today.
    #[must_use]
    pub fn type_today(&self, value: &Traced) -> Type {
        self.type_with(value, &|host| host.known.clone())
    }

    fn type_with(&self, value: &Traced, known: &dyn Fn(&Host) -> Option<Known>) -> Type {
        value.map(&mut |array| self.array_type(*array), &mut |host| HostType { kind: host.kind, known: known(host) })
    }

    /// How messages name the type of a value.
    #[must_use]
    pub fn describe(&self, value: &Traced) -> String {
        type_text(&self.type_of(value))
    }

    /// The value as one of that type, which [`join`] found; `None` when it cannot be converted.
    pub fn coerce(&mut self, value: &Traced, ty: &Type, span: Span) -> Outcome<Traced> {
        self.builder.span = span;
        match (value, ty) {
            (Value::Array(x), Value::Array(ty)) => {
                let x = self.builder.cast(*x, ty.dtype);
                Ok(Value::Array(self.builder.broadcast_to(x, ty.shape.clone())))
            }
            (Value::Host(_), Value::Array(ty)) => {
                let x = self.array_of(value, ty.dtype, span)?;
                Ok(Value::Array(self.builder.broadcast_to(x, ty.shape.clone())))
            }
            (Value::Host(host), Value::Host(ty)) if ty.known.is_none() && ty.kind != HostKind::Str => {
                let runtime = self.runtime_as(host, ty.kind);
                let origins = host.origins.clone();
                Ok(Value::Host(Host { kind: ty.kind, known: None, origins, runtime: Some(runtime) }))
            }
            (Value::Tuple(items), Value::Tuple(types)) => {
                let pairs = items.iter().zip(types);
                Ok(Value::Tuple(pairs.map(|(item, ty)| self.coerce(item, ty, span)).collect::<Outcome<_>>()?))
            }
            (Value::Record(fields), Value::Record(types)) => {
                let pairs = fields.iter().zip(types);
                let coerced = pairs.map(|((name, item), (_, ty))| Ok((name.clone(), self.coerce(item, ty, span)?)));
                Ok(Value::Record(coerced.collect::<Outcome<_>>()?))
            }
            _ => Ok(value.clone()),
        }
    }
}

/// How messages name a type: `f32[n]`, `int`, `(f32[2], int)`, `{w: f32[2]}`.
#[must_use]
pub fn type_text(ty: &Type) -> String {
    match ty {
        Value::Array(ty) => ty.to_string(),
        Value::Host(host) => host.kind.name().to_owned(),
        Value::Tuple(items) => {
            let texts: Vec<String> = items.iter().map(type_text).collect();
            if texts.len() == 1 { format!("({},)", texts.concat()) } else { format!("({})", texts.join(", ")) }
        }
        Value::Record(fields) => {
            let texts: Vec<String> = fields.iter().map(|(name, ty)| format!("{name}: {}", type_text(ty))).collect();
            format!("{{{}}}", texts.join(", "))
        }
        Value::DType(dtype) => format!("the dtype {dtype}"),
        Value::Function(function) => format!("the function `{}`", function.name.name),
        Value::Builtin(name) => format!("the function `{name}`"),
        Value::Unit => "nothing".to_owned(),
    }
}

/// The type that both become where two paths meet; `None` when they disagree.
#[must_use]
pub fn join(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        (Value::Array(x), Value::Array(y)) => (x == y).then(|| a.clone()),
        (Value::Host(x), Value::Host(y)) if x == y && x.known.is_some() => Some(a.clone()),
        (Value::Host(x), Value::Host(y)) => {
            let kind = match (x.kind, y.kind) {
                (x, y) if x == y => x,
                (HostKind::Int, HostKind::Float) | (HostKind::Float, HostKind::Int) => HostKind::Float,
                _ => return None,
            };
            (kind != HostKind::Str).then_some(Value::Host(HostType { kind, known: None }))
        }
        (Value::Array(ty), Value::Host(host)) | (Value::Host(host), Value::Array(ty)) => {
            let dtype = promote::join_weak(ty.dtype, host.kind.weak()?);
            (ty.shape == Shape::default() && dtype == ty.dtype).then(|| Value::Array(ty.clone()))
        }
        (Value::Tuple(x), Value::Tuple(y)) if x.len() == y.len() => {
            Some(Value::Tuple(x.iter().zip(y).map(|(x, y)| join(x, y)).collect::<Option<_>>()?))
        }
        (Value::Record(x), Value::Record(y)) if x.len() == y.len() => {
            let pairs = x.iter().zip(y);
            let joined = pairs.map(|(x, y)| if x.0 == y.0 { Some((x.0.clone(), join(&x.1, &y.1)?)) } else { None });
            Some(Value::Record(joined.collect::<Option<_>>()?))
        }
        (Value::Function(x), Value::Function(y)) => Rc::ptr_eq(x, y).then(|| a.clone()),
        (Value::DType(_), Value::DType(_)) | (Value::Builtin(_), Value::Builtin(_)) => (a == b).then(|| a.clone()),
        (Value::Unit, Value::Unit) => Some(Value::Unit),
        _ => None,
    }
}

/// The IR values of a coerced value, left to right; host values that the type knows have none.
pub fn leaves(value: &Traced, ty: &Type, into: &mut Vec<array::Value>) {
    match (value, ty) {
        (Value::Array(x), _) => into.push(*x),
        (Value::Host(host), Value::Host(ty)) if ty.known.is_none() => into.extend(host.runtime),
        (Value::Tuple(items), Value::Tuple(types)) => {
            for (item, ty) in items.iter().zip(types) {
                leaves(item, ty, into);
            }
        }
        (Value::Record(fields), Value::Record(types)) => {
            for ((_, item), (_, ty)) in fields.iter().zip(types) {
                leaves(item, ty, into);
            }
        }
        _ => {}
    }
}

/// The types of those IR values.
pub fn leaf_types(ty: &Type, into: &mut Vec<ArrayType>) {
    match ty {
        Value::Array(ty) => into.push(ty.clone()),
        Value::Host(host) if host.known.is_none() => into.extend(host.kind.dtype().map(ArrayType::scalar)),
        Value::Tuple(items) => items.iter().for_each(|item| leaf_types(item, into)),
        Value::Record(fields) => fields.iter().for_each(|(_, item)| leaf_types(item, into)),
        _ => {}
    }
}

/// A value of that type from IR values, taken in order; `origins` are those of its host values.
pub fn rebuild(ty: &Type, values: &mut dyn Iterator<Item = array::Value>, origins: &[usize], like: &Traced) -> Traced {
    let inner = |at: usize, like: &Traced| match like {
        Value::Tuple(items) => items.get(at).cloned().unwrap_or(Value::Unit),
        Value::Record(fields) => fields.get(at).map_or(Value::Unit, |(_, item)| item.clone()),
        _ => Value::Unit,
    };
    match ty {
        Value::Array(_) => values.next().map_or(Value::Unit, Value::Array),
        Value::Host(host) if host.known.is_none() => {
            let own: &[usize] = if let Value::Host(like) = like { &like.origins } else { &[] };
            Value::Host(Host { kind: host.kind, known: None, origins: union(own, origins), runtime: values.next() })
        }
        Value::Host(host) => {
            Value::Host(Host { kind: host.kind, known: host.known.clone(), origins: Vec::new(), runtime: None })
        }
        Value::Tuple(items) => Value::Tuple(
            items.iter().enumerate().map(|(at, ty)| rebuild(ty, values, origins, &inner(at, like))).collect(),
        ),
        Value::Record(fields) => Value::Record(
            fields
                .iter()
                .enumerate()
                .map(|(at, (name, ty))| (name.clone(), rebuild(ty, values, origins, &inner(at, like))))
                .collect(),
        ),
        Value::DType(dtype) => Value::DType(*dtype),
        Value::Function(function) => Value::Function(function.clone()),
        Value::Builtin(name) => Value::Builtin(name.clone()),
        Value::Unit => Value::Unit,
    }
}

impl Elaborator<'_> {
    /// Whether the value is one truth value: its `bool[]`, or the host bool.
    pub fn condition(&mut self, value: &Traced, span: Span) -> Outcome<Host> {
        match value {
            Value::Host(host) => self.host_truth(host, span),
            Value::Array(array) => {
                let ty = self.array_type(*array);
                if ty.shape.elements().and_then(|n| n.constant()) != Some(1) {
                    return self.fail(diagnostics::no_condition(&ty.to_string(), span));
                }
                self.builder.span = span;
                let scalar = self.builder.reshape(*array, Shape::default());
                let truth = self.builder.cast(scalar, crate::base::DType::Bool);
                Ok(Host { kind: HostKind::Bool, known: None, origins: Vec::new(), runtime: Some(truth) })
            }
            other => {
                let found = self.describe(other);
                self.fail(diagnostics::no_condition(&found, span))
            }
        }
    }
}
