//! Runs a compiled program: binds buffers, allocates what the plan says, and makes handles of the outputs.
//!
//! Invariant: allocations are exactly the plan's fresh buffers and its arena; when a run stops early nothing was given away.

use super::Array;
use crate::backends::{Arguments, Backend, Buffer, Executable, Stop};
use crate::base::bytes::human;
use crate::base::{Broken, Span, Unavailable};
use crate::ir::array::{ParamKind, Program};
use crate::ir::plan::{OutputSource, Plan};
use crate::ledger::BufferId;
use crate::passes::place::check::CheckedPlan;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A device with what belongs to it for the life of a session.
pub struct Device {
    /// Does the work.
    pub backend: Box<dyn Backend>,
    /// Set by Ctrl-C.
    pub interrupt: Arc<AtomicBool>,
    /// Bytes that may be allocated at once, if somebody set a limit.
    pub budget: Option<u64>,
    next: Cell<u64>,
    peak: Cell<u64>,
}

/// A program that can be run.
pub struct Compiled {
    /// The proved plan.
    pub plan: CheckedPlan,
    /// The loaded code.
    pub executable: Rc<dyn Executable>,
}

/// One argument of a run.
pub enum Argument<'a> {
    /// An array.
    Array(&'a Array),
    /// A host scalar's bits: i64, f64, or 0/1.
    Scalar(u64),
    /// An array of which only the type matters; its buffer may be gone.
    Unread,
}

/// Why a run gave no result.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The program stopped.
    Stop(Stop),
    /// No memory.
    Unavailable(Unavailable),
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        Self::Stop(Stop::Broken(broken))
    }
}

impl Device {
    /// A device that works through `backend`.
    #[must_use]
    pub fn new(backend: Box<dyn Backend>, interrupt: Arc<AtomicBool>) -> Self {
        Self { backend, interrupt, budget: None, next: Cell::new(1), peak: Cell::new(0) }
    }

    /// The most bytes that were allocated at once.
    #[must_use]
    pub fn peak(&self) -> u64 {
        self.peak.get()
    }

    fn allocate(&self, bytes: u64) -> Result<Rc<dyn Buffer>, Failure> {
        let held = self.backend.allocated();
        if let Some(budget) = self.budget
            && held.saturating_add(bytes) > budget
        {
            return Err(Failure::Unavailable(Unavailable {
                what: format!("{} of memory", human(bytes)),
                why: format!("the budget is {}, and {} are allocated", human(budget), human(held)),
                hint: "release or give away what the ledger lists, or raise the budget".into(),
            }));
        }
        let memory = self.backend.allocate(bytes).map_err(Failure::Unavailable)?;
        self.peak.set(self.peak.get().max(self.backend.allocated()));
        Ok(memory)
    }

    /// A fresh identity.
    #[must_use]
    pub fn identity(&self) -> BufferId {
        let id = self.next.get();
        self.next.set(id + 1);
        BufferId(id)
    }

    /// Makes a checked plan runnable; `source` is the program before any pass.
    ///
    /// # Errors
    /// When the backend finds the plan broken.
    pub fn load(&self, source: &Program, plan: CheckedPlan) -> Result<Compiled, Broken> {
        let executable = self.backend.load(source, plan.plan())?;
        Ok(Compiled { plan, executable })
    }

    /// A copy of an array in a buffer of its own.
    ///
    /// # Errors
    /// When there is no memory for it, or the array was given away.
    pub fn copy(&self, array: &Array) -> Result<Array, Failure> {
        let from = array.memory().ok_or_else(|| given("copy"))?;
        let memory = self.allocate(array.bytes())?;
        let mut bytes = vec![0; usize::try_from(array.bytes()).unwrap_or(0)];
        from.read(0, &mut bytes);
        memory.write(0, &bytes);
        Ok(Array::new(self.identity(), memory, array.dtype, array.extents.clone()))
    }

