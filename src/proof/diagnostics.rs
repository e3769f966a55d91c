//! The texts of the proof, one function per message.
//!
//! | code | meaning |
//! |---|---|
//! | E0301 | a buffer is used after it was given away |
//! | E0302 | a loop gives away in its next round what the last one gave |
//! | E0303 | a buffer may have been given away: on one path only |
//! | E0304 | one call is given a buffer twice, or reads it beside |
//! | E0305 | a borrowed parameter is given on |
//! | E0306 | a function captures an array that was given away |
//! | E0307 | a host value is donated |
//! | E0311 | refused, shape: no output has the number of elements |
//! | E0312 | refused, dtype: no output has elements of that width |
//! | E0313 | refused, no output left |
//! | E0314 | refused, not provable for every size |
//! | E0321 | a name is bound on one path only, or with different types |
//! | E0322 | a deleted name is deleted again |
//! | E0327 | an instrument is called wrongly |
//! | E0328 | host arithmetic that certainly fails |
//! | W0301 | a large array is captured |
//! | W0302 | a donated array is handed over, not overwritten in place |
//! | W0303 | each round of a loop leaves bytes behind |
//! | W0304 | nothing bounds what a loop holds |
//!
//! Recursion (E0208), branches of different types (E0214), a missing field (E0224), tuples of another length (E0225) and
//! trees of another structure (E0226) have the codes of `sema`, which finds the same inside programs.

use super::predict::explain::What;
use super::state::{Given, Key};
use super::verdict::{Offer, Refused, Taker};
use crate::base::{Diagnostic, Fault, Size, Span, Symbol, bytes};
use crate::ir::array::ArrayType;
use crate::ir::plan::{Refusal, Verdict};
use crate::ledger::Amount;
use crate::sema::value::{Type, Value};
use crate::syntax::ast::{Function, FunctionKind, Ident, Name, Param};

/// A use of a leaf that is given away, surely or on one path; `bound`: where the name of the leaf was bound.
#[must_use]
pub fn used_after_donation(key: &Key, given: &Given, bound: Option<Span>, at: Span) -> Diagnostic {
    let path = match key {
        Key::Leaf(_, path) => path.as_ref(),
        Key::Temporary(_) => given.path.as_ref(),
    };
    let own = path == given.path.as_ref();
    let donated = if own {
        format!("`{path}` is given away here")
    } else {
        format!("`{}` is given away here, and `{path}` may be the same array", given.path)
    };
    let alias = |diagnostic: Diagnostic| match bound {
        Some(bound) if !own && !covers(bound, at) && !covers(bound, given.at) => {
            diagnostic.label(bound, format!("`{path}` is bound here"))
        }
        _ => diagnostic,
    };
    let inside = covers(given.at, at);
    if inside {
        let mut diagnostic = Diagnostic::error(
            "E0302",
            format!("the next round would give `{path}` away again"),
            at,
            "given away here, in every round",
        );
        if let Some(rounds) = given.maybe.filter(|rounds| *rounds != at) {
            diagnostic = diagnostic.label(rounds, "in this loop");
        }
        return alias(diagnostic)
            .help(format!("bind the result to the name: `{path} = ...`, or give a copy: `copy({path})`"));
    }
    if let Some(joined) = given.maybe {
        let diagnostic = Diagnostic::error(
            "E0303",
            format!("`{path}` may have been given away"),
            at,
            "used here, whichever path was taken",
        );
        let diagnostic = diagnostic.label(given.at, donated).label(joined, "on one path through this");
        return alias(diagnostic).help(format!("bind `{path}` anew on that path, or give `copy({path})` there"));
    }
    let diagnostic = Diagnostic::error("E0301", format!("`{path}` is used after it was given away"), at, "used here");
    alias(diagnostic.label(given.at, donated))
        .help(format!("use the result of the call instead, or give a copy: `copy({path})`"))
}

