//! A backend that runs plans on the simulator: kernels and steps as PTX, loops and branches on the host.

use arr::backends::cuda::lower::{Address, Launch, Lowered, Work, lower};
use arr::backends::{Arguments, Backend, Buffer, Executable, Stop};
use arr::base::{Broken, DType, Literal, Unavailable};
use arr::ir::array::{ParamKind, Program};
use arr::ir::plan::{Plan, Slot, Storage};
use cusim::{Memory, Module};
use std::any::Any;
use std::cell::{Cell, RefCell};
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
        let lowered = lower(plan);
        let module = Module::load(&lowered.text).map_err(|fault| broken(fault.to_string()))?;
        Ok(Rc::new(Loaded { gpu: self.clone(), lowered, module, plan: plan.clone() }))
    }
}

struct Loaded {
    gpu: Gpu,
    plan: Plan,
    lowered: Lowered,
    module: Module,
}

/// Where slots point during a run.
struct Run<'a> {
    loaded: &'a Loaded,
    pointers: Vec<u64>,
    scratch: u64,
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
        let scratch = self.gpu.memory.borrow_mut().alloc(self.lowered.scratch.max(1)).expect("a little memory");
        let mut run = Run { loaded: self, pointers: pointers.collect(), scratch };
        let done = run.all(&self.lowered.work);
        self.gpu.memory.borrow_mut().free(scratch).expect("once");
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

    fn all(&mut self, work: &[Work]) -> Result<(), Stop> {
        work.iter().try_for_each(|work| self.one(work))
    }

    fn launch(&self, launch: &Launch) -> Result<(), Stop> {
        let launches = &self.loaded.gpu.launches;
        launches.set(launches.get() + 1);
        if u64::from(launch.blocks) * u64::from(launch.threads) > MOST_THREADS || launches.get() > MOST_LAUNCHES {
            return Err(Stop::Broken(broken(TOO_LARGE)));
        }
        let address = |argument: &Address| match *argument {
            Address::Slot(slot) => self.pointer(slot),
            Address::Scratch(offset) => self.scratch + offset,
        };
        let params: Vec<u64> = launch.arguments.iter().map(address).collect();
        let mut memory = self.loaded.gpu.memory.borrow_mut();
        let name = &self.loaded.lowered.entries[launch.entry];
        let done = self.loaded.module.launch(name, launch.blocks, launch.threads, 0, &params, &mut memory);
        done.map_err(|fault| Stop::Broken(broken(fault.to_string())))
    }

    fn one(&mut self, work: &Work) -> Result<(), Stop> {
        match work {
            Work::Launch(launch) => self.launch(launch),
            Work::Product { own, .. } => own.iter().try_for_each(|launch| self.launch(launch)),
            Work::Copy { from, to, bytes } => {
                let mut memory = self.loaded.gpu.memory.borrow_mut();
                let done = memory.copy(self.pointer(*to), self.pointer(*from), *bytes);
                done.map_err(|misuse| Stop::Broken(broken(misuse.to_string())))
            }
            Work::Check { check, bad, shown } => {
                if !self.read(*bad, DType::Bool).to_bool() {
                    return Ok(());
                }
                let shown = shown.iter().map(|(slot, dtype)| self.read(*slot, *dtype)).collect();
                Err(Stop::Check { check: *check, shown })
            }
            Work::For { range, index, body } => {
                let [mut at, end, by] = range.map(|slot| self.read(slot, DType::I64).to_i64());
                while if by > 0 { at < end } else { at > end } {
                    let mut memory = self.loaded.gpu.memory.borrow_mut();
                    memory.write(self.pointer(*index), &at.to_le_bytes()).expect("in range");
                    drop(memory);
                    self.all(body)?;
                    at += by;
                }
                Ok(())
            }
            Work::While { condition, flag, body } => loop {
                self.all(condition)?;
                if !self.read(*flag, DType::Bool).to_bool() {
                    return Ok(());
                }
                self.all(body)?;
            },
            Work::If { flag, then, otherwise } => {
                let chosen = if self.read(*flag, DType::Bool).to_bool() { then } else { otherwise };
                self.all(chosen)
            }
            Work::Permute(moves) => {
                let before = self.pointers.clone();
                moves.iter().for_each(|(to, from)| self.pointers[to.0 as usize] = before[from.0 as usize]);
                Ok(())
            }
        }
    }
}
