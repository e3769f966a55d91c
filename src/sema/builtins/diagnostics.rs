//! The texts of the built-ins. A value that does not fit its dtype has the room's code, E0202.
//!
//! | code | meaning |
//! |---|---|
//! | E0250 | an unknown keyword, or too many, too few or repeated arguments |
//! | E0251 | an argument of the wrong kind |
//! | E0252 | an axis out of range, or given twice |
//! | E0253 | a shape, count or width that does not fit the elements |
//! | E0254 | a reduction without an identity over no elements |
//! | E0255 | operands whose shapes do not fit together |
//! | E0256 | subscripts of `einsum` that make no sense |

use super::Builtin;
use crate::base::{DType, Diagnostic, Span};

fn wrong_arguments(builtin: &Builtin, message: String, at: Span, label: &str) -> Diagnostic {
    Diagnostic::error("E0250", message, at, label).help(format!("the signature is {}", builtin.signature()))
}

pub(super) fn unknown_keyword(builtin: &Builtin, keyword: &str, at: Span) -> Diagnostic {
    wrong_arguments(builtin, format!("`{}` has no parameter `{keyword}`", builtin.name), at, "unknown keyword")
}

pub(super) fn too_many(builtin: &Builtin, count: usize, at: Span) -> Diagnostic {
    let most = builtin.params.len();
    let plural = if most == 1 { "" } else { "s" };
    let message = format!("`{}` takes at most {most} argument{plural}, found {count}", builtin.name);
    wrong_arguments(builtin, message, at, "one too many")
}

pub(super) fn given_twice(builtin: &Builtin, at: usize, span: Span) -> Diagnostic {
    let name = builtin.params.get(at).map_or("", |param| param.name);
    wrong_arguments(builtin, format!("`{name}` of `{}` is given twice", builtin.name), span, "given again here")
}

pub(super) fn missing(builtin: &Builtin, param: &str, at: Span) -> Diagnostic {
    wrong_arguments(builtin, format!("`{}` needs `{param}`", builtin.name), at, "in this call")
}

/// A size, count or extent below 0.
pub(super) fn negative(message: String, at: Span) -> Diagnostic {
    Diagnostic::error("E0253", message, at, "below 0").help("give 0 or more")
}

pub(super) fn wrong_kind(what: &str, wanted: &str, found: &str, at: Span) -> Diagnostic {
    Diagnostic::error("E0251", format!("{what} is {wanted}, found {found}"), at, format!("not {wanted}"))
        .help(format!("give {wanted}"))
}

/// `max(a, b)` of host values: the name in NumPy for the larger of two is another.
pub(super) fn two_values(name: &str, elementwise: &str, at: Span) -> Diagnostic {
    let message = format!("`{name}` reduces one array, found two values");
    Diagnostic::error("E0251", message, at, "in this call")
        .help(format!("`{elementwise}(a, b)` chooses between two values"))
}

pub(super) fn value_does_not_fit(value: i128, dtype: DType, at: Span) -> Diagnostic {
    Diagnostic::error("E0202", format!("{value} does not fit {dtype}"), at, format!("a value of this {dtype} array"))
        .help("give a wider dtype, as in `dtype=i64`")
}

pub(super) fn axis_out_of_range(axis: i64, rank: usize, at: Span) -> Diagnostic {
    let message = format!("axis {axis} is out of range for an array of {rank} axes");
    let help = match rank {
        0 => "a rank-0 array has no axes; `stack` puts scalars together, `reshape(x, [1])` gives an axis".to_owned(),
        _ => format!("axes run from -{rank} to {}", rank - 1),
    };
    Diagnostic::error("E0252", message, at, "no such axis").help(help)
}

pub(super) fn axis_twice(axis: usize, at: Span) -> Diagnostic {
    Diagnostic::error("E0252", format!("axis {axis} is given twice"), at, "the same axis again")
        .help("name each axis once")
}

pub(super) fn wrong_shape(message: String, at: Span, label: &str, help: &str) -> Diagnostic {
    Diagnostic::error("E0253", message, at, label).help(help)
}

pub(super) fn nothing_to_reduce(name: &str, ty: &str, at: Span) -> Diagnostic {
    let message = format!("`{name}` over no elements: {ty} has an extent of 0 there");
    Diagnostic::error("E0254", message, at, "nothing to choose from").help("test the extent first: `if x.shape[0] > 0`")
}

pub(super) fn do_not_fit(message: String, whole: Span, operands: &[(String, Span)], help: &str) -> Diagnostic {
    let mut diagnostic = Diagnostic::error("E0255", message, whole, "in this call");
    for (ty, span) in operands {
        diagnostic = diagnostic.label(*span, format!("this is {ty}"));
    }
    diagnostic.help(help)
}

pub(super) fn subscripts(message: String, at: Span) -> Diagnostic {
    Diagnostic::error("E0256", message, at, "in these subscripts")
        .help("one letter per axis of each operand, e.g. einsum(\"ij,jk->ik\", a, b)")
}