/// Whether a place is inside another.
fn covers(outer: Span, inner: Span) -> bool {
    outer.source == inner.source && outer.start <= inner.start && inner.end <= outer.end
}

/// Two leaves of one call are one buffer, and one of them is given away.
#[must_use]
pub fn given_twice(
    function: &Ident,
    (path, span, name): (&str, Span, Option<String>),
    (other, other_span, other_name): (&str, Span, Option<String>),
    at: Span,
) -> Diagnostic {
    let show = |name: &Option<String>, path: &str| name.clone().unwrap_or_else(|| path.to_owned());
    let (a, b) = (show(&name, path), show(&other_name, other));
    let message = if a == b {
        format!("this call of `{}` gives `{a}` away and gets it a second time", function.name)
    } else {
        format!("this call of `{}` gives `{a}` away, and `{b}` may be the same array", function.name)
    };
    let mut diagnostic = Diagnostic::error("E0304", message, span, format!("given as `{path}`"));
    if other_span != span {
        diagnostic = diagnostic.label(other_span, format!("the same array as `{other}`"));
    }
    if at != span {
        diagnostic = diagnostic.label(at, "in this call");
    }
    diagnostic.help(format!("pass a copy: `copy({b})`"))
}

/// A donated argument is an array that the function captures.
#[must_use]
pub fn given_and_captured(function: &Ident, path: &str, at: Span) -> Diagnostic {
    let message = format!("`{}` is given `{path}`, which it captures as well", function.name);
    Diagnostic::error("E0304", message, at, "given away here")
        .help("pass a copy, or make the captured array a parameter")
}

/// A parameter that the enclosing function only borrows is given on.
#[must_use]
pub fn not_ours(callee: &Ident, inner: &Function, param: &Param, at: Span) -> Diagnostic {
    let name = &param.name.name;
    Diagnostic::error(
        "E0305",
        format!("`{name}` is only borrowed here and cannot be given to `{}`", callee.name),
        at,
        "given away here",
    )
    .label(param.span, "a borrowed parameter")
    .help(format!("write `{}`, or give `copy({name})`", head(inner, name, true)))
}

/// A `jit` reads a global array that was given away.
#[must_use]
pub fn captured_then_given(function: &Ident, name: &Name, given: &Given, at: Span) -> Diagnostic {
    let message = format!("`{}` captures `{name}`, which was given away", function.name);
    let diagnostic = Diagnostic::error("E0306", message, at, "called here")
        .label(given.at, format!("`{}` is given away here", given.path))
        .label(function.span, format!("`{}` reads `{name}`", function.name));
    diagnostic.help(format!("bind `{name}` anew before the call, or give `copy({name})`"))
}

/// A donated parameter is passed a value without a buffer.
#[must_use]
pub fn nothing_to_donate(name: &Name, kind: &str, at: Span, param: Span) -> Diagnostic {
    Diagnostic::error("E0307", format!("`{name}` is donated, but {kind} has no buffer"), at, "no array in it")
        .label(param, "donated here")
        .help("drop `donate`, or pass an array")
}

/// Numbers for the dims that make a refusal concrete: 2, 3, 4... in the order of their names, or the next ones.
fn witness(a: &ArrayType, b: &ArrayType) -> Option<String> {
    let (x, y) = (a.bytes()?, b.bytes()?);
    let mut symbols = x.symbols();
    symbols.extend(y.symbols());
    symbols.sort();
    symbols.dedup();
    (2..8).find_map(|first: u64| {
        let place = |symbol: &Symbol| symbols.iter().position(|other| other == symbol);
        let number = |symbol: &Symbol| place(symbol).map(|at| Size::from(at as u64 + first));
        let (left, right) = (x.substitute(&number)?.known()?, y.substitute(&number)?.known()?);
        let dims: Vec<String> = symbols.iter().zip(first..).map(|(symbol, n)| format!("{} = {n}", symbol.0)).collect();
        let prefix = if dims.is_empty() { String::new() } else { format!("{}: ", dims.join(", ")) };
        (left != right).then(|| format!("{prefix}{} is not {}", bytes::human(left), bytes::human(right)))
    })
}