    /// Runs a program for the statement at `at`. Donated arguments are taken out of all their handles once it has succeeded.
    ///
    /// # Errors
    /// When a check fails, memory is out, or Ctrl-C was pressed; then nothing has changed.
    pub fn run(&self, program: &Compiled, arguments: &[Argument<'_>], at: Span) -> Result<Vec<Array>, Failure> {
        let plan = program.plan.plan();
        if arguments.len() != plan.params.len() {
            return Err(Broken::new("execute", "one argument per parameter of the plan").into());
        }
        if given_beside(plan, arguments) {
            return Err(Broken::new("execute", "what is given away is no other argument too").into());
        }
        let mut held: Vec<Option<Rc<dyn Buffer>>> = Vec::with_capacity(arguments.len());
        let mut scalars = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match argument {
                Argument::Array(array) => {
                    held.push(Some(array.memory().ok_or_else(|| given("execute"))?));
                    scalars.push(0);
                }
                Argument::Scalar(bits) => {
                    held.push(None);
                    scalars.push(*bits);
                }
                Argument::Unread => {
                    held.push(None);
                    scalars.push(0);
                }
            }
        }
        let fresh = plan.fresh.iter().map(|&bytes| self.allocate(bytes)).collect::<Result<Vec<_>, _>>()?;
        let arena = if plan.arena == 0 { None } else { Some(self.allocate(plan.arena)?) };
        {
            let params: Vec<Option<&dyn Buffer>> = held.iter().map(Option::as_deref).collect();
            let fresh: Vec<&dyn Buffer> = fresh.iter().map(Rc::as_ref).collect();
            let arguments = Arguments {
                params: &params,
                scalars: &scalars,
                fresh: &fresh,
                arena: arena.as_deref(),
                interrupt: &self.interrupt,
            };
            program.executable.run(&arguments).map_err(Failure::Stop)?;
        }
        drop(held);
        self.outputs(program, arguments, &fresh, at)
    }

    fn outputs(
        &self,
        program: &Compiled,
        arguments: &[Argument<'_>],
        fresh: &[Rc<dyn Buffer>],
        at: Span,
    ) -> Result<Vec<Array>, Failure> {
        let plan = program.plan.plan();
        // Given buffers leave their old handles first, so that none survives beside the result.
        let mut given_away: Vec<Option<(BufferId, Rc<dyn Buffer>)>> = Vec::with_capacity(arguments.len());
        for (argument, param) in arguments.iter().zip(&plan.params) {
            given_away.push(match (argument, param.kind) {
                (Argument::Array(array), ParamKind::Array { donated: true }) => {
                    Some((array.id(), array.give(at).ok_or_else(|| given("execute"))?))
                }
                _ => None,
            });
        }
        let mut outputs: Vec<Array> = Vec::with_capacity(plan.outputs.len());
        for output in &plan.outputs {
            let extents: Rc<[u64]> = output.extents.as_slice().into();
            let array = match output.source {
                OutputSource::Fresh(k) | OutputSource::HandedOver { fresh: k, .. } => {
                    let memory = fresh.get(k).ok_or_else(|| Broken::new("execute", "fresh buffer exists"))?;
                    Array::new(self.identity(), memory.clone(), output.dtype, extents)
                }
                OutputSource::Shared(param) => match arguments.get(param) {
                    Some(Argument::Array(array)) => array.seen_as(output.dtype, extents),
                    _ => return Err(Broken::new("execute", "a shared output is an array argument").into()),
                },
                OutputSource::InPlace(param) => match given_away.get(param) {
                    Some(Some((id, memory))) => Array::new(*id, memory.clone(), output.dtype, extents),
                    _ => return Err(Broken::new("execute", "an in-place output was donated").into()),
                },
                OutputSource::Same(earlier) => match outputs.get(earlier) {
                    Some(array) => array.seen_as(output.dtype, extents),
                    None => return Err(Broken::new("execute", "outputs share earlier ones").into()),
                },
            };
            outputs.push(array);
        }
        Ok(outputs)
    }
}

/// Whether the buffer of a donated argument is that of another argument as well.
fn given_beside(plan: &Plan, arguments: &[Argument<'_>]) -> bool {
    let id = |argument: &Argument<'_>| match argument {
        Argument::Array(array) => Some(array.id()),
        _ => None,
    };
    plan.params.iter().zip(arguments).enumerate().any(|(at, (param, argument))| {
        param.kind == ParamKind::Array { donated: true }
            && arguments.iter().enumerate().any(|(other, beside)| other != at && id(beside) == id(argument))
    })
}

fn given(pass: &'static str) -> Failure {
    Broken::new(pass, "no buffer is read after it was given away").into()
}
