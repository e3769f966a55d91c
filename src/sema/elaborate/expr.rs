//! Expressions: names, literals, fields and the dispatch to operators, calls and indexing.

use super::{Binding, Elaborator, Input, Outcome};
use crate::base::{DType, Size, Span};
use crate::ir::array::{ArrayType, ParamKind};
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, HostType, Known, Traced, Type, Value, shape_tuple};
use crate::syntax::ast::{BinaryOp, Expr, ExprKind, Ident, IndexItem, Name, UnaryOp};

/// Most bytes of one array.
const MOST_BYTES: i64 = 1 << 62;

/// Most leaves of a tuple or record.
const MOST_LEAVES: usize = 100_000;
/// Most levels of tuples and records in one another.
const DEEPEST_TREE: usize = 1000;
/// Longer names are not compared with others.
const LONGEST_MEANT: usize = 64;

/// The place of a leaf outside: a free name or an argument, and the way on.
#[derive(Clone)]
pub(super) struct Place {
    /// The name or argument, with the path so far.
    pub input: Input,
    /// How messages write it: `params.w`.
    pub label: String,
    /// What is there.
    pub ty: Type,
    /// How an array arrives.
    pub kind: ParamKind,
}

impl Place {
    /// The place of an element or field.
    fn inside(&self, at: usize, step: &str, ty: &Type) -> Self {
        let mut input = self.input.clone();
        match &mut input {
            Input::Free { path, .. } | Input::Argument { path, .. } => path.push(at),
        }
        Self { input, label: format!("{}{step}", self.label), ty: ty.clone(), kind: self.kind }
    }
}