/// Where an equality of sizes is stated.
fn stated(a: &Size, b: &Size, function: &Function) -> String {
    let name = &function.name.name;
    match (a.as_symbol(), b.as_symbol()) {
        (Some(a), Some(b)) => format!("write `{}` for `{}` in the signature of `{name}`", a.0, b.0),
        (Some(symbol), None) => format!("write `{b}` for `{}` in the signature of `{name}`", symbol.0),
        (None, Some(symbol)) => format!("write `{a}` for `{}` in the signature of `{name}`", symbol.0),
        (None, None) => format!("choose the dims in the signature of `{name}` so that `{a}` is `{b}`"),
    }
}

/// The head of a function with `param` donated, or not: `jit f(donate p, q)`.
fn head(function: &Function, param: &str, donated: bool) -> String {
    let params = function.params.iter().map(|other| {
        let name = &other.name.name;
        let donate = if name.as_ref() == param { donated } else { other.donate };
        format!("{}{name}", if donate { "donate " } else { "" })
    });
    let params: Vec<String> = params.collect();
    let kind = match function.kind {
        FunctionKind::Fn => "fn",
        FunctionKind::Jit => "jit",
    };
    format!("{kind} {}({})", function.name.name, params.join(", "))
}

/// A donated leaf that no output takes over.
#[must_use]
pub fn refused(function: &Function, refused: &Refused, offers: &[Offer], takers: &[Taker], at: Span) -> Diagnostic {
    let Some(offer) = offers.get(refused.offer) else {
        return Diagnostic::error("E0311", "refused", at, "in this call");
    };
    let root = offer.path.split(['.', '[']).next().unwrap_or_default();
    let span = function.params.iter().find(|p| p.name.name.as_ref() == root).map_or(function.name.span, |p| p.span);
    let dropped = format!("write `{}`", head(function, root, false));
    let place = |path: &str| {
        let root = path.split(['.', '[']).next().unwrap_or_default();
        function.params.iter().find(|p| p.name.name.as_ref() == root).map(|param| param.span)
    };
    let outputs: Vec<String> = takers.iter().map(|taker| taker.ty.to_string()).collect();
    let outputs = if outputs.is_empty() { "no array".to_owned() } else { outputs.join(" and ") };
    let (code, why, help) = match refused.why {
        Refusal::NoOutputLeft => {
            let names: Vec<String> =
                refused.contenders.iter().filter_map(|&k| offers.get(k)).map(|o| format!("`{}`", o.path)).collect();
            let why = format!("no output left: {} contend for {outputs}", names.join(" and "));
            ("E0313", why, format!("{dropped}, or return another array of its size"))
        }
        Refusal::DType => {
            let why = format!("dtype: {} against {outputs}: the elements have another width", offer.ty);
            ("E0312", why, format!("{dropped}, or return elements of its width"))
        }
        Refusal::Shape => {
            let why = format!("shape: {} against {outputs}", offer.ty);
            ("E0311", why, format!("{dropped}, or return an array of its size"))
        }
        Refusal::NotProvable => {
            let equality = takers.iter().find_map(|taker| {
                let (a, b) = (offer.ty.bytes()?, taker.ty.bytes()?);
                (a.degree() == b.degree()).then(|| a.missing(&b)).flatten()
            });
            let (missing, help) = match equality {
                Some((a, b)) => (format!(": `{a}` is not known to be `{b}`"), stated(&a, &b, function)),
                None => (String::new(), "use one name for dims that are equal in the signature".to_owned()),
            };
            ("E0314", format!("not provable: {} against {outputs} for every size{missing}", offer.ty), help)
        }
    };
    let message = format!("`{}` cannot take over `{}`: {why}", function.name.name, offer.path);
    let mut diagnostic = Diagnostic::error(code, message, span, "donated here");
    if at != function.name.span {
        diagnostic = diagnostic.label(at, "in this call");
    }
    if refused.why == Refusal::NoOutputLeft {
        let contenders =
            refused.contenders.iter().filter_map(|&k| offers.get(k)).filter(|other| other.path != offer.path);
        for other in contenders {
            if let Some(span) = place(&other.path).filter(|other| *other != span) {
                diagnostic = diagnostic.label(span, format!("`{}` has as many bytes", other.path));
            }
        }
        let size = offer.ty.bytes();
        let fitting = takers.iter().filter(|taker| taker.ty.bytes() == size).count();
        let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (given, taking) = (count(refused.contenders.len(), "donated array"), count(fitting, "output"));
        let size = size.map_or_else(String::new, |size| size.human());
        diagnostic = diagnostic.note(format!("{given} of {size}, and {taking} of that size"));
    } else if let Some(text) = takers.iter().find_map(|taker| witness(&offer.ty, &taker.ty)) {
        diagnostic = diagnostic.note(text);
    }
    diagnostic.help(help)
}

