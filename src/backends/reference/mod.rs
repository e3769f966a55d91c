//! The plain backend: evaluates the array IR itself, before any pass, one operation after the other.
//!
//! It is the meaning of the array IR: short and obvious rather than fast, and sharing no code with passes, planner or
//! kernels, so that it shares no bug with them. Of a plan it obeys the sources of the outputs alone; everything is
//! computed before anything is written.

mod array;
mod interpret;
mod moves;
mod reduce;
#[cfg(test)]
mod tests;

pub use array::Array;

use super::{Arguments, Backend, Buffer, Executable, Stop};
use crate::base::{Broken, Literal, Span, Unavailable};
use crate::ir::array::{Check, Op, OpKind, ParamKind, Program, Region};
use crate::ir::plan::{OutputSource, Plan};
use array::{Elements, count, known};
use interpret::Interpreter;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

fn broken(invariant: impl Into<String>) -> Stop {
    Stop::Broken(Broken::new("reference", invariant))
}

/// The results of a program for arguments on the host, one per parameter (scalars as rank-0 arrays).
///
/// A failing check is numbered as the n-th Check of the program, in pre-order over its regions.
///
/// # Errors
/// When a check fails, or when program or arguments break a rule.
pub fn evaluate(program: &Program, args: &[Array]) -> Result<Vec<Array>, Stop> {
    let arrays = args
        .iter()
        .map(|arg| Elements::from_bytes(arg.dtype, arg.extents.clone(), &arg.bytes).map(|x| Some(Rc::new(x))));
    let arrays = arrays.collect::<Result<Vec<_>, Stop>>()?;
    let never = AtomicBool::new(false);
    let results = Interpreter::new(program, &never).run(arrays)?;
    Ok(results.iter().map(|result| result.to_array()).collect())
}

/// The backend; counts the bytes that it has handed out.
#[derive(Debug, Default)]
pub struct Reference {
    allocated: Rc<Cell<u64>>,
}

impl Reference {
    /// Nothing allocated yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Backend for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn allocate(&self, bytes: u64) -> Result<Rc<dyn Buffer>, Unavailable> {
        let mut memory = Vec::new();
        let length = usize::try_from(bytes).ok().filter(|&length| memory.try_reserve_exact(length).is_ok());
        let length = length.ok_or_else(|| Unavailable {
            what: format!("{} of memory", crate::base::bytes::human(bytes)),
            why: "the system refused the allocation".into(),
            hint: "use smaller arrays or release some first".into(),
        })?;
        // Not zeros: whoever reads what nobody wrote shall notice.
        memory.resize(length, 0xa5);
        self.allocated.set(self.allocated.get() + bytes);
        Ok(Rc::new(HostBuffer { memory: RefCell::new(memory), allocated: Rc::clone(&self.allocated) }))
    }

    fn allocated(&self) -> u64 {
        self.allocated.get()
    }

    fn pooled(&self) -> u64 {
        0
    }

    fn load(&self, program: &Program, plan: &Plan) -> Result<Rc<dyn Executable>, Broken> {
        if program.params.len() != plan.params.len() || program.body.results.len() != plan.outputs.len() {
            return Err(Broken::new("reference", "the plan is not one of this program"));
        }
        Ok(Rc::new(Loaded { program: program.clone(), plan: plan.clone() }))
    }
}

/// Memory on the heap.
#[derive(Debug)]
struct HostBuffer {
    memory: RefCell<Vec<u8>>,
    allocated: Rc<Cell<u64>>,
}

impl Drop for HostBuffer {
    fn drop(&mut self) {
        self.allocated.set(self.allocated.get().saturating_sub(self.bytes()));
    }
}

impl Buffer for HostBuffer {
    fn bytes(&self) -> u64 {
        self.memory.borrow().len() as u64
    }

    fn read(&self, offset: u64, into: &mut [u8]) {
        let memory = self.memory.borrow();
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let from = memory.get(start..).and_then(|rest| rest.get(..into.len()));
        debug_assert!(from.is_some(), "read of {} bytes at {offset} of {}", into.len(), memory.len());
        if let Some(from) = from {
            into.copy_from_slice(from);
        }
    }

