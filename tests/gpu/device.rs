//! A backend that runs plans on the simulator: kernels and steps as PTX, loops and branches on the host.

use arr::backends::cuda::ptx;
use arr::backends::{Arguments, Backend, Buffer, Executable, Stop};
use arr::base::{Broken, DType, Literal, Unavailable};
use arr::ir::array::{ParamKind, Program};
use arr::ir::plan::{Plan, Slot, Step, Storage};
use cusim::{Memory, Module};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// Threads of a launch above which the simulator is too slow; who sees this leaves the program out.
pub(crate) const TOO_LARGE: &str = "too large for the simulator";
const MOST_THREADS: u64 = 270_000;
/// Launches of a program above which it is left out.
const MOST_LAUNCHES: usize = 6000;

/// The device.
#[derive(Clone)]
pub(crate) struct Gpu {
    memory: Rc<RefCell<Memory>>,
    allocated: Rc<Cell<u64>>,
    launches: Rc<Cell<usize>>,
}

impl Default for Gpu {
    fn default() -> Self {
        Self { memory: Rc::new(RefCell::new(Memory::new())), allocated: Rc::default(), launches: Rc::default() }
    }
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
        self.gpu.memory.borrow_mut().free(self.address).expect("it is freed once");
        self.gpu.allocated.set(self.gpu.allocated.get() - self.bytes);
    }
}

impl Buffer for GpuBuffer {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&self, offset: u64, into: &mut [u8]) {
        self.gpu.memory.borrow().read(self.address + offset, into).expect("written and in range");
    }

    fn write(&self, offset: u64, from: &[u8]) {
        self.gpu.memory.borrow_mut().write(self.address + offset, from).expect("in range");
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
        let address = self.memory.borrow_mut().alloc(bytes).ok_or_else(|| Unavailable {
            what: format!("{bytes} B"),
            why: "the simulator has no more".into(),
            hint: String::new(),
        })?;
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
        let module = Module::load(&ptx::module(plan)).map_err(|fault| broken(fault.to_string()))?;
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
                let mut memory = self.gpu.memory.borrow_mut();
                let address = memory.alloc(8).expect("8 bytes");
                memory.write(address, &bits.to_le_bytes()).expect("in range");
                scalars.push((at, address));
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
        scalars.iter().for_each(|(_, address)| self.gpu.memory.borrow_mut().free(*address).expect("once"));
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
        let memory = self.loaded.gpu.memory.borrow();
        memory.read(self.pointer(slot), &mut bits[..dtype.bytes()]).expect("written and in range");
        Literal::new(dtype, u64::from_le_bytes(bits))
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), Stop> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn launch(&self, entry: &ptx::Entry, module: &Module, slots: &[Slot]) -> Result<(), Stop> {
        let launches = &self.loaded.gpu.launches;
        launches.set(launches.get() + 1);
        if u64::from(entry.blocks) * u64::from(ptx::BLOCK) > MOST_THREADS || launches.get() > MOST_LAUNCHES {
            return Err(Stop::Broken(broken(TOO_LARGE)));
        }
        let params: Vec<u64> = slots.iter().map(|&slot| self.pointer(slot)).collect();
        let mut memory = self.loaded.gpu.memory.borrow_mut();
        let done = module.launch(&entry.name, entry.blocks, ptx::BLOCK, 0, &params, &mut memory);
        done.map_err(|fault| Stop::Broken(broken(fault.to_string())))
    }

    fn other(&self, step: &Step, slots: &[Slot]) -> Result<(), Stop> {
        let key = std::ptr::from_ref(step) as usize;
        let known = self.loaded.steps.borrow().get(&key).cloned();
        let known = match known {
            Some(known) => known,
            None => {
                let entry = ptx::step_entry(step, "step").ok_or_else(|| Stop::Broken(broken("a step has an entry")))?;
                let module = Module::load(&format!("{}{}", ptx::HEAD, entry.text));
                let module = module.map_err(|fault| Stop::Broken(broken(fault.to_string())))?;
                let known = Rc::new((entry, module));
                self.loaded.steps.borrow_mut().insert(key, known.clone());
                known
            }
        };
        self.launch(&known.0, &known.1, slots)
    }

    fn step(&mut self, step: &Step) -> Result<(), Stop> {
        match step {
            Step::Launch { kernel, buffers } => {
                self.launch(&self.loaded.entries[*kernel], &self.loaded.module, buffers)
            }
            Step::Copy { from, to, bytes } => {
                let mut memory = self.loaded.gpu.memory.borrow_mut();
                let done = memory.copy(self.pointer(*to), self.pointer(*from), *bytes);
                done.map_err(|misuse| Stop::Broken(broken(misuse.to_string())))
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
                    let mut memory = self.loaded.gpu.memory.borrow_mut();
                    memory.write(self.pointer(*index), &at.to_le_bytes()).expect("in range");
                    drop(memory);
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
