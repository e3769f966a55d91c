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

pub mod annotate;
pub mod arith;
pub mod bind;
pub mod body;
pub mod call;
pub mod carry;
pub mod control;
pub mod entry;
pub mod expr;
pub mod fold;
pub mod gather;
pub mod host;
pub mod index;
pub mod loops;
pub mod operators;
pub mod power;
pub mod scatter;

pub use entry::{assignment, call, evaluate_host, expression};

use crate::base::{Diagnostic, Fault, Size, Span};
use crate::ir::array::builder::Checkpoint;
use crate::ir::array::{ArrayType, Builder, Program};
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, Known, Scalar, Traced, Type, Value};
use crate::syntax::ast::{Function, Name};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
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
    /// The type of the result; host values are known in it as far as those of the inputs are.
    pub ty: Type,
    /// Free names that meant functions of the program: it is another program once one of them is defined anew.
    pub functions: Vec<Name>,
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
    /// These functions, by address.
    running: FxHashSet<usize>,
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
    /// Host values of free names are constants: nothing is compiled, the value is wanted now.
    pub now: bool,
    /// Equalities of sizes that written types state and that are checked while running, where such are allowed.
    pub stated: Option<Vec<(Size, Size)>>,
    /// Free names that meant functions.
    functions: BTreeSet<Name>,
    /// The loops around the current place whose index is a value of the program, outermost first.
    loops: Vec<Rolled>,
    /// Loops whose index a failed demand asked for.
    wanted: BTreeSet<usize>,
    /// Loops so far.
    loop_count: usize,
    /// Rounds unrolled so far.
    unrolled: usize,
    /// Depth of expressions and blocks, calls included.
    depth: usize,
    /// Expressions and statements elaborated so far, those taken back included.
    steps: usize,
    /// Types that a loop was found to carry, by its place and the call around it: the next try starts from them.
    widened: BTreeMap<(Span, Option<Span>), BTreeMap<Name, Type>>,
}

/// A loop that is being compiled as a loop.
#[derive(Clone, Copy, Debug)]
struct Rolled {
    /// Stands in [`Host::origins`] of what the index decides.
    origin: usize,
    /// Whether it could be unrolled: its bounds are known.
    bounded: bool,
    /// Its index in the program.
    counter: Option<crate::ir::array::Value>,
    /// The least and the greatest index of every run, where all runs have the same bounds.
    range: Option<(i64, i64)>,
}

/// Origins from here on are loops, not inputs.
const LOOP_ORIGINS: usize = 1 << 40;
/// Deepest nesting of expressions over all inlined calls.
const DEEPEST: usize = 20_000;
/// Most expressions and statements of one program, inlined calls and unrolled rounds counted each time.
const MOST_STEPS: usize = 4_000_000;

/// The names of one function body.
#[derive(Clone, Default)]
pub struct Frame {
    /// Its local names.
    pub names: BTreeMap<Name, Traced>,
    /// The function and the call that led here; `None` for an expression of the top level.
    pub function: Option<(Rc<Function>, Span)>,
    /// Names that the body binds somewhere, with the first place: local even before that.
    pub locals: BTreeMap<Name, Span>,
    /// Names that have a value on some paths only: where it is bound, and which path lacks it.
    pub partial: BTreeMap<Name, (Span, Rc<str>)>,
}

/// A state to go back to.
struct Saved {
    builder: Checkpoint,
    frame: Frame,
    frames: usize,
    inputs: usize,
    demanded: Vec<bool>,
    diagnostics: usize,
    loops: usize,
    depth: usize,
}

impl<'s> Elaborator<'s> {
    /// An empty program in these surroundings.
    #[must_use]
    pub fn new(scope: &'s dyn Scope, captures: bool) -> Self {
        Self {
            builder: Builder::new(),
            scope,
            frames: vec![Frame::default()],
            running: FxHashSet::default(),
            inputs: Vec::new(),
            demanded: Vec::new(),
            diagnostics: Vec::new(),
            fault: None,
            captures,
            now: false,
            stated: None,
            functions: BTreeSet::new(),
            loops: Vec::new(),
            wanted: BTreeSet::new(),
            loop_count: 0,
            unrolled: 0,
            depth: 0,
            steps: 0,
            widened: BTreeMap::new(),
        }
    }
}

