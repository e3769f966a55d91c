//! A loaded program: binds the buffers of a run to the plan's slots and walks its steps.
//!
//! Invariant: `load` has checked that every step names slots and kernels that exist and are large enough; `run` checks
//! the sizes of what it is given before the first step, so that no step touches a byte that is not the plan's.

use super::along::{along, scatter};
use super::call::Machine;
use super::compile::{Compiled, Stage, compile, show};
use super::launch::{Scratch, launch, scratch_bytes};
use super::matmul::{Operand, matmul};
use super::memory::{HostBuffer, Raw, copy};
use super::steps::{donated_slots, touched_params, verify};
use super::threads::Threads;
use crate::backends::{Arguments, Buffer, Executable, Stop};
use crate::base::{Broken, DType, Literal};
use crate::ir::array::ParamKind;
use crate::ir::plan::{MatmulOperand, Plan, Slot, Step, Storage};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// Buffers of a kernel that need no allocation at a launch.
const FEW: usize = 16;

/// A program with its code.
pub(super) struct Loaded {
    plan: Plan,
    kernels: Vec<Compiled>,
    /// Holds the code that `kernels` call.
    _machine: Machine,
    code_bytes: u64,
    threads: Rc<Threads>,
    /// Partial results of reductions, `scratch_bytes` for each worker.
    scratch: RefCell<Vec<u64>>,
    scratch_bytes: u64,
    /// One per slot; kept so that a run allocates nothing.
    pointers: RefCell<Vec<Raw>>,
    /// One per parameter: whether a step may touch it.
    touched: Vec<bool>,
    /// One per slot: whether it may point into a donated argument.
    donated: Vec<bool>,
}

fn broken(invariant: impl Into<String>) -> Broken {
    Broken::new("cpu", invariant)
}

impl Loaded {
    /// Checks and compiles a plan.
    pub(super) fn new(plan: &Plan, threads: &Rc<Threads>) -> Result<Self, Broken> {
        verify(plan)?;
        let (machine, kernels, code_bytes) = compile(&plan.kernels)?;
        let scratch_bytes = kernels.iter().map(scratch_bytes).max().unwrap_or(0).next_multiple_of(64);
        let words = scratch_bytes.checked_mul(threads.count() as u64).map(|bytes| bytes / 8);
        let words = words.and_then(|words| usize::try_from(words).ok()).ok_or_else(|| broken("partial results fit"))?;
        Ok(Self {
            plan: plan.clone(),
            kernels,
            _machine: machine,
            code_bytes,
            threads: Rc::clone(threads),
            scratch: RefCell::new(vec![0; words]),
            scratch_bytes,
            pointers: RefCell::new(Vec::with_capacity(plan.slots.len())),
            touched: touched_params(plan),
            donated: donated_slots(plan),
        })
    }

    fn bind(&self, arguments: &Arguments<'_>, pointers: &mut Vec<Raw>) -> Result<(), Broken> {
        let plan = &self.plan;
        pointers.clear();
        for slot in &plan.slots {
            let raw = match slot.storage {
                Storage::Param(at) => self.param(arguments, at)?,
                Storage::Fresh(at) => {
                    let bytes = plan.fresh.get(at).copied().unwrap_or(0);
                    host(arguments.fresh.get(at).copied(), bytes)?
                }
                Storage::Arena(offset) => host(arguments.arena, plan.arena)?.plus(offset),
            };
            pointers.push(raw);
        }
        Ok(())
    }

    fn param(&self, arguments: &Arguments<'_>, at: usize) -> Result<Raw, Broken> {
        let Some(param) = self.plan.params.get(at) else { return Err(broken("a slot is an argument")) };
        if param.kind == ParamKind::Scalar {
            return arguments.scalars.get(at).map(Raw::of).ok_or_else(|| broken("each scalar has a value"));
        }
        match arguments.params.get(at).copied().flatten() {
            // Of some arguments only the type is read.
            None if self.touched.get(at) == Some(&false) => Ok(Raw::NOWHERE),
            given => host(given, param.bytes),
        }
    }
}

