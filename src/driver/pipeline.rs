//! From an elaborated program to one that can be run: the passes, the plan, its proof, the machine code.

use crate::base::Broken;
use crate::certify::{Certificate, certify};
use crate::ir::array::Program;
use crate::ir::plan::Plan;
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
    let plan = place::check::check(place::plan::plan(&optimise(program.clone())?)?)?;
    if cfg!(debug_assertions) {
        certificate(plan.plan())?;
    }
    Ok(plan)
}

/// The second opinion on a plan. It is asked for every plan in debug builds and tests.
///
/// # Errors
/// When it differs from the first.
pub fn certificate(plan: &Plan) -> Result<Certificate, Broken> {
    certify(plan).map_err(|violation| Broken::new("certify", violation.to_string()))
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
