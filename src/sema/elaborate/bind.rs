//! Signatures: which argument meets which parameter, and what the written types say about them.

use super::{Binding, Elaborator, Frame, Rejected, Scope};
use crate::base::Shape;
use crate::base::{Diagnostic, Size, Span, Symbol};
use crate::ir::array::{ArrayType, Builder};
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, HostType, Known, Traced, Type, Value};
use crate::syntax::ast::{Expr, ExprKind, Function, Ident, Name, TypeExpr, TypeExprKind, UnaryOp};
use std::collections::BTreeMap;

/// What a parameter stands for in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// The argument of that number.
    Argument(usize),
    /// Its default.
    Default,
}

/// The signature as written: `step(donate p, g, lr = ...)`.
#[must_use]
pub fn signature(function: &Function) -> String {
    let params: Vec<String> = function
        .params
        .iter()
        .map(|param| {
            let donate = if param.donate { "donate " } else { "" };
            let default = if param.default.is_some() { " = ..." } else { "" };
            format!("{donate}{}{default}", param.name.name)
        })
        .collect();
    format!("{}({})", function.name.name, params.join(", "))
}

/// What each parameter stands for, from the names and places of the arguments.
///
/// # Errors
/// The diagnostic of an unknown, missing, surplus or repeated argument.
pub fn bind_arguments(
    function: &Function,
    args: &[(Option<&Ident>, Span)],
    at: Span,
) -> Result<Vec<Given>, Diagnostic> {
    let mut bound: Vec<Option<usize>> = function.params.iter().map(|_| None).collect();
    for (position, (name, span)) in args.iter().enumerate() {
        let slot = match name {
            None => position,
            Some(name) => function
                .params
                .iter()
                .position(|param| param.name.name == name.name)
                .ok_or_else(|| diagnostics::unknown_argument(&name.name, &signature(function), name.span))?,
        };
        let Some(place) = bound.get_mut(slot) else {
            let message = match function.params.len() {
                1 => format!("`{}` takes one argument", function.name.name),
                count => format!("`{}` takes {count} arguments, not more", function.name.name),
            };
            return Err(diagnostics::surplus_argument(message, &signature(function), *span));
        };
        if place.is_some() {
            let name = function.params.get(slot).map_or("", |param| &param.name.name);
            let message = format!("`{name}` is given twice");
            return Err(diagnostics::surplus_argument(message, &signature(function), *span));
        }
        *place = Some(position);
    }
    let pairs = function.params.iter().zip(bound);
    pairs
        .map(|(param, argument)| match argument {
            Some(position) => Ok(Given::Argument(position)),
            None if param.default.is_some() => Ok(Given::Default),
            None => Err(diagnostics::missing_argument(&param.name.name, &signature(function), at)
                .label(param.span, "declared here")),
        })
        .collect()
}

/// Nothing is bound outside: dims of a signature mean its own names.
struct Nothing;

impl Scope for Nothing {
    fn lookup(&self, _name: &str) -> Option<Binding> {
        None
    }

    fn names(&self) -> Vec<Name> {
        Vec::new()
    }

    fn unknown_size(&self, _at: Span) -> Option<Size> {
        None
    }
}

/// A value of that type of which only the type counts.
fn placeholder(builder: &mut Builder, ty: &Type) -> Traced {
    ty.map(
        &mut |ty: &ArrayType| {
            let kind = crate::ir::array::ParamKind::Array { donated: false };
            builder.param(kind, "", ty.clone())
        },
        &mut |host: &HostType| Host { kind: host.kind, known: host.known.clone(), origins: Vec::new(), runtime: None },
    )
}

/// The first diagnostic.
fn first(rejected: Rejected) -> Option<Diagnostic> {
    match rejected {
        Rejected::Diagnostics(all) => all.into_iter().next(),
        Rejected::Fault(fault) => Some(Diagnostic::error("E0241", fault.message, fault.span, "in this type")),
    }
}