    fn write(&self, offset: u64, from: &[u8]) {
        let mut memory = self.memory.borrow_mut();
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let into = memory.get_mut(start..).and_then(|rest| rest.get_mut(..from.len()));
        debug_assert!(into.is_some(), "write of {} bytes at {offset}", from.len());
        if let Some(into) = into {
            into.copy_from_slice(from);
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A program with the plan that says where its outputs go.
#[derive(Debug)]
struct Loaded {
    program: Program,
    plan: Plan,
}

impl Loaded {
    /// An array that is not there is fine as long as the program reads only its type.
    fn arguments(&self, arguments: &Arguments<'_>) -> Result<Vec<Option<Rc<Elements>>>, Stop> {
        let mut arrays = Vec::new();
        for (at, param) in self.program.params.iter().enumerate() {
            let (dtype, extents) = known(self.program.ty(param.value))?;
            let missing = || broken(format!("argument {at} (`{}`) is missing", param.name));
            let array = if param.kind == ParamKind::Scalar {
                Elements::scalar(Literal::new(dtype, *arguments.scalars.get(at).ok_or_else(missing)?))
            } else {
                let Some(buffer) = arguments.params.get(at).copied().flatten() else {
                    arrays.push(None);
                    continue;
                };
                let length = count(&extents).and_then(|elements| elements.checked_mul(dtype.bytes()));
                let length = length.filter(|&length| length as u64 <= buffer.bytes()).ok_or_else(missing)?;
                let mut bytes = vec![0; length];
                buffer.read(0, &mut bytes);
                Elements::from_bytes(dtype, extents, &bytes)?
            };
            arrays.push(Some(Rc::new(array)));
        }
        Ok(arrays)
    }

    /// The plan numbers the checks that are left after the passes; the place tells which one it is.
    fn number_in_plan(&self, number: usize) -> usize {
        let mut all = Vec::new();
        collect_checks(&self.program.body, &mut all);
        let Some((check, op)) = all.get(number) else { return number };
        let same = |(other, span): &(Check, Span)| other == *check && *span == op.span;
        if self.plan.checks.get(number).is_some_and(same) {
            return number;
        }
        self.plan.checks.iter().position(same).unwrap_or(number)
    }
}

fn collect_checks<'a>(region: &'a Region, into: &mut Vec<(&'a Check, &'a Op)>) {
    for op in &region.ops {
        if let OpKind::Check(check) = &op.kind {
            into.push((check, op));
        }
        for region in &op.regions {
            collect_checks(region, into);
        }
    }
}

impl Executable for Loaded {
    fn run(&self, arguments: &Arguments<'_>) -> Result<(), Stop> {
        let arrays = self.arguments(arguments)?;
        let results = Interpreter::new(&self.program, arguments.interrupt).run(arrays).map_err(|stop| match stop {
            Stop::Check { check, shown } => Stop::Check { check: self.number_in_plan(check), shown },
            other => other,
        })?;
        let mut writes: Vec<(&dyn Buffer, Array)> = Vec::new();
        for (at, (output, result)) in self.plan.outputs.iter().zip(&results).enumerate() {
            let buffer = match output.source {
                OutputSource::Fresh(fresh) | OutputSource::HandedOver { fresh, .. } => {
                    arguments.fresh.get(fresh).copied()
                }
                OutputSource::InPlace(param) => arguments.params.get(param).copied().flatten(),
                OutputSource::Shared(_) | OutputSource::Same(_) => continue,
            };
            let array = result.to_array();
            let buffer = buffer.filter(|buffer| buffer.bytes() >= array.bytes.len() as u64);
            writes.push((buffer.ok_or_else(|| broken(format!("output {at} has no buffer of its size")))?, array));
        }
        for (buffer, array) in writes {
            buffer.write(0, &array.bytes);
        }
        Ok(())
    }

    fn code_bytes(&self) -> u64 {
        0
    }

    fn dump(&self, _stage: &str) -> Option<String> {
        None
    }
}
