//! The built-ins: one function each, which checks its operands and builds its operations.

mod make;

use crate::base::Span;
use crate::sema::diagnostics;
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::Traced;
use crate::syntax::ast::Ident;

/// An argument with its place.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The value.
    pub value: Traced,
    /// Where it stands.
    pub span: Span,
}

/// A parameter of a built-in.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name as a keyword.
    pub name: &'static str,
    /// Whether an argument must be given.
    pub required: bool,
}

/// A call whose arguments are bound to parameters.
#[derive(Clone, Debug)]
pub struct Call {
    /// The built-in.
    pub name: &'static str,
    /// The whole call.
    pub span: Span,
    /// One per parameter.
    pub args: Vec<Option<Operand>>,
}

/// A built-in.
pub struct Builtin {
    /// Its name.
    pub name: &'static str,
    /// In positional order.
    pub params: &'static [Param],
    /// Checks the operands and builds the operations.
    pub build: fn(&mut Elaborator<'_>, &mut Call) -> Outcome<Traced>,
    /// One line.
    pub doc: &'static str,
}

const ALL: &[Builtin] = &[
    Builtin { name: "zeros", params: make::SHAPED, build: make::zeros, doc: "An array of zeros." },
    Builtin { name: "ones", params: make::SHAPED, build: make::ones, doc: "An array of ones." },
    Builtin { name: "full", params: make::FILLED, build: make::full, doc: "An array of one value." },
];

/// All built-ins that make operations.
pub fn all() -> impl Iterator<Item = &'static Builtin> {
    ALL.iter()
}

/// The built-in of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Builtin> {
    ALL.iter().find(|builtin| builtin.name == name)
}

/// The signature as messages show it: `full(shape, value, dtype = ...)`.
#[must_use]
pub fn signature(builtin: &Builtin) -> String {
    let params: Vec<String> = builtin
        .params
        .iter()
        .map(|param| if param.required { param.name.to_owned() } else { format!("{} = ...", param.name) })
        .collect();
    format!("{}({})", builtin.name, params.join(", "))
}

/// Binds the arguments and builds the call.
///
/// # Errors
/// A diagnostic has been reported: an unknown keyword, a missing or surplus argument, or what the built-in refuses.
pub fn call(el: &mut Elaborator<'_>, name: &str, span: Span, args: Vec<(Option<Ident>, Operand)>) -> Outcome<Traced> {
    let Some(builtin) = find(name) else { return el.fail(diagnostics::unknown_name(name, None, span)) };
    let text = signature(builtin);
    let mut bound: Vec<Option<Operand>> = vec![None; builtin.params.len()];
    for (position, (keyword, operand)) in args.into_iter().enumerate() {
        let slot = match &keyword {
            None => Some(position),
            Some(keyword) => builtin.params.iter().position(|param| *param.name == *keyword.name),
        };
        match (slot.and_then(|slot| bound.get_mut(slot)), keyword) {
            (Some(place), _) if place.is_none() => *place = Some(operand),
            (Some(_), _) => {
                let message = format!("an argument of `{name}` is given twice");
                return el.fail(diagnostics::surplus_argument(message, &text, operand.span));
            }
            (None, Some(keyword)) => {
                return el.fail(diagnostics::unknown_argument(&keyword.name, &text, keyword.span));
            }
            (None, None) => {
                let message = format!("`{name}` takes {} arguments, not more", builtin.params.len());
                return el.fail(diagnostics::surplus_argument(message, &text, operand.span));
            }
        }
    }
    let missing = builtin.params.iter().zip(&bound).find(|(param, operand)| param.required && operand.is_none());
    if let Some((param, _)) = missing {
        return el.fail(diagnostics::missing_argument(param.name, &text, span));
    }
    el.builder.span = span;
    (builtin.build)(el, &mut Call { name: builtin.name, span, args: bound })
}
