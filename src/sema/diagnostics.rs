//! The texts of this room: one small function per message.
//!
//! | code | says |
//! |---|---|
//! | E0201 | an array or a number was expected |
//! | E0202 | a number does not fit its type |
//! | E0203 | an unknown name |
//! | E0204 | a name that was deleted or given away |
//! | E0206 | an operator does not take these operands |
//! | E0207 | a value must be known before the program runs |
//! | E0208 | recursion |
//! | E0209 | nested or unrolled too deep |
//! | E0210 | shapes do not broadcast |
//! | E0211 | matrix product: inner extents differ |
//! | E0212 | an array too large for any memory |
//! | E0213 | a condition is not one truth value |
//! | E0214 | branches, or rounds of a loop, disagree on a type |
//! | E0215 | an assertion is refuted |
//! | E0216 | has no meaning inside a program |
//! | E0217 | a definition inside a function |
//! | E0218 | an `int`-only operation meets a negative power |
//! | E0220 | an unknown argument name |
//! | E0221 | a missing argument |
//! | E0222 | too many arguments, or one given twice |
//! | E0223 | called, but no function |
//! | E0224 | no such field |
//! | E0225 | a tuple of another length |
//! | E0226 | a record or tuple of another structure |
//! | E0230 | an index out of range |
//! | E0231 | more indexes than axes |
//! | E0232 | no index |
//! | E0233 | a mask as an index |
//! | E0234 | a step of 0 |
//! | E0240 | a value does not have its written type |
//! | E0241 | a written type that means nothing |
//! | E0307 | `donate` on a value without a buffer |
//! | E0321 | a name that has a value on some paths only |

use crate::base::{DType, Diagnostic, Size, Span};

/// A known number that its dtype cannot hold.
#[must_use]
pub fn does_not_fit(n: &str, dtype: DType, span: Span) -> Diagnostic {
    Diagnostic::error("E0202", format!("{n} does not fit {dtype}"), span, format!("converted to {dtype} here"))
        .help("use a number that fits, or convert the array to a wider dtype first, as in `i64(x)` or `f64(x)`")
}

/// Neither array nor number.
#[must_use]
pub fn not_an_array(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0201", format!("expected an array or a number, found {found}"), span, "not an array")
        .help("pass an array or a number; a field or element of a record or tuple is written `r.w`, `t[0]`")
}

/// A name that nothing is bound to.
#[must_use]
pub fn unknown_name(name: &str, meant: Option<&str>, span: Span) -> Diagnostic {
    let diagnostic =
        Diagnostic::error("E0203", format!("there is no `{name}`"), span, "nothing of this name is bound here");
    match meant {
        Some(meant) => diagnostic.help(format!("did you mean `{meant}`?")),
        None => diagnostic.help(format!("bind it first: `{name} = ...`")),
    }
}

/// A name that was deleted or donated.
#[must_use]
pub fn gone(name: &str, how: &str, at: Span, span: Span) -> Diagnostic {
    Diagnostic::error("E0204", format!("`{name}` was {how}"), span, format!("`{name}` is needed here"))
        .label(at, format!("{how} here"))
        .help(format!("bind `{name}` anew before this"))
}

/// A local name without a value yet, or with one on some paths only.
#[must_use]
pub fn maybe_unbound(name: &str, bound: Span, why: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0321", format!("`{name}` may have no value here: {why}"), span, "read here")
        .label(bound, "bound here")
        .help(format!("give `{name}` a value before, on every path"))
}

/// An operator on operands that it does not take.
#[must_use]
pub fn bad_operands(op: &str, found: &[(String, Span)], whole: Span, help: &str) -> Diagnostic {
    let list: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
    let mut diagnostic =
        Diagnostic::error("E0206", format!("`{op}` does not take {}", list.join(" and ")), whole, "this operation");
    for (text, span) in found {
        diagnostic = diagnostic.label(*span, format!("this is {text}"));
    }
    diagnostic.help(help)
}

