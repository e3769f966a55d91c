//! A backend that runs plans on the simulator: kernels and steps as PTX, loops and branches on the host.

use crate::simulator::{Memory, Module};
use arr::backends::cuda::ptx;
use arr::backends::{Arguments, Backend, Buffer, Executable, Stop};
use arr::base::{Broken, DType, Literal, Unavailable};
use arr::ir::array::{ParamKind, Program};
use arr::ir::kernel::Body;
use arr::ir::plan::{Plan, Slot, Step, Storage};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Threads of a launch above which the simulator is too slow; who sees this leaves the program out.
pub(crate) const TOO_LARGE: &str = "too large for the simulator";
const MOST_THREADS: u64 = 65_536;
/// Launches of a program above which it is left out.
const MOST_LAUNCHES: usize = 6000;

/// The device.
#[derive(Clone, Default)]
pub(crate) struct Gpu {
    memory: Rc<RefCell<Memory>>,
    allocated: Rc<Cell<u64>>,
    launches: Rc<Cell<usize>>,
}

impl Gpu {
    /// Launches so far.
    pub(crate) fn launches(&self) -> usize {
        self.launches.get()
    }
}

struct GpuBuffer {
    gpu: Gpu,
    address: u64,
    bytes: u64,
}

impl Drop for GpuBuffer {
    fn drop(&mut self) {
        self.gpu.memory.borrow_mut().free(self.address);
        self.gpu.allocated.set(self.gpu.allocated.get() - self.bytes);
    }
}

impl Buffer for GpuBuffer {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&self, offset: u64, into: &mut [u8]) {
        self.gpu.memory.borrow().read(self.address + offset, into);
    }

    fn write(&self, offset: u64, from: &[u8]) {
        self.gpu.memory.borrow_mut().write(self.address + offset, from);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn broken(invariant: impl Into<String>) -> Broken {
    Broken::new("gpu", invariant)
}

impl Backend for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn allocate(&self, bytes: u64) -> Result<Rc<dyn Buffer>, Unavailable> {
        // Not zeros: whoever reads what nobody wrote shall notice.
        let address = self.memory.borrow_mut().allocate(&vec![0xa5; bytes as usize]);
        self.allocated.set(self.allocated.get() + bytes);
        Ok(Rc::new(GpuBuffer { gpu: self.clone(), address, bytes }))
    }

    fn allocated(&self) -> u64 {
        self.allocated.get()
    }

    fn pooled(&self) -> u64 {
        0
    }

    fn load(&self, _program: &Program, plan: &Plan) -> Result<Rc<dyn Executable>, Broken> {
        let module = Module::load(&ptx::module(plan)).map_err(|fault| broken(fault.0))?;
        Ok(Rc::new(Loaded {
            gpu: self.clone(),
            entries: ptx::entries(plan),
            module,
            plan: plan.clone(),
            steps: RefCell::default(),
        }))
    }
}

struct Loaded {
    gpu: Gpu,
    plan: Plan,
    module: Module,
    entries: Vec<ptx::Entry>,
    /// Entries of steps that are no kernel, by their address in the plan.
    steps: RefCell<HashMap<usize, Rc<(ptx::Entry, Module)>>>,
}

/// Where slots point during a run.
struct Run<'a> {
    loaded: &'a Loaded,
    pointers: Vec<u64>,
}

impl Executable for Loaded {
    fn run(&self, arguments: &Arguments<'_>) -> Result<(), Stop> {
        let address = |buffer: &dyn Buffer| buffer.as_any().downcast_ref::<GpuBuffer>().map_or(0, |own| own.address);
        let mut scalars: Vec<(usize, u64)> = Vec::new();
        for (at, param) in self.plan.params.iter().enumerate() {
            if param.kind == ParamKind::Scalar {
                let bits = arguments.scalars.get(at).copied().unwrap_or(0);
                scalars.push((at, self.gpu.memory.borrow_mut().allocate(&bits.to_le_bytes())));
            }
        }
        let pointers = self.plan.slots.iter().map(|slot| match slot.storage {
            Storage::Param(at) => match (scalars.iter().find(|(param, _)| *param == at), arguments.params[at]) {
                (Some((_, address)), _) => *address,
                (None, buffer) => buffer.map_or(0, address),
            },
            Storage::Fresh(at) => address(arguments.fresh[at]),
            Storage::Arena(offset) => arguments.arena.map_or(0, address) + offset,
        });
        let mut run = Run { loaded: self, pointers: pointers.collect() };
        let done = run.steps(&self.plan.steps);
        scalars.iter().for_each(|(_, address)| self.gpu.memory.borrow_mut().free(*address));
        done
    }

