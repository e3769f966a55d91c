//! A simulator of the PTX that arr writes, for tests on machines without a GPU.
//!
//! A module is parsed and checked once ([`Module::load`]) and refused when it contains anything that is not known to
//! the letter. A launch runs every thread of every block, and is strict where hardware forgives: accesses outside of
//! allocations or misaligned, reads of what nobody wrote, races, barriers and shuffles that some threads miss are all
//! [`Fault`]s that name kernel, line, block and thread. [`c`] offers the same behind the functions of `libcuda.so.1`.
//!
//! Invariant: a launch that returns without a fault gives the same memory on every device that follows the PTX manual,
//! in whatever order its threads ran. (Payloads of NaN aside: those of f64 are the device's own business.)
//!
//! ```
//! let text = ".version 7.8 .target sm_80 .address_size 64
//! .visible .entry double_it(.param .u64 data) {
//!   .reg .u64 %a; .reg .u32 %i; .reg .f32 %x;
//!   ld.param.u64 %a, [data];
//!   mov.u32 %i, %tid.x;
//!   mad.wide.u32 %a, %i, 4, %a;
//!   ld.global.f32 %x, [%a];
//!   add.rn.f32 %x, %x, %x;
//!   st.global.f32 [%a], %x;
//! }";
//! let module = cusim::Module::load(text).expect("known PTX");
//! let mut memory = cusim::Memory::new();
//! let data = memory.alloc(8).expect("8 bytes");
//! memory.write(data, &[1.0_f32.to_le_bytes(), 2.5_f32.to_le_bytes()].concat()).expect("in range");
//! module.launch("double_it", 1, 2, 0, &[data], &mut memory).expect("no fault");
//! let mut result = [0; 8];
//! memory.read(data, &mut result).expect("in range and written");
//! assert_eq!(result, [2.0_f32.to_le_bytes(), 5.0_f32.to_le_bytes()].concat()[..]);
//! // One thread more is one too many.
//! assert!(module.launch("double_it", 1, 3, 0, &[data], &mut memory).is_err());
//! ```

mod alu;
pub mod c;
mod convert;
mod fault;
mod launch;
mod lex;
mod lower;
mod memory;
mod op;
mod parse;
mod race;
mod types;
mod warp;

pub use fault::{Fault, FaultKind, Misuse, Refused};
pub use memory::Memory;

/// PTX that was read and checked.
#[derive(Clone, Debug)]
pub struct Module {
    kernels: Vec<op::Kernel>,
    lines: Vec<String>,
}

impl Module {
    /// Reads and checks a module.
    pub fn load(text: &str) -> Result<Self, Refused> {
        let kernels = lower::lower(&parse::parse(text)?)?;
        Ok(Self { kernels, lines: text.lines().map(|line| line.trim().to_owned()).collect() })
    }

    /// The names of its entries.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|kernel| kernel.name.as_str())
    }

    /// How many parameters an entry takes.
    #[must_use]
    pub fn params(&self, entry: &str) -> Option<usize> {
        self.kernels.iter().find(|kernel| kernel.name == entry).map(|kernel| kernel.params)
    }

    /// Runs `grid` blocks of `block` threads with `shared` bytes for the `extern` shared array. Memory may be half
    /// written after a fault.
    pub fn launch(
        &self,
        entry: &str,
        grid: u32,
        block: u32,
        shared: u32,
        params: &[u64],
        memory: &mut Memory,
    ) -> Result<(), Fault> {
        let launched = match self.kernels.iter().find(|kernel| kernel.name == entry) {
            Some(kernel) => launch::run(kernel, &launch::Sizes { grid, block, shared }, params, memory),
            None => Err(launch::configuration("there is no such entry")),
        };
        launched.map_err(|wrong| {
            let text = wrong.line.checked_sub(1).and_then(|at| self.lines.get(at as usize)).cloned();
            Fault {
                kind: wrong.kind,
                kernel: entry.to_owned(),
                line: wrong.line,
                text: text.unwrap_or_default(),
                block: wrong.block,
                thread: wrong.thread,
                message: wrong.message,
            }
        })
    }
}