/// A value that decides a shape, but is computed by the program.
#[must_use]
pub fn must_be_known(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "E0207",
        format!("{what} must be known before the program runs"),
        span,
        "this is computed from the elements of an array while the program runs",
    )
    .help("use a literal, a dim, or a host argument here, or read the array outside the `jit` with `item(x)`")
}

/// A function that calls itself.
#[must_use]
pub fn recursion(name: &str, first: Span, span: Span) -> Diagnostic {
    Diagnostic::error("E0208", format!("`{name}` calls itself"), span, "called again here, while it is running")
        .label(first, "the first call")
        .help("write it with a `for` or `while` loop")
}

/// Nesting or unrolling beyond what is compiled.
#[must_use]
pub fn too_deep(what: &str, limit: usize, span: Span, help: &str) -> Diagnostic {
    Diagnostic::error("E0209", format!("{what}: more than {limit}"), span, "here").help(help)
}

/// The inner extents of a product.
#[must_use]
pub fn matmul(left: (&str, &Size, Span), right: (&str, &Size, Span), whole: Span) -> Diagnostic {
    let message = format!("`@`: {} and {} do not fit: {} against {}", left.0, right.0, left.1, right.1);
    Diagnostic::error("E0211", message, whole, "the last axis of the left meets the last but one of the right")
        .label(left.2, format!("this is {}", left.0))
        .label(right.2, format!("this is {}", right.0))
        .help("the inner extents must be equal; `x.T` swaps the axes of a matrix")
}

/// More bytes than can be addressed.
#[must_use]
pub fn too_large(ty: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0212", format!("{ty} is too large for any memory"), span, "this many bytes cannot be addressed")
        .help("check the sizes: an array holds at most 2 ** 62 bytes")
}

/// A condition that is no truth value.
#[must_use]
pub fn no_condition(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0213", format!("a condition is one truth value, found {found}"), span, "the condition")
        .help("reduce it with `any(...)` or `all(...)`")
}

/// Two types where one is needed.
#[must_use]
pub fn disagree(what: &str, left: (&str, Span), right: (&str, Span), span: Span, help: &str) -> Diagnostic {
    Diagnostic::error("E0214", format!("{what}: {} against {}", left.0, right.0), span, "the types must agree")
        .label(left.1, format!("{} here", left.0))
        .label(right.1, format!("{} here", right.0))
        .help(help)
}

/// An assertion that is false before anything runs.
#[must_use]
pub fn refuted(message: Option<&str>, span: Span) -> Diagnostic {
    let text = message.map_or_else(|| "this assertion is false".to_owned(), |text| format!("assertion failed: {text}"));
    Diagnostic::error("E0215", text, span, "false in every run").help("correct the assertion or what it speaks of")
}

/// A statement or built-in that acts on the process, inside a program.
#[must_use]
pub fn no_meaning(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0216", format!("{what} has no meaning inside a `jit`"), span, "a program computes arrays only")
        .help("move it to the top level or into a `fn` that the top level calls")
}

/// A definition inside a function body.
#[must_use]
pub fn nested_definition(name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0217", format!("`{name}` is defined inside a function"), span, "a definition here")
        .help("define it at the top level and pass it what it needs")
}

/// A negative power of ints.
#[must_use]
pub fn negative_power(span: Span) -> Diagnostic {
    Diagnostic::error("E0218", "an integer array has no negative power", span, "the exponent is negative")
        .help("convert the array first: `f32(x) ** -1`")
}

/// A keyword that the function does not have.
#[must_use]
pub fn unknown_argument(name: &str, signature: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0220", format!("there is no parameter `{name}`"), span, "not a parameter")
        .help(format!("the signature is `{signature}`"))
}