/// A name is used whose value depends on the path taken.
#[must_use]
pub fn unclear(name: &Name, at: Span, why: &str, bound: Span) -> Diagnostic {
    Diagnostic::error("E0321", format!("`{name}` cannot be used here: {why}"), at, "used here")
        .label(bound, "bound here")
        .help(format!("bind `{name}` before the branch or loop"))
}

/// `del` of a deleted name.
#[must_use]
pub fn deleted(name: &Name, at: Span, before: Span) -> Diagnostic {
    Diagnostic::error("E0322", format!("`{name}` is deleted already"), at, "deleted again here")
        .label(before, "deleted here")
        .help("remove the second `del`")
}

/// `del` of a name that is not bound in this scope.
#[must_use]
pub fn nothing_to_delete(name: &Name, at: Span) -> Diagnostic {
    Diagnostic::error("E0322", format!("`{name}` is not bound here"), at, "nothing to delete")
        .help("only names of the same scope can be deleted")
}

/// Two branches of a conditional expression.
#[must_use]
pub fn branches_differ(at: Span, then: &Type, otherwise: &Type) -> Diagnostic {
    let message = format!("the branches give {} and {}", type_text(then), type_text(otherwise));
    Diagnostic::error("E0214", message, at, "both must have one type").help("convert one of them, e.g. `f32(...)`")
}

/// A type as messages show it.
#[must_use]
pub fn type_text(ty: &Type) -> String {
    match ty {
        Value::Array(ty) => ty.to_string(),
        Value::Host(host) => host.kind.name().to_owned(),
        Value::DType(dtype) => dtype.to_string(),
        Value::Tuple(items) => format!("({})", items.iter().map(type_text).collect::<Vec<_>>().join(", ")),
        Value::Record(fields) => {
            let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name}: {}", type_text(ty))).collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => other.kind().to_owned(),
    }
}

/// A function that calls itself.
#[must_use]
pub fn recursion(name: &Name, at: Span, definition: Span) -> Diagnostic {
    Diagnostic::error("E0208", format!("`{name}` calls itself"), at, "recursive call")
        .label(definition, "defined here")
        .help("write it with a `for` or `while` loop")
}

/// `a, b = e` where `e` is no pair.
#[must_use]
pub fn counts_differ(names: usize, found: &str, at: Span) -> Diagnostic {
    Diagnostic::error("E0225", format!("{names} names for {found}"), at, "taken apart here")
        .help("write as many names as the tuple has elements")
}

/// A field of a record that is not there.
#[must_use]
pub fn no_field(field: &Ident) -> Diagnostic {
    Diagnostic::error("E0224", format!("there is no field `{}` to change", field.name), field.span, "no such field")
        .help("a record keeps the fields that it was made with")
}

/// An instrument with the wrong number of arguments.
#[must_use]
pub fn one_argument(name: &str, found: usize, at: Span) -> Diagnostic {
    Diagnostic::error("E0327", format!("`{name}` takes 1 argument, found {found}"), at, "in this call")
        .help(format!("write `{name}(x)`"))
}

