//! The CPU: kernels compiled by cranelift, matrix products by matrixmultiply, work shared out by rayon.
//!
//! `load` compiles a plan's kernels once; `run` binds buffers and walks the steps. Invariant: the bits of a result
//! depend on the program and its arguments, not on the number of threads or on what ran before.

mod along;
mod call;
mod compile;
mod emit;
mod launch;
mod loops;
mod matmul;
mod memory;
mod run;
mod steps;
mod threads;

use super::{Backend, Buffer, Executable};
use crate::base::{Broken, Unavailable};
use crate::ir::array::Program;
use crate::ir::plan::Plan;
use memory::Pool;
use run::Loaded;
use std::rc::Rc;
use threads::Threads;

/// The processor and the memory of this machine.
pub struct Cpu {
    pool: Rc<Pool>,
    threads: Rc<Threads>,
}

impl Cpu {
    /// With so many threads, by default one per core.
    ///
    /// # Errors
    /// When there is no code for this processor, or the threads cannot be had.
    pub fn new(threads: Option<usize>) -> Result<Self, Unavailable> {
        compile::available().map_err(|error| Unavailable {
            what: "the device `cpu`".into(),
            why: error.invariant,
            hint: "use the device `reference`".into(),
        })?;
        Ok(Self { pool: Pool::new(), threads: Rc::new(Threads::new(threads)?) })
    }
}

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn allocate(&self, bytes: u64) -> Result<Rc<dyn Buffer>, Unavailable> {
        Ok(Rc::new(self.pool.allocate(bytes)?))
    }

    fn allocated(&self) -> u64 {
        self.pool.allocated()
    }

    fn pooled(&self) -> u64 {
        self.pool.pooled()
    }

    fn load(&self, _program: &Program, plan: &Plan) -> Result<Rc<dyn Executable>, Broken> {
        Ok(Rc::new(Loaded::new(plan, &self.threads)?))
    }
}