/// A parameter without an argument.
#[must_use]
pub fn missing_argument(name: &str, signature: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0221", format!("`{name}` is missing"), span, format!("no argument for `{name}`"))
        .help(format!("the signature is `{signature}`"))
}

/// An argument too many, or given by position and name.
#[must_use]
pub fn surplus_argument(message: String, signature: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0222", message, span, "this argument").help(format!("the signature is `{signature}`"))
}

/// A call of what is no function.
#[must_use]
pub fn not_callable(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0223", format!("{found} cannot be called"), span, "not a function")
        .help("call a function by its name; elements are written `x[0]`")
}

/// A field that is not there.
#[must_use]
pub fn no_field(field: &str, found: &str, has: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0224", format!("{found} has no `.{field}`"), span, "no such field")
        .help(format!("it has {has}"))
}

/// A tuple of the wrong length.
#[must_use]
pub fn tuple_length(message: String, span: Span) -> Diagnostic {
    Diagnostic::error("E0225", message, span, "here").help("as many names as elements; elements count from 0")
}

/// Trees of different structure.
#[must_use]
pub fn structure(message: String, span: Span) -> Diagnostic {
    Diagnostic::error("E0226", message, span, "here").help("the trees must have the same fields and lengths")
}

/// A known index outside its axis.
#[must_use]
pub fn out_of_range(index: i64, axis: usize, extent: &str, span: Span) -> Diagnostic {
    Diagnostic::error(
        "E0230",
        format!("index {index} is out of range for axis {axis} of extent {extent}"),
        span,
        "this index",
    )
    .help(format!("indexes run from -{extent} to {extent} - 1"))
}

/// More indexes than axes.
#[must_use]
pub fn too_many_indexes(given: usize, ty: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0231", format!("{given} indexes for {ty}"), span, "too many indexes")
        .help("one index per axis; `...` stands for the axes that are not named")
}

/// Something that cannot be an index.
#[must_use]
pub fn no_index(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0232", format!("{found} cannot be an index"), span, "not an index")
        .help("an index is an int, a slice `a:b:s`, `...`, `newaxis`, or an array of ints")
}

/// A bool array as an index.
#[must_use]
pub fn mask_index(ty: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0233", format!("{ty} cannot be an index: the result would have no fixed shape"), span, "a mask")
        .help("`where(mask, a, b)` chooses element by element; `sum(where(mask, x, 0))` adds what is chosen")
}

/// A step of zero.
#[must_use]
pub fn zero_step(span: Span) -> Diagnostic {
    Diagnostic::error("E0234", "a step cannot be 0", span, "the step").help("use 1, or a negative step to go backwards")
}

/// A value of another type than written.
#[must_use]
pub fn annotation(what: &str, written: &str, found: &str, at: Span, annotation: Span) -> Diagnostic {
    Diagnostic::error("E0240", format!("{what} is {found}, not {written}"), at, format!("this is {found}"))
        .label(annotation, "the type written here")
        .help("change the written type, or convert the value")
}

/// A written type without meaning.
#[must_use]
pub fn bad_type(message: String, span: Span) -> Diagnostic {
    Diagnostic::error("E0241", message, span, "in this type")
        .help("a type is `f32[n, 4]`, `int`, `float`, `bool`, `str`, a tuple or a record of types")
}

/// `donate` on a host value.
#[must_use]
pub fn no_buffer(name: &str, kind: &str, span: Span, declared: Span) -> Diagnostic {
    Diagnostic::error("E0307", format!("`{name}` cannot be donated: {kind} has no buffer"), span, "the argument")
        .label(declared, "declared `donate` here")
        .help(format!("drop `donate` from `{name}`, or pass an array"))
}

/// An index into what has no elements.
#[must_use]
pub fn no_index_into(found: &str, span: Span) -> Diagnostic {
    Diagnostic::error("E0232", format!("{found} has no elements to index"), span, "indexed here")
        .help("arrays and tuples have elements; fields of a record are written `r.w`")
}