/// `item` of a larger array.
#[must_use]
pub fn not_one_element(name: &str, ty: &ArrayType, at: Span) -> Diagnostic {
    Diagnostic::error("E0327", format!("`{name}` reads one element, found {ty}"), at, "more or less than one element")
        .help("index or reduce it first")
}

/// `item` of something that is no number.
#[must_use]
pub fn not_a_number(name: &str, kind: &str, at: Span) -> Diagnostic {
    Diagnostic::error("E0327", format!("`{name}` reads an array or a number, found {kind}"), at, "not a number")
        .help(format!("write `{name}(x)` with an array of one element"))
}

/// `memory` of no function.
#[must_use]
pub fn memory_of_what(at: Span) -> Diagnostic {
    Diagnostic::error("E0327", "`memory` takes a function and its arguments", at, "in this call")
        .help("write `memory(f, x)`")
}

/// Host arithmetic on known values that cannot succeed.
#[must_use]
pub fn certain_fault(fault: &Fault) -> Diagnostic {
    let diagnostic = Diagnostic::error("E0328", fault.message.clone(), fault.span, "fails in every run");
    diagnostic.help(fault.help.clone().unwrap_or_else(|| "change the operands".into()))
}

/// `map` over different trees.
#[must_use]
pub fn structures_differ(at: Span) -> Diagnostic {
    Diagnostic::error("E0226", "`map`: the trees have different structures", at, "in this call")
        .help("all trees need the same tuples and records")
}

/// A captured array of more than 1 MiB.
#[must_use]
pub fn large_capture(function: &Ident, name: &Name, ty: &ArrayType, at: Span) -> Diagnostic {
    let size = ty.bytes().and_then(|n| n.known()).map(bytes::human).unwrap_or_default();
    let message = format!("`{}` captures `{name}`, {ty}: the cache holds {size} twice", function.name);
    Diagnostic::warning("W0301", message, at, "compiled with the capture here")
        .label(function.span, format!("`{name}` is read inside"))
        .help(format!("pass it as an argument: `{}(..., {name})`", function.name))
}

/// Each round of a loop leaves bytes behind.
#[must_use]
pub fn leak(bytes: &Size, at: Span) -> Diagnostic {
    let message = format!("each round of this loop leaves {} behind", bytes.human());
    Diagnostic::warning("W0303", message, at, "what is held grows from round to round")
        .note("a compiled program holds what it captured until `clear_caches()`, also when the name is bound anew")
        .help("pass the array as an argument, or call `clear_caches()` in the loop")
}

/// Nothing bounds what a loop holds.
#[must_use]
pub fn unbounded(at: Span) -> Diagnostic {
    Diagnostic::warning("W0304", "nothing bounds what this loop will hold", at, "the number of rounds is not known")
        .help("pass what it captures as an argument, or count the rounds with `for`")
}

/// A donated array that an output takes over only when the call is done. `exact`: its size is known.
#[must_use]
pub fn handed_over(function: &Function, what: &What, exact: bool, at: Span) -> Diagnostic {
    let What::Donation { param, leaf, ty, verdict, .. } = what else {
        return Diagnostic::warning("W0302", "handed over", at, "in this call");
    };
    let size = ty.bytes().map_or_else(String::new, |bytes| bytes.human());
    let message = format!("`{}` hands `{leaf}` over: {size} more are needed during the call", function.name.name);
    let mut diagnostic = Diagnostic::warning("W0302", message, *param, "donated here, but not overwritten in place");
    if at != function.name.span {
        diagnostic = diagnostic.label(at, "in this call");
    }
    if let Verdict::HandedOver { why, .. } = verdict {
        diagnostic = diagnostic.note(if exact { why.clone() } else { format!("for a generic size: {why}") });
    }
    diagnostic.help(
        "the peak is as high as without the donation; it is lower if every element is computed from its own place alone",
    )
}
