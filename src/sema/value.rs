//! What a name can mean, whatever its arrays are made of: types, values of the IR, or live buffers.

use crate::base::{DType, Shape, Size};
use crate::ir::array::{self, ArrayType};
use crate::ops::promote::Weak;
use crate::syntax::ast::{Function, Name};
use std::convert::Infallible;
use std::rc::Rc;

/// A value with array leaves `A` and host leaves `H`.
///
/// Three uses: `Value<ArrayType, HostType>` is a type, [`Traced`] a value under elaboration, and the session's values
/// hold live buffers.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<A, H> {
    /// An array.
    Array(A),
    /// An int, float, bool or string of the host.
    Host(H),
    /// An element type: `f32`, `x.dtype`.
    DType(DType),
    /// `(a, b)`, and lists in argument position.
    Tuple(Vec<Value<A, H>>),
    /// `{w: a, b: c}`.
    Record(Vec<(Name, Value<A, H>)>),
    /// A function named as an argument: `map(f, t)`.
    Function(Rc<Function>),
    /// A built-in named as an argument: `map(exp, t)`.
    Builtin(Name),
    /// What `print` returns.
    Unit,
}

/// What several trees are made of, side by side.
#[derive(Debug)]
pub enum Columns<'v, A, H> {
    /// The first is a leaf.
    Leaves,
    /// Per element or field of the first: that of each.
    Parts(Vec<Vec<&'v Value<A, H>>>),
    /// They have different structures.
    Differ,
}

impl<A, H> Value<A, H> {
    /// The same structure with other leaves.
    ///
    /// # Errors
    /// The first that `array` or `host` returns.
    pub fn try_map<B, G, E>(
        &self,
        array: &mut dyn FnMut(&A) -> Result<B, E>,
        host: &mut dyn FnMut(&H) -> Result<G, E>,
    ) -> Result<Value<B, G>, E> {
        Ok(match self {
            Self::Array(a) => Value::Array(array(a)?),
            Self::Host(h) => Value::Host(host(h)?),
            Self::DType(dtype) => Value::DType(*dtype),
            Self::Tuple(items) => {
                Value::Tuple(items.iter().map(|item| item.try_map(array, host)).collect::<Result<_, E>>()?)
            }
            Self::Record(fields) => Value::Record(
                fields
                    .iter()
                    .map(|(name, item)| Ok((name.clone(), item.try_map(array, host)?)))
                    .collect::<Result<_, E>>()?,
            ),
            Self::Function(function) => Value::Function(function.clone()),
            Self::Builtin(name) => Value::Builtin(name.clone()),
            Self::Unit => Value::Unit,
        })
    }

    /// The same structure with other leaves.
    pub fn map<B, G>(&self, array: &mut dyn FnMut(&A) -> B, host: &mut dyn FnMut(&H) -> G) -> Value<B, G> {
        let mapped: Result<Value<B, G>, Infallible> = self.try_map(&mut |a| Ok(array(a)), &mut |h| Ok(host(h)));
        mapped.unwrap_or_else(|never| match never {})
    }

    /// The same structure with other leaves; `host` is told the way to each host leaf.
    pub fn map_hosts<B, G>(
        &self,
        array: &mut dyn FnMut(&A) -> B,
        host: &mut dyn FnMut(&[usize], &H) -> G,
    ) -> Value<B, G> {
        fn inner<A, H, B, G>(
            value: &Value<A, H>,
            path: &mut Vec<usize>,
            array: &mut dyn FnMut(&A) -> B,
            host: &mut dyn FnMut(&[usize], &H) -> G,
        ) -> Value<B, G> {
            let mut step = |at: usize, item: &Value<A, H>| {
                path.push(at);
                let mapped = inner(item, path, array, host);
                path.pop();
                mapped
            };
            match value {
                Value::Tuple(items) => {
                    Value::Tuple(items.iter().enumerate().map(|(at, item)| step(at, item)).collect())
                }
                Value::Record(fields) => {
                    let fields = fields.iter().enumerate();
                    Value::Record(fields.map(|(at, (name, item))| (name.clone(), step(at, item))).collect())
                }
                Value::Host(leaf) => Value::Host(host(path, leaf)),
                other => other.map(array, &mut |leaf| host(&[], leaf)),
            }
        }
        inner(self, &mut Vec::new(), array, host)
    }

