//! The functions of `libcuda.so.1` that a driver-API program calls, over the simulator.
//!
//! Put the built library into a directory as `libcuda.so.1` and let `LD_LIBRARY_PATH` point there. Work is done when it
//! is submitted, in the order of submission, which every stream order allows; a kernel that faults says so on standard
//! error and is reported, as by a driver, by the calls after it: the error sticks to the process.
//!
//! | variable | what it does |
//! |---|---|
//! | `CUSIM_NO_DEVICE=1` | there is a driver and no device |
//! | `CUSIM_MEMORY=bytes` | memory of the device (8 GiB) |
//! | `CUSIM_FAIL_ALLOC=n` | the n-th allocation finds no memory; `n+`: it and all later ones |
//! | `CUSIM_FAIL_LAUNCH=n` | the n-th launch fails on the device |
//! | `CUSIM_LOSE_DEVICE=n` | at the n-th operation (allocation, copy, fill, launch, synchronisation) the device is gone |
//! | `CUSIM_LOG=1` | each launch is told on standard error; at release of the device, what is still allocated |
//!
//! Invariant: a device address is never followed as a host pointer, and every status but success leaves memory as it
//! was.

pub mod device;
pub mod memory;
pub mod module;
pub mod stream;

use crate::fault::FaultKind;
use crate::{Memory, Module};
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// `CUresult`.
type Status = i32;

/// A pointer to where a result goes; null is refused.
type Out<'a, T> = Option<&'a mut MaybeUninit<T>>;

const SUCCESS: Status = 0;
const INVALID_VALUE: Status = 1;
const OUT_OF_MEMORY: Status = 2;
const NOT_INITIALIZED: Status = 3;
const NO_DEVICE: Status = 100;
const INVALID_DEVICE: Status = 101;
const INVALID_PTX: Status = 218;
/// What calls say once a device has fallen off the bus.
const UNKNOWN: Status = 999;
const INVALID_HANDLE: Status = 400;
const NOT_FOUND: Status = 500;
const ILLEGAL_ADDRESS: Status = 700;
const LAUNCH_TIMEOUT: Status = 702;
const MISALIGNED_ADDRESS: Status = 716;
const LAUNCH_FAILED: Status = 719;
const CAPTURE_UNSUPPORTED: Status = 900;
const CAPTURE_INVALID: Status = 901;

/// A kernel as a handle.
#[derive(Clone)]
struct Function {
    module: Arc<Module>,
    entry: String,
    params: usize,
    /// Bytes of shared memory that a launch may ask for.
    most_shared: u32,
}

/// Something that a stream does.
#[derive(Clone)]
enum Work {
    Launch { function: usize, grid: u32, block: u32, shared: u32, params: Vec<u64> },
    Copy { to: u64, from: u64, bytes: u64 },
    Fill { to: u64, byte: u8, count: u64 },
}

/// Everything behind the handles.
struct State {
    memory: Memory,
    initialized: bool,
    /// The error that all later calls report.
    broken: Option<Status>,
    modules: HashMap<usize, Arc<Module>>,
    functions: HashMap<usize, Function>,
    /// Streams, with what is captured on them.
    streams: HashMap<usize, Option<Vec<Work>>>,
    events: HashMap<usize, Option<Instant>>,
    graphs: HashMap<usize, Vec<Work>>,
    next: usize,
    allocations: u64,
    launches: u64,
    operations: u64,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

impl State {
    fn new() -> Self {
        let memory = number("CUSIM_MEMORY").map_or_else(Memory::new, Memory::with_limit);
        Self {
            memory,
            initialized: false,
            broken: None,
            modules: HashMap::new(),
            functions: HashMap::new(),
            streams: HashMap::new(),
            events: HashMap::new(),
            graphs: HashMap::new(),
            next: 0x10_0000,
            allocations: 0,
            launches: 0,
            operations: 0,
        }
    }

    /// A new handle; its value means nothing, and following it as a pointer faults.
    fn handle(&mut self) -> usize {
        self.next += 16;
        self.next
    }

    /// Counts an operation and loses the device when its time has come.
    fn operation(&mut self) -> Result<(), Status> {
        self.operations += 1;
        if number("CUSIM_LOSE_DEVICE") == Some(self.operations) {
            eprintln!("cusim: the device is gone, as CUSIM_LOSE_DEVICE asks");
            self.broken = Some(UNKNOWN);
        }
        self.broken.map_or(Ok(()), Err)
    }