/// The dims that the signature names, for arguments of these types, one per parameter.
///
/// # Errors
/// The first written type that an argument does not have.
pub fn dims(function: &Function, types: &[Type], at: Span) -> Result<Vec<(Name, Size)>, Diagnostic> {
    if function.params.iter().all(|param| param.annotation.is_none()) {
        return Ok(Vec::new());
    }
    let mut el = Elaborator::new(&Nothing, false);
    let args: Vec<(Traced, Span)> = types.iter().map(|ty| (placeholder(&mut el.builder, ty), at)).collect();
    for (param, (value, _)) in function.params.iter().zip(&args) {
        el.frame().names.insert(param.name.name.clone(), value.clone());
    }
    let matched = el.match_parameters(function, &args);
    collect(el, matched.is_ok(), |name| function.params.iter().any(|param| param.name.name == *name))
}

/// What a written type says about a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotated {
    /// Dims that it names anew.
    pub dims: Vec<(Name, Size)>,
    /// Sizes that are known only while running, with what they are from here on: the program stops where they are not.
    pub equal: Vec<(Symbol, Size)>,
}

impl Annotated {
    /// The equalities that follow from pairs of sizes that are stated to be equal, as far as a symbol stands alone.
    fn new(dims: Vec<(Name, Size)>, stated: Vec<(Size, Size)>) -> Self {
        let mut equal: Vec<(Symbol, Size)> = Vec::new();
        for (wanted, found) in stated {
            let now = |size: &Size| equal.iter().fold(size.clone(), |size, (symbol, with)| size.replace(symbol, with));
            let (wanted, found) = (now(&wanted), now(&found));
            match (found.as_symbol(), wanted.as_symbol()) {
                _ if wanted == found => {}
                (Some(symbol), _) => equal.push((symbol.clone(), wanted.clone())),
                (None, Some(symbol)) => equal.push((symbol.clone(), found.clone())),
                (None, None) => {}
            }
        }
        Self { dims, equal }
    }
}

/// What a written type says about a value of type `ty`. Where sizes may be unknown (in the check of a whole program),
/// an equality that cannot be proved is taken for one that is checked while running.
///
/// # Errors
/// The diagnostic of a value without the written type.
pub fn annotation(scope: &dyn Scope, annotation: &TypeExpr, ty: &Type, at: Span) -> Result<Annotated, Diagnostic> {
    let mut el = Elaborator::new(scope, false);
    el.now = true;
    el.stated = scope.unknown_size(at).map(|_| Vec::new());
    let value = placeholder(&mut el.builder, ty);
    let mut bound = BTreeMap::new();
    named_dims(annotation, &mut bound);
    for name in bound.into_keys() {
        // A name that means an int outside is that int, not a new dim.
        if let Some(Binding::Value(Value::Host(host))) = scope.lookup(&name)
            && let Some(known) = host.known
        {
            el.frame().names.insert(name, Value::Host(Host::constant(known)));
        }
    }
    let outside: Frame = el.frame().clone();
    let matched = el.check_annotation(&value, annotation, "the value", at);
    let stated = el.stated.take().unwrap_or_default();
    let dims = collect(el, matched.is_ok(), |name| outside.names.contains_key(name))?;
    Ok(Annotated::new(dims, stated))
}

/// The ints that matching bound, less those that were there before.
fn collect(
    mut el: Elaborator<'_>,
    matched: bool,
    before: impl Fn(&Name) -> bool,
) -> Result<Vec<(Name, Size)>, Diagnostic> {
    if !matched && let Some(diagnostic) = first(el.rejected()) {
        return Err(diagnostic);
    }
    let names = std::mem::take(&mut el.frame().names);
    let dims = names.into_iter().filter(|(name, _)| !before(name)).filter_map(|(name, value)| match value {
        Value::Host(Host { known: Some(Known::Int(size)), .. }) => Some((name, size)),
        _ => None,
    });
    Ok(dims.collect())
}