impl Elaborator<'_> {
    /// Records a diagnostic, with the call chain when it arises inside a function.
    pub fn fail<T>(&mut self, mut diagnostic: Diagnostic) -> Outcome<T> {
        const SHOWN: usize = 8;
        let calls: Vec<_> = self.frames.iter().rev().filter_map(|frame| frame.function.as_ref()).collect();
        for (function, call) in calls.iter().take(SHOWN) {
            diagnostic = diagnostic.label(*call, format!("in this call of `{}`", function.name.name));
        }
        if calls.len() > SHOWN {
            diagnostic = diagnostic.note(format!("and {} calls around it", calls.len() - SHOWN));
        }
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    /// Records that host arithmetic failed.
    pub fn fault<T>(&mut self, mut fault: Fault) -> Outcome<T> {
        fault.calls = self.frames.iter().filter_map(|frame| frame.function.as_ref()).map(|(_, at)| *at).collect();
        self.fault = Some(fault);
        Err(Reported)
    }

    /// The value of a host value, compiled in: the inputs it came from become part of the signature.
    ///
    /// An int that is not known is a symbol where the surroundings allow it; `None` where they do not.
    pub fn demand(&mut self, host: &Host) -> Option<Known> {
        let Some(known) = host.known.clone() else {
            let rolled = self.loops.iter().filter(|l| l.bounded && host.origins.contains(&l.origin));
            let wanted: Vec<usize> = rolled.map(|l| l.origin).collect();
            if !wanted.is_empty() {
                self.wanted.extend(wanted);
                return None;
            }
            let unknown = (host.kind == HostKind::Int).then(|| self.scope.unknown_size(self.builder.span));
            return unknown.flatten().map(Known::Int);
        };
        for &origin in &host.origins {
            if let Some(slot) = self.demanded.get_mut(origin) {
                *slot = true;
            }
        }
        Some(known)
    }

    /// The size that a host value says, compiled in; `what` names it in the message.
    pub fn demand_size(&mut self, value: &Traced, what: &str, span: Span) -> Outcome<Size> {
        let Value::Host(host) = value else {
            let message = format!("{what} is an int, found {}", self.describe(value));
            return self.fail(Diagnostic::error("E0206", message, span, "not an int").help("use an int"));
        };
        if host.kind != HostKind::Int {
            let message = format!("{what} is an int, found {}", host.kind.name());
            let help = match host.kind {
                HostKind::Float => "use `//` to divide sizes, or convert with `int(x)`",
                _ => "use an int",
            };
            return self.fail(Diagnostic::error("E0206", message, span, "not an int").help(help));
        }
        self.builder.span = span;
        match self.demand(host) {
            Some(Known::Int(size)) => Ok(size),
            _ => self.fail(diagnostics::must_be_known(what, span)),
        }
    }

    /// The type of an IR value.
    #[must_use]
    pub fn array_type(&self, value: crate::ir::array::Value) -> ArrayType {
        self.builder.ty(value).clone()
    }

    fn frame(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::default());
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn save(&mut self) -> Saved {
        Saved {
            builder: self.builder.checkpoint(),
            frame: self.frame().clone(),
            frames: self.frames.len(),
            inputs: self.inputs.len(),
            demanded: self.demanded.clone(),
            diagnostics: self.diagnostics.len(),
            loops: self.loops.len(),
            depth: self.depth,
        }
    }

    fn restore(&mut self, saved: &Saved) {
        self.builder.rollback(&saved.builder);
        self.frames.truncate(saved.frames);
        *self.frame() = saved.frame.clone();
        self.inputs.truncate(saved.inputs);
        self.demanded.clone_from(&saved.demanded);
        self.diagnostics.truncate(saved.diagnostics);
        self.fault = None;
        self.loops.truncate(saved.loops);
        self.depth = saved.depth;
    }

    /// Runs `inner` one level deeper, up to a limit that keeps the stack safe.
    fn deeper<T>(&mut self, span: Span, inner: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.depth >= DEEPEST {
            let help = "split the function, or replace the chain of calls by a loop";
            return self.fail(diagnostics::too_deep("nested expressions over all calls", DEEPEST, span, help));
        }
        self.steps += 1;
        if self.steps > MOST_STEPS {
            let help = "use loops in place of repeated calls: every call is inlined";
            return self.fail(diagnostics::too_deep("steps in one program", MOST_STEPS, span, help));
        }
        self.depth += 1;
        let outcome = inner(self);
        self.depth -= 1;
        outcome
    }
}