    fn alloc(&mut self, bytes: usize) -> Result<u64, Status> {
        self.operation()?;
        if bytes == 0 {
            return Err(INVALID_VALUE);
        }
        self.allocations += 1;
        let wanted = std::env::var("CUSIM_FAIL_ALLOC").unwrap_or_default();
        let fails = match wanted.strip_suffix('+') {
            Some(from) => from.parse().is_ok_and(|from: u64| from <= self.allocations),
            None => wanted.parse() == Ok(self.allocations),
        };
        if fails {
            return Err(OUT_OF_MEMORY);
        }
        self.memory.alloc(bytes as u64).ok_or(OUT_OF_MEMORY)
    }

    /// Does it now, or notes it when `stream` is captured.
    fn submit(&mut self, stream: usize, work: Work) -> Result<(), Status> {
        if let Some(Some(captured)) = self.streams.get_mut(&stream) {
            captured.push(work);
            return Ok(());
        }
        self.perform(&work)
    }

    fn perform(&mut self, work: &Work) -> Result<(), Status> {
        self.operation()?;
        match work {
            Work::Launch { function, grid, block, shared, params } => {
                self.launch(*function, [*grid, *block, *shared], params)
            }
            Work::Copy { to, from, bytes } => {
                let copied = self.memory.copy(*to, *from, *bytes);
                copied.map_err(|misuse| self.misused(&misuse))
            }
            Work::Fill { to, byte, count } => {
                let filled = self.memory.fill(*to, *byte, *count);
                filled.map_err(|misuse| self.misused(&misuse))
            }
        }
    }

    fn launch(&mut self, function: usize, [grid, block, shared]: [u32; 3], params: &[u64]) -> Result<(), Status> {
        let Some(function) = self.functions.get(&function) else { return Err(INVALID_HANDLE) };
        if shared > function.most_shared {
            let Function { entry, most_shared, .. } = function;
            eprintln!("cusim: `{entry}` asks for {shared} bytes of shared memory and may have {most_shared}");
            return Err(INVALID_VALUE);
        }
        self.launches += 1;
        if number("CUSIM_FAIL_LAUNCH") == Some(self.launches) {
            eprintln!("cusim: the launch of `{}` fails, as CUSIM_FAIL_LAUNCH asks", function.entry);
            self.broken = Some(LAUNCH_FAILED);
            return Ok(());
        }
        if number("CUSIM_LOG").is_some() {
            eprintln!("cusim: `{}`, {grid} blocks of {block} threads, {shared} bytes", function.entry);
        }
        match function.module.launch(&function.entry, grid, block, shared, params, &mut self.memory) {
            Ok(()) => Ok(()),
            Err(fault) => {
                eprintln!("cusim: {fault}");
                match fault.kind {
                    FaultKind::Configuration => return Err(INVALID_VALUE),
                    FaultKind::OutOfBounds => self.broken = Some(ILLEGAL_ADDRESS),
                    FaultKind::Misaligned => self.broken = Some(MISALIGNED_ADDRESS),
                    FaultKind::Endless => self.broken = Some(LAUNCH_TIMEOUT),
                    _ => self.broken = Some(LAUNCH_FAILED),
                }
                // As on a device: the launch was accepted, and what follows learns of the fault.
                Ok(())
            }
        }
    }

    /// The host misused device memory: told, and not forgiven.
    fn misused(&mut self, misuse: &crate::Misuse) -> Status {
        eprintln!("cusim: {misuse}");
        let status = if misuse.kind == FaultKind::OutOfBounds { INVALID_VALUE } else { LAUNCH_FAILED };
        self.broken = Some(status);
        status
    }
}

/// Runs `act` on the state of an initialised driver that nothing has broken.
fn with(act: impl FnOnce(&mut State) -> Result<(), Status>) -> Status {
    always(|state| {
        if !state.initialized {
            return Err(NOT_INITIALIZED);
        }
        state.broken.map_or(Ok(()), Err)?;
        act(state)
    })
}

/// Runs `act` on the state as it is.
fn always(act: impl FnOnce(&mut State) -> Result<(), Status>) -> Status {
    let mut state: MutexGuard<'_, Option<State>> = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    match act(state.get_or_insert_with(State::new)) {
        Ok(()) => SUCCESS,
        Err(status) => status,
    }
}

/// Hands a result to the caller.
fn put<T>(out: Out<'_, T>, value: T) -> Result<(), Status> {
    let out = out.ok_or(INVALID_VALUE)?;
    out.write(value);
    Ok(())
}

/// The number that an environment variable holds.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Defines exported functions: each gives a status. Their names are those of the driver's library.
macro_rules! exported {
    ($($(#[$about:meta])* fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {$(
        $(#[$about])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($arg: $type),*) -> $crate::c::Status $body
    )*};
}
use exported;