/// Plain names among the dims of a written type.
fn named_dims(ty: &TypeExpr, names: &mut BTreeMap<Name, Span>) {
    match &ty.kind {
        TypeExprKind::Array { dims, .. } => {
            for dim in dims {
                if let ExprKind::Name(name) = &dim.kind {
                    names.entry(name.clone()).or_insert(dim.span);
                }
            }
        }
        TypeExprKind::Tuple(items) => items.iter().for_each(|item| named_dims(item, names)),
        TypeExprKind::Record(fields) => fields.iter().for_each(|(_, item)| named_dims(item, names)),
        TypeExprKind::Host(_) => {}
    }
}

/// The types of all parameters with a symbol for every named dim, where the signature says them all; a parameter
/// with a literal default and no written type has the type of its default.
#[must_use]
pub fn signature_types(function: &Function) -> Option<Vec<Type>> {
    let mut names = BTreeMap::new();
    for param in &function.params {
        if let Some(annotation) = &param.annotation {
            named_dims(annotation, &mut names);
        }
    }
    let mut el = Elaborator::new(&Nothing, false);
    for name in names.keys() {
        let size = Size::symbol(Symbol::new(name));
        el.frame().names.insert(name.clone(), Value::Host(Host::constant(Known::Int(size))));
    }
    let types = function.params.iter().map(|param| match (&param.annotation, &param.default) {
        (Some(annotation), _) => abstract_type(&mut el, annotation),
        (None, Some(default)) => literal_kind(default).map(|kind| Value::Host(HostType { kind, known: None })),
        (None, None) => None,
    });
    types.collect()
}

fn abstract_type(el: &mut Elaborator<'_>, ty: &TypeExpr) -> Option<Type> {
    Some(match &ty.kind {
        TypeExprKind::Array { dtype, dims } => {
            let mut extents = Vec::with_capacity(dims.len());
            for dim in dims {
                let value = el.expr(dim).ok()?;
                extents.push(el.demand_size(&value, "a dim", dim.span).ok()?);
            }
            Value::Array(ArrayType { dtype: *dtype, shape: Shape(extents) })
        }
        TypeExprKind::Host(name) => Value::Host(HostType { kind: super::annotate::host_kind(name)?, known: None }),
        TypeExprKind::Tuple(items) => {
            Value::Tuple(items.iter().map(|item| abstract_type(el, item)).collect::<Option<_>>()?)
        }
        TypeExprKind::Record(fields) => {
            let fields = fields.iter().map(|(name, item)| Some((name.name.clone(), abstract_type(el, item)?)));
            Value::Record(fields.collect::<Option<_>>()?)
        }
    })
}

fn literal_kind(expr: &Expr) -> Option<HostKind> {
    match &expr.kind {
        ExprKind::Int(_) => Some(HostKind::Int),
        ExprKind::Float(_) => Some(HostKind::Float),
        ExprKind::Bool(_) => Some(HostKind::Bool),
        ExprKind::Paren(inner) | ExprKind::Unary(UnaryOp::Neg, inner) => literal_kind(inner),
        _ => None,
    }
}

/// Dims that a signature names exactly once, with the place: nothing is said to be equal to them.
#[must_use]
pub fn lone_dims(function: &Function) -> Vec<(Name, Span)> {
    fn count(ty: &TypeExpr, found: &mut BTreeMap<Name, Vec<Span>>) {
        match &ty.kind {
            TypeExprKind::Array { dims, .. } => {
                for dim in dims {
                    let mut names = std::collections::BTreeSet::new();
                    crate::sema::split::names(dim, &mut names);
                    names.into_iter().for_each(|name| found.entry(name).or_default().push(dim.span));
                }
            }
            TypeExprKind::Tuple(items) => items.iter().for_each(|item| count(item, found)),
            TypeExprKind::Record(fields) => fields.iter().for_each(|(_, item)| count(item, found)),
            TypeExprKind::Host(_) => {}
        }
    }
    let mut found = BTreeMap::new();
    let written = function.params.iter().filter_map(|param| param.annotation.as_ref()).chain(&function.result);
    written.for_each(|ty| count(ty, &mut found));
    let once = found.into_iter().filter_map(|(name, places)| match places.as_slice() {
        [only] => Some((name, *only)),
        _ => None,
    });
    once.collect()
}