    /// What is at the end of a path of elements and fields.
    #[must_use]
    pub fn at(&self, path: &[usize]) -> Option<&Self> {
        path.iter().try_fold(self, |value, &step| match value {
            Self::Tuple(items) => items.get(step),
            Self::Record(fields) => fields.get(step).map(|(_, item)| item),
            _ => None,
        })
    }

    /// What `map` goes into: the parts of several trees side by side, fields by their names.
    #[must_use]
    pub fn columns<'v>(trees: &[&'v Self]) -> Columns<'v, A, H> {
        let part = |tree: &'v Self, at: usize, count: usize, name: Option<&Name>| match (tree, name) {
            (Self::Tuple(items), None) if items.len() == count => items.get(at),
            (Self::Record(fields), Some(name)) if fields.len() == count => {
                fields.iter().find(|(other, _)| other == name).map(|(_, item)| item)
            }
            _ => None,
        };
        let names: Vec<Option<&Name>> = match trees.first() {
            Some(Self::Tuple(items)) => vec![None; items.len()],
            Some(Self::Record(fields)) => fields.iter().map(|(name, _)| Some(name)).collect(),
            _ => return Columns::Leaves,
        };
        let column = |(at, name): (usize, &Option<&Name>)| {
            trees.iter().map(|&tree| part(tree, at, names.len(), *name)).collect::<Option<Vec<_>>>()
        };
        let columns: Option<Vec<_>> = names.iter().enumerate().map(column).collect();
        columns.map_or(Columns::Differ, Columns::Parts)
    }

    /// A tuple or record like this one with these parts.
    #[must_use]
    pub fn with_parts<B, G>(&self, parts: Vec<Value<B, G>>) -> Value<B, G> {
        match self {
            Self::Record(fields) => Value::Record(fields.iter().map(|(name, _)| name.clone()).zip(parts).collect()),
            _ => Value::Tuple(parts),
        }
    }

    /// Whether the structures are the same and all leaves agree.
    pub fn agrees<B, G>(
        &self,
        other: &Value<B, G>,
        array: &dyn Fn(&A, &B) -> bool,
        host: &dyn Fn(&H, &G) -> bool,
    ) -> bool {
        match (self, other) {
            (Self::Array(a), Value::Array(b)) => array(a, b),
            (Self::Host(a), Value::Host(b)) => host(a, b),
            (Self::DType(a), Value::DType(b)) => a == b,
            (Self::Tuple(a), Value::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.agrees(b, array, host))
            }
            (Self::Record(a), Value::Record(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((n, a), (m, b))| n == m && a.agrees(b, array, host))
            }
            (Self::Function(a), Value::Function(b)) => Rc::ptr_eq(a, b),
            (Self::Builtin(a), Value::Builtin(b)) => a == b,
            (Self::Unit, Value::Unit) => true,
            _ => false,
        }
    }

    /// Calls `visit` with every array leaf and its path (`""`, `.w`, `[0].b`), left to right.
    pub fn each_array<'v>(&'v self, path: &str, visit: &mut dyn FnMut(&str, &'v A)) {
        match self {
            Self::Array(a) => visit(path, a),
            Self::Tuple(items) => {
                for (at, item) in items.iter().enumerate() {
                    item.each_array(&format!("{path}[{at}]"), visit);
                }
            }
            Self::Record(fields) => {
                for (name, item) in fields {
                    item.each_array(&format!("{path}.{name}"), visit);
                }
            }
            Self::Host(_) | Self::DType(_) | Self::Function(_) | Self::Builtin(_) | Self::Unit => {}
        }
    }

    /// What people call it: `array`, `int`..., for messages about what was found.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Array(_) => "an array",
            Self::Host(_) => "a host value",
            Self::DType(_) => "a dtype",
            Self::Tuple(_) => "a tuple",
            Self::Record(_) => "a record",
            Self::Function(_) | Self::Builtin(_) => "a function",
            Self::Unit => "nothing",
        }
    }
}

