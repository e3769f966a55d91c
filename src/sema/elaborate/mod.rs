//! The elaborator: walks a tree and builds a program, reporting what is wrong on the way.
//!
//! ```text
//! p - lr * g        p: f32[n, m], g: f32[n, m], lr: float (an input)
//!   %3: f32[] = cast.f32 %lr
//!   %4: f32[n, m] = broadcast %3
//!   %5: f32[n, m] = mul %4, %g
//!   %6: f32[n, m] = sub %p, %5
//! ```
//! Invariant: `Err(Reported)` is returned only after a diagnostic (or fault) was recorded.

pub mod arith;

use crate::base::{Diagnostic, Fault, Size, Span};
use crate::ir::array::{ArrayType, Builder, Program};
use crate::sema::value::{Host, Known, Scalar, Traced, Type, Value};
use crate::syntax::ast::{Function, Name};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a free name means outside.
#[derive(Clone, Debug)]
pub enum Binding {
    /// A value of this type.
    Value(Type),
    /// A function of the program.
    Function(Rc<Function>),
    /// It was bound, and `del` or a donation at this place took it away.
    Gone {
        /// The statement that took it away.
        at: Span,
        /// `deleted` or `donated`.
        how: &'static str,
    },
}

/// The surroundings of what is elaborated.
pub trait Scope {
    /// The meaning of a free name.
    fn lookup(&self, name: &str) -> Option<Binding>;
    /// All names that could have been meant, for "did you mean".
    fn names(&self) -> Vec<Name>;
    /// What an unknown int stands for where a size is needed: a fresh symbol in the check of a whole program, nothing
    /// (an error) where everything must be known.
    fn unknown_size(&self, at: Span) -> Option<Size>;
}

/// Where a parameter of the elaborated program comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A leaf of a free name; `path` counts elements of tuples and fields of records.
    Free {
        /// The name.
        name: Name,
        /// The way to the leaf.
        path: Vec<usize>,
    },
    /// A leaf of an argument of the called function.
    Argument {
        /// Which argument.
        index: usize,
        /// The way to the leaf.
        path: Vec<usize>,
    },
}

/// A leaf of the result.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// Output of the program (array, or a rank-0 i64/f64/bool that is read back as a host value).
    Output(usize),
    /// A host value that is the same in every run with this signature.
    Constant(Scalar),
}

/// What elaboration gives.
#[derive(Clone, Debug)]
pub struct Elaborated {
    /// The program; one parameter per input.
    pub program: Program,
    /// Where its parameters come from.
    pub inputs: Vec<Input>,
    /// Host inputs (indexes into `inputs`) whose value was compiled in: part of the signature.
    pub demanded: Vec<usize>,
    /// The result: array leaves are output numbers.
    pub result: Value<usize, Leaf>,
    /// The type of the result.
    pub ty: Type,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Why there is no program.
#[derive(Clone, Debug)]
pub enum Rejected {
    /// The program is wrong.
    Diagnostics(Vec<Diagnostic>),
    /// Host arithmetic on known values failed (division by zero).
    Fault(Fault),
}

/// A diagnostic or fault has been recorded.
#[derive(Clone, Copy, Debug)]
pub struct Reported;

/// Result of elaborating something.
pub type Outcome<T> = Result<T, Reported>;

/// A program under construction with the names around it.
pub struct Elaborator<'s> {
    /// Builds the program.
    pub builder: Builder,
    /// Free names.
    pub scope: &'s dyn Scope,
    /// Names of the functions being inlined, innermost last.
    pub frames: Vec<Frame>,
    /// Sources of the parameters so far, with the traced value of each.
    pub inputs: Vec<(Input, Traced)>,
    /// Per input: its value was compiled in.
    pub demanded: Vec<bool>,
    /// What was reported.
    pub diagnostics: Vec<Diagnostic>,
    /// A fault of host arithmetic.
    pub fault: Option<Fault>,
    /// Free names that are arrays are captured (the body of a `jit`), not lent (an expression at the top level).
    pub captures: bool,
}

/// The names of one function body.
pub struct Frame {
    /// Its local names.
    pub names: BTreeMap<Name, Traced>,
    /// The function and the call that led here; `None` for an expression of the top level.
    pub function: Option<(Rc<Function>, Span)>,
}

impl Elaborator<'_> {
    /// Records a diagnostic, with the call chain when it arises inside a function.
    pub fn fail<T>(&mut self, mut diagnostic: Diagnostic) -> Outcome<T> {
        for frame in self.frames.iter().rev() {
            if let Some((function, call)) = &frame.function {
                diagnostic = diagnostic.label(*call, format!("in this call of `{}`", function.name.name));
            }
        }
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    /// The value of a host value, compiled in: the inputs it came from become part of the signature.
    pub fn demand(&mut self, host: &Host) -> Option<Known> {
        let known = host.known.clone()?;
        for &origin in &host.origins {
            if let Some(slot) = self.demanded.get_mut(origin) {
                *slot = true;
            }
        }
        Some(known)
    }

    /// The type of an IR value.
    #[must_use]
    pub fn array_type(&self, value: crate::ir::array::Value) -> ArrayType {
        self.builder.ty(value).clone()
    }
}