impl Elaborator<'_> {
    /// The value of an expression.
    pub fn expr(&mut self, expr: &Expr) -> Outcome<Traced> {
        let value = self.deeper(expr.span, |el| el.expr_kind(expr))?;
        if let Value::Array(array) = &value {
            self.size_limit(self.builder.ty(*array).clone(), expr.span)?;
        }
        Ok(value)
    }

    /// Reports a type whose bytes cannot be addressed.
    pub fn size_limit(&mut self, ty: ArrayType, span: Span) -> Outcome<()> {
        match ty.bytes() {
            Some(Size::Known(bytes)) if bytes > MOST_BYTES => {}
            Some(_) => return Ok(()),
            None => {}
        }
        self.fail(diagnostics::too_large(&ty.to_string(), span))
    }

    fn expr_kind(&mut self, expr: &Expr) -> Outcome<Traced> {
        let span = expr.span;
        let known = |known| Ok(Value::Host(Host::constant(known)));
        match &expr.kind {
            ExprKind::Int(n) => known(Known::Int(Size::Known(*n))),
            ExprKind::Float(x) => known(Known::Float(*x)),
            ExprKind::Bool(b) => known(Known::Bool(*b)),
            ExprKind::Str(text) => known(Known::Str(text.clone())),
            ExprKind::Name(name) => self.name(name, span),
            ExprKind::Paren(inner) => self.expr(inner),
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                let tuple = Value::Tuple(items.iter().map(|item| self.expr(item)).collect::<Outcome<_>>()?);
                self.tree_limit(tuple, span)
            }
            ExprKind::Record(fields) => {
                let record = self.record(fields)?;
                self.tree_limit(record, span)
            }
            ExprKind::Field(base, field) => self.field(expr, base, field),
            ExprKind::Index(base, items) => self.index(expr, base, items),
            ExprKind::Call(callee, args) => self.call_expr(callee, args, span),
            ExprKind::Unary(op, operand) => self.unary(*op, operand, span),
            ExprKind::Binary(BinaryOp::And, left, right) => self.logical(true, left, right, span),
            ExprKind::Binary(BinaryOp::Or, left, right) => self.logical(false, left, right, span),
            ExprKind::Binary(op, left, right) => {
                let (a, b) = (self.expr(left)?, self.expr(right)?);
                self.binary_values(*op, (&a, left.span), (&b, right.span), span)
            }
            ExprKind::If(condition, then, otherwise) => self.if_value(condition, then, otherwise, span),
            // The parser has reported it; nothing is said twice.
            ExprKind::Error => Err(super::Reported),
        }
    }

    /// Refuses trees that grow without bound, as in `t = (t, t)` again and again.
    fn tree_limit(&mut self, tree: Traced, span: Span) -> Outcome<Traced> {
        let mut left = MOST_LEAVES;
        if within(&tree, DEEPEST_TREE, &mut left) {
            return Ok(tree);
        }
        let help = "keep what grows in an array";
        self.fail(diagnostics::too_deep("leaves of a tuple or record, or levels in it", MOST_LEAVES, span, help))
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr, span: Span) -> Outcome<Traced> {
        let value = self.expr(operand)?;
        self.unary_value(op, &value, operand.span, span)
    }

    fn record(&mut self, fields: &[(Ident, Expr)]) -> Outcome<Traced> {
        let mut values: Vec<(Name, Traced)> = Vec::with_capacity(fields.len());
        for (field, value) in fields {
            if values.iter().any(|(name, _)| *name == field.name) {
                let message = format!("the field `{}` is given twice", field.name);
                return self.fail(diagnostics::structure(message, field.span));
            }
            let value = self.expr(value)?;
            values.push((field.name.clone(), value));
        }
        Ok(Value::Record(values))
    }

    /// The meaning of a name: local, free, a dtype or a built-in.
    pub fn name(&mut self, name: &Name, span: Span) -> Outcome<Traced> {
        let frame = self.frame();
        if let Some(value) = frame.names.get(name) {
            return Ok(value.clone());
        }
        if let Some((bound, why)) = frame.partial.get(name).cloned() {
            return self.fail(diagnostics::maybe_unbound(name, bound, &why, span));
        }
        if let Some(bound) = frame.locals.get(name).copied() {
            let why = "it is local to this function, which binds it later";
            return self.fail(diagnostics::maybe_unbound(name, bound, why, span));
        }
        match self.scope.lookup(name) {
            Some(Binding::Value(ty)) => self.instantiate(&self.free(name, ty)),
            Some(Binding::Function(function)) => {
                self.functions.insert(name.clone());
                Ok(Value::Function(function))
            }
            Some(Binding::Gone { at, how }) => self.fail(diagnostics::gone(name, how, at, span)),
            None => {
                if let Some(dtype) = DType::parse(name) {
                    return Ok(Value::DType(dtype));
                }
                if super::call::is_builtin(name) {
                    return Ok(Value::Builtin(name.clone()));
                }
                let meant = self.nearest(name);
                self.fail(diagnostics::unknown_name(name, meant.as_deref(), span))
            }
        }
    }

    fn free(&self, name: &Name, ty: Type) -> Place {
        let kind = if self.captures { ParamKind::Captured } else { ParamKind::Array { donated: false } };
        Place { input: Input::Free { name: name.clone(), path: Vec::new() }, label: name.to_string(), ty, kind }
    }

    /// The known name that is written most alike.
    fn nearest(&mut self, name: &str) -> Option<String> {
        let mut names: Vec<Name> = self.scope.names();
        names.extend(self.frame().names.keys().cloned());
        let own = super::call::builtin_names().into_iter().chain(DType::ALL.iter().map(|dtype| dtype.name()));
        let all = names.iter().map(|name| name.to_string()).chain(own.map(str::to_owned));
        let limit = (name.chars().count() / 2).min(3);
        if name.len() > LONGEST_MEANT {
            return None;
        }
        let near = all.map(|other| (distance(name, &other), other)).filter(|(far, _)| (1..=limit).contains(far));
        near.min().map(|(_, other)| other)
    }

    /// The values of all leaves there: parameters of the program, new ones where they are not yet.
    pub(super) fn instantiate(&mut self, place: &Place) -> Outcome<Traced> {
        match &place.ty {
            Value::Array(ty) => Ok(self.input(place, ty.clone(), place.kind, None)),
            Value::Host(HostType { kind, known }) => match (kind.dtype(), known) {
                (None, Some(known)) => Ok(Value::Host(Host::constant(known.clone()))),
                (_, Some(known)) if self.now => Ok(Value::Host(Host::constant(known.clone()))),
                (Some(dtype), _) => {
                    let host = Some((*kind, known.clone()));
                    Ok(self.input(place, ArrayType::scalar(dtype), ParamKind::Scalar, host))
                }
                (None, None) => {
                    Ok(Value::Host(Host { kind: HostKind::Str, known: None, origins: Vec::new(), runtime: None }))
                }
            },
            Value::Tuple(items) => {
                let inner = items.iter().enumerate();
                let items = inner.map(|(at, ty)| self.instantiate(&place.inside(at, &format!("[{at}]"), ty)));
                Ok(Value::Tuple(items.collect::<Outcome<_>>()?))
            }
            Value::Record(fields) => {
                let inner = fields.iter().enumerate();
                let fields = inner.map(|(at, (name, ty))| {
                    Ok((name.clone(), self.instantiate(&place.inside(at, &format!(".{name}"), ty))?))
                });
                Ok(Value::Record(fields.collect::<Outcome<_>>()?))
            }
            Value::DType(dtype) => Ok(Value::DType(*dtype)),
            Value::Function(function) => Ok(Value::Function(function.clone())),
            Value::Builtin(name) => Ok(Value::Builtin(name.clone())),
            Value::Unit => Ok(Value::Unit),
        }
    }

    fn input(
        &mut self,
        place: &Place,
        ty: ArrayType,
        kind: ParamKind,
        host: Option<(HostKind, Option<Known>)>,
    ) -> Traced {
        if let Some((_, value)) = self.inputs.iter().find(|(input, _)| *input == place.input) {
            return value.clone();
        }
        let param = self.builder.param(kind, place.label.clone(), ty);
        let value = match host {
            None => Value::Array(param),
            Some((kind, known)) => {
                Value::Host(Host { kind, known, origins: vec![self.inputs.len()], runtime: Some(param) })
            }
        };
        self.inputs.push((place.input.clone(), value.clone()));
        self.demanded.push(false);
        value
    }

    /// The place that a chain of fields and known elements of a free name means, without reading anything.
    fn place_of(&self, expr: &Expr) -> Option<Place> {
        match &expr.kind {
            ExprKind::Paren(inner) => self.place_of(inner),
            ExprKind::Name(name) => {
                let frame = self.frames.last()?;
                let local = frame.names.contains_key(name)
                    || frame.partial.contains_key(name)
                    || frame.locals.contains_key(name);
                match self.scope.lookup(name)? {
                    Binding::Value(ty) if !local => Some(self.free(name, ty)),
                    _ => None,
                }
            }
            ExprKind::Field(base, field) => {
                let place = self.place_of(base)?;
                let Value::Record(fields) = &place.ty else { return None };
                let (at, (name, ty)) = fields.iter().enumerate().find(|(_, (name, _))| *name == field.name)?;
                Some(place.inside(at, &format!(".{name}"), ty))
            }
            ExprKind::Index(base, items) => {
                let place = self.place_of(base)?;
                let (Value::Tuple(types), [IndexItem::At(at)]) = (&place.ty, items.as_slice()) else { return None };
                let ExprKind::Int(at) = at.kind else { return None };
                let at = usize::try_from(at).ok()?;
                Some(place.inside(at, &format!("[{at}]"), types.get(at)?))
            }
            _ => None,
        }
    }

    fn field(&mut self, whole: &Expr, base: &Expr, field: &Ident) -> Outcome<Traced> {
        if let Some(place) = self.place_of(whole) {
            return self.instantiate(&place);
        }
        let value = self.expr(base)?;
        match &value {
            Value::Array(array) => {
                let ty = self.array_type(*array);
                if let Some(value) = self.attribute(&ty, field)? {
                    return Ok(value);
                }
                if &*field.name == "T" {
                    self.builder.span = whole.span;
                    return Ok(Value::Array(self.builder.transpose(*array, (0..ty.shape.rank()).rev().collect())));
                }
                let has = "`.shape`, `.dtype`, `.size`, `.ndim` and `.T`";
                self.fail(diagnostics::no_field(&field.name, &ty.to_string(), has, field.span))
            }
            Value::Record(fields) => match fields.iter().find(|(name, _)| *name == field.name) {
                Some((_, value)) => Ok(value.clone()),
                None => {
                    let names: Vec<String> = fields.iter().map(|(name, _)| format!("`.{name}`")).collect();
                    let has = if names.is_empty() { "no fields".to_owned() } else { names.join(", ") };
                    let found = self.describe(&value);
                    self.fail(diagnostics::no_field(&field.name, &found, &has, field.span))
                }
            },
            other => {
                let found = self.describe(other);
                self.fail(diagnostics::no_field(&field.name, &found, "no fields", field.span))
            }
        }
    }

    /// What the type alone says: `.shape .dtype .size .ndim`.
    fn attribute(&mut self, ty: &ArrayType, field: &Ident) -> Outcome<Option<Traced>> {
        Ok(match &*field.name {
            "shape" => Some(shape_tuple(&ty.shape)),
            "dtype" => Some(Value::DType(ty.dtype)),
            "ndim" => Some(Value::Host(Host::constant(Known::Int(Size::from(ty.shape.rank() as u64))))),
            "size" => match ty.shape.elements() {
                Some(size) => Some(Value::Host(Host::constant(Known::Int(size)))),
                None => return self.fail(diagnostics::too_large(&ty.to_string(), field.span)),
            },
            _ => None,
        })
    }

    fn index(&mut self, whole: &Expr, base: &Expr, items: &[IndexItem]) -> Outcome<Traced> {
        if let Some(place) = self.place_of(whole) {
            return self.instantiate(&place);
        }
        let value = self.expr(base)?;
        match &value {
            Value::Tuple(elements) => self.element(elements, items, whole.span),
            Value::Array(array) => self.index_get(*array, items, whole.span),
            other => {
                let found = self.describe(other);
                self.fail(diagnostics::no_index_into(&found, base.span))
            }
        }
    }

    fn element(&mut self, elements: &[Traced], items: &[IndexItem], span: Span) -> Outcome<Traced> {
        let [IndexItem::At(at)] = items else {
            return self.fail(diagnostics::tuple_length("a tuple takes one int as its index".into(), span));
        };
        let index = self.expr(at)?;
        let size = self.demand_size(&index, "the index of a tuple", at.span)?;
        let Some(n) = size.constant() else {
            return self.fail(diagnostics::must_be_known("the index of a tuple", at.span));
        };
        let len = elements.len() as i64;
        let found = usize::try_from(if n < 0 { n.saturating_add(len) } else { n }).ok().and_then(|n| elements.get(n));
        match found {
            Some(value) => Ok(value.clone()),
            None => {
                let message = format!("a tuple of {len} has no element {n}");
                self.fail(diagnostics::tuple_length(message, at.span))
            }
        }
    }
}

/// Whether a tree has no more levels than `depth` and no more leaves than are left.
fn within(tree: &Traced, depth: usize, left: &mut usize) -> bool {
    *left = left.saturating_sub(1);
    if depth == 0 || *left == 0 {
        return false;
    }
    match tree {
        Value::Tuple(items) => items.iter().all(|item| within(item, depth - 1, left)),
        Value::Record(fields) => fields.iter().all(|(_, item)| within(item, depth - 1, left)),
        _ => true,
    }
}

/// Edit distance, for "did you mean".
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, x) in a.chars().enumerate() {
        let mut corner = at;
        let mut left = at + 1;
        let mut next = vec![left];
        for (y, &above) in b.iter().zip(row.iter().skip(1)) {
            left = (corner + usize::from(x != *y)).min(above + 1).min(left + 1);
            corner = above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