/// The address of a buffer of at least so many bytes.
fn host(buffer: Option<&dyn Buffer>, bytes: u64) -> Result<Raw, Broken> {
    let buffer = buffer.and_then(|buffer| buffer.as_any().downcast_ref::<HostBuffer>());
    let fits = buffer.filter(|buffer| buffer.bytes() >= bytes);
    match fits {
        Some(buffer) => Ok(buffer.raw()),
        None if bytes == 0 => Ok(Raw::NOWHERE),
        None => Err(broken(format!("a buffer of {bytes} bytes is given"))),
    }
}

impl Executable for Loaded {
    fn run(&self, arguments: &Arguments<'_>) -> Result<(), Stop> {
        let busy = || Stop::Broken(broken("a program runs once at a time"));
        let mut pointers = self.pointers.try_borrow_mut().map_err(|_| busy())?;
        let mut scratch = self.scratch.try_borrow_mut().map_err(|_| busy())?;
        self.bind(arguments, &mut pointers).map_err(Stop::Broken)?;
        let scratch = Scratch { start: Raw::of_numbers_mut(scratch.as_mut_slice()), bytes: self.scratch_bytes };
        let mut run = Run { loaded: self, arguments, pointers: &mut pointers, scratch, written: false };
        run.steps(&self.plan.steps)
    }

    fn code_bytes(&self) -> u64 {
        self.code_bytes
    }

    fn dump(&self, stage: &str) -> Option<String> {
        let stage = match stage {
            "clif" => Stage::Clif,
            "asm" => Stage::Asm,
            _ => return None,
        };
        Some(show(&self.plan.kernels, stage).unwrap_or_else(|error| error.to_string()))
    }
}

struct Run<'a> {
    loaded: &'a Loaded,
    arguments: &'a Arguments<'a>,
    pointers: &'a mut Vec<Raw>,
    scratch: Scratch,
    /// Whether a donated argument may have been written.
    written: bool,
}

