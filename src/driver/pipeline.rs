//! From an elaborated program to one that can be run: the passes, the plan, its proof, the machine code.

use crate::base::Broken;
use crate::ir::array::Program;
use crate::passes::place::check::CheckedPlan;
use crate::passes::{self, place};
use crate::runtime::execute::{Compiled, Device};

/// The program after the passes over arrays.
///
/// # Errors
/// When a pass broke an invariant.
pub fn optimise(program: Program) -> Result<Program, Broken> {
    passes::optimise(program)
}

/// The optimised program's proved plan.
///
/// # Errors
/// When a pass broke an invariant.
pub fn plan(program: &Program) -> Result<CheckedPlan, Broken> {
    place::check::check(place::plan::plan(&optimise(program.clone())?)?)
}

/// The whole way.
///
/// # Errors
/// When a pass or the backend broke an invariant.
pub fn compile(device: &Device, program: &Program) -> Result<Compiled, Broken> {
    // What is dead reads nothing: an argument of which only the type matters may be gone.
    let program = passes::dce::run(program.clone());
    device.load(&program, plan(&program)?)
}
