//! The built-ins: one function each, which checks its operands and builds its operations.

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

const ALL: &[Builtin] = &[];

/// The built-in of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Builtin> {
    ALL.iter().find(|builtin| builtin.name == name)
}

/// Binds the arguments and builds the call.
///
/// # Errors
/// A diagnostic has been reported.
pub fn call(el: &mut Elaborator<'_>, name: &str, span: Span, args: Vec<(Option<Ident>, Operand)>) -> Outcome<Traced> {
    match find(name) {
        Some(builtin) => {
            let args = args.into_iter().map(|(_, operand)| Some(operand)).collect();
            (builtin.build)(el, &mut Call { name: builtin.name, span, args })
        }
        None => el.fail(diagnostics::unknown_name(name, None, span)),
    }
}