impl Run<'_> {
    fn raw(&self, slot: Slot) -> Raw {
        self.pointers.get(slot.0 as usize).copied().unwrap_or(Raw::NOWHERE)
    }

    fn writes(&mut self, slot: Slot) {
        self.written |= self.loaded.donated.get(slot.0 as usize).copied().unwrap_or(false);
    }

    fn flag(&self, slot: Slot) -> bool {
        self.raw(slot).numbers::<u8>(1).first().is_some_and(|&flag| flag != 0)
    }

    fn long(&self, slot: Slot) -> i64 {
        self.raw(slot).numbers::<i64>(1).first().copied().unwrap_or(0)
    }

    /// Ctrl-C counts as long as nothing that the caller gave away has been changed.
    fn interrupted(&self) -> Result<(), Stop> {
        let asked = !self.written && self.arguments.interrupt.load(Ordering::Relaxed);
        if asked { Err(Stop::Interrupted) } else { Ok(()) }
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), Stop> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Result<(), Stop> {
        match step {
            Step::Launch { kernel, buffers } => self.launch(*kernel, buffers),
            Step::Copy { from, to, bytes } => {
                self.writes(*to);
                self.copy(*from, *to, *bytes);
            }
            Step::Matmul { a, b, out, sizes, dtype } => {
                self.writes(*out);
                let operand = |of: &MatmulOperand| Operand {
                    start: self.raw(of.slot).plus(of.offset * dtype.bytes() as u64),
                    strides: of.strides,
                };
                matmul(&self.loaded.threads, *dtype, *sizes, operand(a), operand(b), self.raw(*out));
            }
            Step::Along { op, from, out, sizes, dtype } => {
                self.writes(*out);
                along(&self.loaded.threads, *op, *dtype, *sizes, self.raw(*from), self.raw(*out));
            }
            Step::Scatter { target, index, updates, sizes, dtype } => {
                self.writes(*target);
                let size = dtype.bytes() as u64;
                scatter(*sizes, size, self.raw(*target), self.raw(*index), self.raw(*updates));
            }
            Step::Check { check, bad, shown } => {
                if self.flag(*bad) {
                    let shown = shown.iter().map(|&(slot, dtype)| self.literal(slot, dtype)).collect();
                    return Err(Stop::Check { check: *check, shown });
                }
            }
            Step::For { start, end, step, index, body } => return self.count([*start, *end, *step], *index, body),
            Step::While { condition, flag, body } => loop {
                self.steps(condition)?;
                if !self.flag(*flag) {
                    break;
                }
                self.interrupted()?;
                self.steps(body)?;
            },
            Step::If { flag, then, otherwise } => {
                return self.steps(if self.flag(*flag) { then } else { otherwise });
            }
            Step::Permute(moves) => self.permute(moves),
        }
        Ok(())
    }

    fn launch(&mut self, kernel: usize, slots: &[Slot]) {
        let loaded = self.loaded;
        let (Some(compiled), Some(original)) = (loaded.kernels.get(kernel), loaded.plan.kernels.get(kernel)) else {
            return;
        };
        for (&slot, info) in slots.iter().zip(&original.buffers) {
            if info.stored {
                self.writes(slot);
            }
        }
        let mut few = [Raw::NOWHERE; FEW];
        match few.get_mut(..slots.len()) {
            Some(table) => {
                table.iter_mut().zip(slots).for_each(|(to, &slot)| *to = self.raw(slot));
                launch(compiled, table, &loaded.threads, self.scratch);
            }
            None => {
                let table: Vec<Raw> = slots.iter().map(|&slot| self.raw(slot)).collect();
                launch(compiled, &table, &loaded.threads, self.scratch);
            }
        }
    }

    fn copy(&self, from: Slot, to: Slot, bytes: u64) {
        const PART: u64 = 256 << 10;
        let (from, to) = (self.raw(from), self.raw(to));
        if bytes <= 2 * PART {
            copy(from, to, bytes);
            return;
        }
        self.loaded.threads.each(bytes.div_ceil(PART) as usize, &|task, _| {
            let start = task as u64 * PART;
            copy(from.plus(start), to.plus(start), PART.min(bytes - start));
        });
    }

    fn count(&mut self, [start, end, step]: [Slot; 3], index: Slot, body: &[Step]) -> Result<(), Stop> {
        let (mut at, end, step) = (self.long(start), self.long(end), self.long(step));
        while (step > 0 && at < end) || (step < 0 && at > end) {
            self.interrupted()?;
            self.raw(index).numbers_mut::<i64>(1).fill(at);
            self.steps(body)?;
            let Some(next) = at.checked_add(step) else { break };
            at = next;
        }
        Ok(())
    }

    fn permute(&mut self, moves: &[(Slot, Slot)]) {
        let mut few = [Raw::NOWHERE; FEW];
        let mut many = Vec::new();
        let held: &mut [Raw] = match few.get_mut(..moves.len()) {
            Some(few) => few,
            None => {
                many.resize(moves.len(), Raw::NOWHERE);
                &mut many
            }
        };
        held.iter_mut().zip(moves).for_each(|(held, (_, from))| *held = self.raw(*from));
        for (&raw, (to, _)) in held.iter().zip(moves) {
            if let Some(slot) = self.pointers.get_mut(to.0 as usize) {
                *slot = raw;
            }
        }
    }

    fn literal(&self, slot: Slot, dtype: DType) -> Literal {
        let raw = self.raw(slot);
        let bytes = raw.numbers::<u8>(dtype.bytes() as u64).iter();
        let bits = bytes.rev().fold(0u64, |bits, &byte| (bits << 8) | u64::from(byte));
        Literal::new(dtype, bits)
    }
}