    fn code_bytes(&self) -> u64 {
        0
    }

    fn dump(&self, _stage: &str) -> Option<String> {
        None
    }
}

impl Run<'_> {
    fn pointer(&self, slot: Slot) -> u64 {
        self.pointers[slot.0 as usize]
    }

    fn read(&self, slot: Slot, dtype: DType) -> Literal {
        let mut bits = [0; 8];
        self.loaded.gpu.memory.borrow().read(self.pointer(slot), &mut bits[..dtype.bytes()]);
        Literal::new(dtype, u64::from_le_bytes(bits))
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), Stop> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn launch(&self, entry: &ptx::Entry, module: &Module, slots: &[Slot], by_warp: bool) -> Result<(), Stop> {
        let launches = &self.loaded.gpu.launches;
        launches.set(launches.get() + 1);
        if u64::from(entry.blocks) * u64::from(ptx::BLOCK) > MOST_THREADS || launches.get() > MOST_LAUNCHES {
            return Err(Stop::Broken(broken(TOO_LARGE)));
        }
        let params: Vec<u64> = slots.iter().map(|&slot| self.pointer(slot)).collect();
        let mut memory = self.loaded.gpu.memory.borrow_mut();
        let done = module.launch(&entry.name, (entry.blocks, ptx::BLOCK), &params, &mut memory, by_warp);
        done.map_err(|fault| Stop::Broken(broken(fault.0)))
    }

    fn other(&self, step: &Step, slots: &[Slot]) -> Result<(), Stop> {
        let key = std::ptr::from_ref(step) as usize;
        let known = self.loaded.steps.borrow().get(&key).cloned();
        let known = match known {
            Some(known) => known,
            None => {
                let entry = ptx::step_entry(step, "step").ok_or_else(|| Stop::Broken(broken("a step has an entry")))?;
                let module = Module::load(&format!("{}{}", ptx::HEAD, entry.text));
                let module = module.map_err(|fault| Stop::Broken(broken(fault.0)))?;
                let known = Rc::new((entry, module));
                self.loaded.steps.borrow_mut().insert(key, known.clone());
                known
            }
        };
        self.launch(&known.0, &known.1, slots, false)
    }

    fn step(&mut self, step: &Step) -> Result<(), Stop> {
        match step {
            Step::Launch { kernel, buffers } => {
                let reduces = matches!(self.loaded.plan.kernels[*kernel].body, Body::Reduce { .. });
                self.launch(&self.loaded.entries[*kernel], &self.loaded.module, buffers, reduces)
            }
            Step::Copy { from, to, bytes } => {
                let mut copied = vec![0; *bytes as usize];
                let mut memory = self.loaded.gpu.memory.borrow_mut();
                memory.read(self.pointer(*from), &mut copied);
                memory.write(self.pointer(*to), &copied);
                Ok(())
            }
            Step::Matmul { a, b, out, .. } => self.other(step, &[a.slot, b.slot, *out]),
            Step::Along { from, out, .. } => self.other(step, &[*from, *out]),
            Step::Scatter { target, index, updates, .. } => self.other(step, &[*target, *index, *updates]),
            Step::Check { check, bad, shown } => {
                if !self.read(*bad, DType::Bool).to_bool() {
                    return Ok(());
                }
                let shown = shown.iter().map(|(slot, dtype)| self.read(*slot, *dtype)).collect();
                Err(Stop::Check { check: *check, shown })
            }
            Step::For { start, end, step, index, body } => {
                let [mut at, end, by] = [start, end, step].map(|slot| self.read(*slot, DType::I64).to_i64());
                while if by > 0 { at < end } else { at > end } {
                    self.loaded.gpu.memory.borrow_mut().write(self.pointer(*index), &at.to_le_bytes());
                    self.steps(body)?;
                    at += by;
                }
                Ok(())
            }
            Step::While { condition, flag, body } => loop {
                self.steps(condition)?;
                if !self.read(*flag, DType::Bool).to_bool() {
                    return Ok(());
                }
                self.steps(body)?;
            },
            Step::If { flag, then, otherwise } => {
                let chosen = if self.read(*flag, DType::Bool).to_bool() { then } else { otherwise };
                self.steps(chosen)
            }
            Step::Permute(moves) => {
                let before = self.pointers.clone();
                moves.iter().for_each(|(to, from)| self.pointers[to.0 as usize] = before[from.0 as usize]);
                Ok(())
            }
        }
    }
}
