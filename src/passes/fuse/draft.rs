//! The draft of a plan: steps in program order over slots that each hold one value.

use super::choose::Choice;
use super::facts::{Facts, broken};
use super::region::Lowering;
use crate::base::{Broken, DType, Span};
use crate::ir::array::{Check, ParamKind, Program};
use crate::ir::kernel::Kernel;
use crate::ir::plan::{PlanParam, Slot, Step};

/// Steps and slots before any of them has a place. Slot `k` is argument `k` for every argument.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Arguments in order.
    pub params: Vec<PlanParam>,
    /// Size of each slot.
    pub bytes: Vec<u64>,
    /// Loop nests.
    pub kernels: Vec<Kernel>,
    /// What is done. A [`Step::Copy`] may turn out to be a change of name.
    pub steps: Vec<Step>,
    /// Faults.
    pub checks: Vec<(Check, Span)>,
    /// Results in order; an argument's slot where the result is an argument.
    pub outputs: Vec<DraftOutput>,
}

/// One result.
#[derive(Clone, Debug, PartialEq)]
pub struct DraftOutput {
    /// Where it is in the end.
    pub slot: Slot,
    /// Element type.
    pub dtype: DType,
    /// Extents.
    pub extents: Vec<u64>,
}

/// Lowers a program whose extents are all known.
///
/// # Errors
/// When the program breaks a rule of the IR.
pub fn draft(program: &Program) -> Result<Draft, Broken> {
    let facts = Facts::new(program)?;
    let choice = Choice::new(&facts)?;
    let mut lowering = Lowering::new(&facts, &choice);
    let mut params = Vec::new();
    for param in &program.params {
        let bytes = if param.kind == ParamKind::Scalar { 8 } else { facts.bytes(param.value) };
        lowering.bind(param.value, bytes);
        params.push(PlanParam {
            kind: param.kind,
            name: param.name.clone(),
            dtype: facts.dtype(param.value),
            extents: facts.extents(param.value).to_vec(),
            bytes,
        });
    }
    let steps = lowering.region(&program.body)?;
    let mut outputs = Vec::new();
    for &result in &program.body.results {
        let slot = lowering.slot(result)?;
        outputs.push(DraftOutput { slot, dtype: facts.dtype(result), extents: facts.extents(result).to_vec() });
    }
    if lowering.bytes.len() > u32::MAX as usize {
        return Err(broken("slots are numbered in 32 bits"));
    }
    let Lowering { bytes, kernels, checks, .. } = lowering;
    Ok(Draft { params, bytes, kernels, steps, checks, outputs })
}
