//! Whether a program is well formed; run after every pass in tests and debug builds.

use super::infer::{RegionType, infer};
use super::{Op, ParamKind, Program, Region, Value};
use crate::base::{Broken, DType};

/// Checks the invariants of the array IR on what `pass` has made.
///
/// # Errors
/// Names the pass, the operation and the rule.
pub fn verify(program: &Program, pass: &'static str) -> Result<(), Broken> {
    let mut verifier =
        Verifier { program, defined: vec![false; program.types.len()], visible: vec![false; program.types.len()] };
    verifier.program().map_err(|invariant| Broken::new(pass, invariant))
}

struct Verifier<'a> {
    program: &'a Program,
    /// Defined anywhere so far.
    defined: Vec<bool>,
    /// Defined in an enclosing region that has not ended.
    visible: Vec<bool>,
}

impl Verifier<'_> {
    fn program(&mut self) -> Result<(), String> {
        let program = self.program;
        if !program.params.iter().map(|param| param.value).eq(program.body.params.iter().copied()) {
            return Err("the arguments are not the parameters of the body".into());
        }
        for param in &program.params {
            let ty = program.types.get(param.value.0 as usize);
            let host = |dtype| matches!(dtype, DType::I64 | DType::F64 | DType::Bool);
            if param.kind == ParamKind::Scalar && !ty.is_some_and(|ty| ty.shape.rank() == 0 && host(ty.dtype)) {
                return Err(format!("`{}` is no host scalar", param.name));
            }
        }
        self.region(&program.body)
    }

    fn region(&mut self, region: &Region) -> Result<(), String> {
        let mut own = Vec::new();
        for &param in &region.params {
            self.define(param, &mut own)?;
        }
        for op in &region.ops {
            self.op(op).map_err(|rule| format!("{}: {rule}", describe(op)))?;
            for &result in &op.results {
                self.define(result, &mut own)?;
            }
        }
        region.results.iter().try_for_each(|&result| self.use_of(result))?;
        for value in own {
            if let Some(slot) = self.visible.get_mut(value.0 as usize) {
                *slot = false;
            }
        }
        Ok(())
    }

    fn op(&mut self, op: &Op) -> Result<(), String> {
        op.operands.iter().try_for_each(|&operand| self.use_of(operand))?;
        op.regions.iter().try_for_each(|region| self.region(region))?;
        let types = |values: &[Value]| {
            let ty = |value: &Value| self.program.types.get(value.0 as usize).ok_or("a value has no type");
            values.iter().map(ty).collect::<Result<Vec<_>, _>>()
        };
        let mut regions = Vec::new();
        for region in &op.regions {
            regions.push(RegionType { params: types(&region.params)?, results: types(&region.results)? });
        }
        infer(&op.kind, &types(&op.operands)?, &types(&op.results)?, &regions)
    }

    fn define(&mut self, value: Value, own: &mut Vec<Value>) -> Result<(), String> {
        let at = value.0 as usize;
        let (Some(defined), Some(visible)) = (self.defined.get_mut(at), self.visible.get_mut(at)) else {
            return Err(format!("%{at} has no type"));
        };
        if *defined {
            return Err(format!("%{at} is defined twice"));
        }
        (*defined, *visible) = (true, true);
        own.push(value);
        Ok(())
    }

    fn use_of(&self, value: Value) -> Result<(), String> {
        let visible = self.visible.get(value.0 as usize).copied().unwrap_or(false);
        if visible { Ok(()) } else { Err(format!("%{} is used where it is not defined", value.0)) }
    }
}

fn describe(op: &Op) -> String {
    let results: Vec<String> = op.results.iter().map(|value| format!("%{}", value.0)).collect();
    format!("{} of [{}]", op.kind.name(), results.join(", "))
}
