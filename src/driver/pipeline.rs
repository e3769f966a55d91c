//! From an elaborated program to one that can be run: the passes, the plan, its proof, the machine code.

use crate::base::Broken;
use crate::ir::array::Program;
use crate::passes::place;
use crate::passes::place::check::CheckedPlan;
use crate::runtime::execute::{Compiled, Device};

/// The optimised program and its proved plan.
///
/// # Errors
/// When a pass broke an invariant.
pub fn plan(program: &Program) -> Result<CheckedPlan, Broken> {
    place::check::check(place::plan::plan(program)?)
}

/// The whole way.
///
/// # Errors
/// When a pass or the backend broke an invariant.
pub fn compile(device: &Device, program: &Program) -> Result<Compiled, Broken> {
    device.load(program, plan(program)?)
}
