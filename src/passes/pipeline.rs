//! The passes over arrays in their order, as a named list.

use crate::base::Broken;
use crate::ir::array::Program;
use crate::ir::array::verify::verify;
use crate::passes::{cse, dce, hoist, simplify};

/// A pass with the name that reports of broken invariants show.
pub type Pass = (&'static str, fn(Program) -> Program);

/// What [`optimise`] runs. Dead code goes last: the other passes leave it behind.
pub const PIPELINE: [Pass; 6] = [
    ("simplify", simplify::run),
    ("cse", cse::run),
    ("hoist", hoist::run),
    // Merging and hoisting make operands meet that did not before.
    ("cse after hoist", cse::run),
    ("simplify after cse", simplify::run),
    ("dce", dce::run),
];

/// The program after all passes over arrays; verified after each in debug builds, and once in release builds.
///
/// # Errors
/// When a pass, or whoever built the program, broke a rule of the IR.
pub fn optimise(mut program: Program) -> Result<Program, Broken> {
    verify(&program, "elaborate")?;
    for (name, pass) in PIPELINE {
        program = pass(program);
        if cfg!(debug_assertions) {
            verify(&program, name)?;
        }
    }
    verify(&program, "dce")?;
    Ok(program)
}
