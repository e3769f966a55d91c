//! From an elaborated program to one that can be run: the passes, the plan, its proof, the machine code.

use crate::base::Broken;
use crate::certify::{Certificate, Meant, certify, means};
use crate::ir::array::Program;
use crate::ir::plan::Plan;
use crate::passes;
use crate::passes::fuse::{self, Draft};
use crate::passes::place::check::CheckedPlan;
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
    let (optimised, plan) = passes::plan(program)?;
    if cfg!(debug_assertions) {
        certificate(&optimised, plan.plan())?;
    }
    Ok(plan)
}

/// The second opinion on the plan of an optimised program. It is asked for every plan in debug builds and tests.
///
/// # Errors
/// When it differs from the first.
pub fn certificate(optimised: &Program, plan: &Plan) -> Result<Certificate, Broken> {
    let Draft { params, bytes, kernels, steps, checks, outputs } = fuse::draft(optimised)?;
    let outputs: Vec<_> = outputs.into_iter().map(|output| (output.slot, output.dtype, output.extents)).collect();
    let meant =
        Meant { params: &params, bytes: &bytes, kernels: &kernels, steps: &steps, checks: &checks, outputs: &outputs };
    let certified = certify(plan).and_then(|certificate| means(plan, &meant).map(|()| certificate));
    certified.map_err(|violation| Broken::new("certify", violation.to_string()))
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
