//! The built-ins: one function each, which checks its operands and builds its operations.
//!
//! Names, argument order and result types are NumPy's and JAX's (with JAX's 32-bit defaults). To add one, write its
//! function in the file of its family and a row in that file's table; `arr` then knows it everywhere.

mod args;
mod diagnostics;
mod make;
mod elementwise;
mod reduce;
mod linear;
mod einsum;
mod shape;
mod order;
#[cfg(test)]
mod tests;

use crate::base::Span;
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{Traced, Value};
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

/// A parameter that must be given.
const fn needs(name: &'static str) -> Param {
    Param { name, required: true }
}

/// A parameter that may be left out.
const fn takes(name: &'static str) -> Param {
    Param { name, required: false }
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

impl Builtin {
    /// `sum(x, axis=, keepdims=)`.
    #[must_use]
    pub fn signature(&self) -> String {
        let params: Vec<String> = self
            .params
            .iter()
            .map(|param| if param.required { param.name.to_owned() } else { format!("{}=", param.name) })
            .collect();
        format!("{}({})", self.name, params.join(", "))
    }
}

/// Most operands that an `einsum` takes.
const EINSUM_OPERANDS: usize = 8;

/// All built-ins that make operations, family by family.
pub fn all() -> impl Iterator<Item = &'static Builtin> {
    let families: [&'static [Builtin]; 6] =
        [make::TABLE, elementwise::TABLE, reduce::TABLE, linear::TABLE, shape::TABLE, order::TABLE];
    families.into_iter().flatten()
}

/// The built-in of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Builtin> {
    all().find(|builtin| builtin.name == name)
}

/// Binds the arguments and builds the call.
///
/// # Errors
/// A diagnostic has been reported.
pub fn call(el: &mut Elaborator<'_>, name: &str, span: Span, args: Vec<(Option<Ident>, Operand)>) -> Outcome<Traced> {
    let Some(builtin) = find(name) else {
        return el.fail(crate::sema::diagnostics::unknown_name(name, None, span));
    };
    let mut bound: Vec<Option<Operand>> = vec![None; builtin.params.len()];
    let count = args.len();
    for (position, (keyword, operand)) in args.into_iter().enumerate() {
        let named = |name: &str| builtin.params.iter().position(|param| param.name == name);
        let at = match &keyword {
            Some(keyword) => match named(&keyword.name) {
                Some(at) => at,
                None => return el.fail(diagnostics::unknown_keyword(builtin, &keyword.name, keyword.span)),
            },
            // A dtype may stand last, whatever was left out before it.
            None if position + 1 == count && matches!(operand.value, Value::DType(_)) => {
                named("dtype").unwrap_or(position)
            }
            None => position,
        };
        match bound.get_mut(at) {
            None => return el.fail(diagnostics::too_many(builtin, count, operand.span)),
            Some(Some(_)) => return el.fail(diagnostics::given_twice(builtin, at, operand.span)),
            Some(slot) => *slot = Some(operand),
        }
    }
    for (param, arg) in builtin.params.iter().zip(&bound) {
        if param.required && arg.is_none() {
            return el.fail(diagnostics::missing(builtin, param.name, span));
        }
    }
    el.builder.span = span;
    (builtin.build)(el, &mut Call { name: builtin.name, span, args: bound })
}