/// A host value that is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// 64-bit, wraps.
    Int(i64),
    /// 64-bit.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// Text.
    Str(Rc<str>),
}

impl Scalar {
    /// Its type.
    #[must_use]
    pub fn kind(&self) -> HostKind {
        match self {
            Self::Int(_) => HostKind::Int,
            Self::Float(_) => HostKind::Float,
            Self::Bool(_) => HostKind::Bool,
            Self::Str(_) => HostKind::Str,
        }
    }
}

/// The types of host values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostKind {
    /// 64-bit integer.
    Int,
    /// 64-bit float.
    Float,
    /// Boolean.
    Bool,
    /// Text; never in a program of the IR.
    Str,
}

impl HostKind {
    /// `int`, `float`, `bool`, `str`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Float => "float",
            Self::Bool => "bool",
            Self::Str => "str",
        }
    }

    /// How it promotes; `None` for strings.
    #[must_use]
    pub fn weak(self) -> Option<Weak> {
        match self {
            Self::Int => Some(Weak::Int),
            Self::Float => Some(Weak::Float),
            Self::Bool => Some(Weak::Bool),
            Self::Str => None,
        }
    }

    /// The dtype that carries it in a program: `i64`, `f64`, `bool`.
    #[must_use]
    pub fn dtype(self) -> Option<DType> {
        match self {
            Self::Int => Some(DType::I64),
            Self::Float => Some(DType::F64),
            Self::Bool => Some(DType::Bool),
            Self::Str => None,
        }
    }
}

/// A host value known at compile time; ints may be sizes such as `n + 1`.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// A number, or a polynomial in dims.
    Int(Size),
    /// A number.
    Float(f64),
    /// True or false.
    Bool(bool),
    /// Text.
    Str(Rc<str>),
}

/// The type of a host value, with its value where that is known (the session always knows).
#[derive(Clone, Debug, PartialEq)]
pub struct HostType {
    /// int, float, bool or str.
    pub kind: HostKind,
    /// Its value.
    pub known: Option<Known>,
}

/// The type of a value.
pub type Type = Value<ArrayType, HostType>;

/// A host value under elaboration.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// int, float, bool or str.
    pub kind: HostKind,
    /// Its value, as far as it is known now.
    pub known: Option<Known>,
    /// The host inputs (indexes into `Elaborated::inputs`) that it was computed from, sorted. None: the same in every
    /// run, so `known` may be compiled in. Some: `known` may be compiled in only when they are *demanded*.
    pub origins: Vec<usize>,
    /// Its value in the program (`i64[]`, `f64[]`, `bool[]`), where it is computed while running.
    pub runtime: Option<array::Value>,
}

impl Host {
    /// A constant.
    #[must_use]
    pub fn constant(known: Known) -> Self {
        let kind = match &known {
            Known::Int(_) => HostKind::Int,
            Known::Float(_) => HostKind::Float,
            Known::Bool(_) => HostKind::Bool,
            Known::Str(_) => HostKind::Str,
        };
        Self { kind, known: Some(known), origins: Vec::new(), runtime: None }
    }
}

/// A value under elaboration.
pub type Traced = Value<array::Value, Host>;

/// A shape as the tuple of ints that `x.shape` is.
#[must_use]
pub fn shape_tuple(shape: &Shape) -> Traced {
    Value::Tuple(shape.0.iter().map(|extent| Value::Host(Host::constant(Known::Int(extent.clone())))).collect())
}
