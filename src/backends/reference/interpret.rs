//! Runs a program operation by operation and region by region; every value is a whole array.
//!
//! Nothing outside is written: a program that stops half-way has had no effect.

use super::array::{Elements, count, known};
use super::reduce::{Along, along, matmul, reduce};
use super::{broken, moves};
use crate::backends::Stop;
use crate::base::{DType, Literal};
use crate::ir::array::{Op, OpKind, Program, Region, Value};
use crate::ops::evaluate::{Evaluator, evaluate};
use crate::ops::formula;
use crate::ops::scalar::{Function, ScalarOp};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One run.
pub(super) struct Interpreter<'a> {
    program: &'a Program,
    values: Vec<Option<Rc<Elements>>>,
    interrupt: &'a AtomicBool,
}

impl<'a> Interpreter<'a> {
    /// Nothing computed yet.
    pub(super) fn new(program: &'a Program, interrupt: &'a AtomicBool) -> Self {
        Self { program, values: vec![None; program.types.len()], interrupt }
    }

    /// The results for these arguments; `None` is one that the program must not read.
    pub(super) fn run(&mut self, arguments: Vec<Option<Rc<Elements>>>) -> Result<Vec<Rc<Elements>>, Stop> {
        let body = &self.program.body;
        if body.params.len() != arguments.len() {
            return Err(broken(format!("{} arguments for {} parameters", arguments.len(), body.params.len())));
        }
        for (&param, argument) in body.params.iter().zip(arguments) {
            if let Some(argument) = argument {
                self.bind(&[param], vec![argument])?;
            }
        }
        self.body(body, 0)
    }

    /// `check` is the number of the region's first Check.
    fn region(
        &mut self,
        region: &Region,
        arguments: Vec<Rc<Elements>>,
        check: usize,
    ) -> Result<Vec<Rc<Elements>>, Stop> {
        self.bind(&region.params, arguments)?;
        self.body(region, check)
    }

    fn body(&mut self, region: &Region, mut check: usize) -> Result<Vec<Rc<Elements>>, Stop> {
        for op in &region.ops {
            let results = self.op(op, check)?;
            self.bind(&op.results, results)?;
            check += checks_of(op);
        }
        region.results.iter().map(|&value| self.value(value)).collect()
    }

    fn bind(&mut self, values: &[Value], arrays: Vec<Rc<Elements>>) -> Result<(), Stop> {
        if values.len() != arrays.len() {
            return Err(broken(format!("{} arrays for {} values", arrays.len(), values.len())));
        }
        for (&value, array) in values.iter().zip(arrays) {
            let ty = self.program.types.get(value.0 as usize);
            let fits = |(dtype, extents)| dtype == array.dtype && extents == array.extents;
            if !ty.map(known).transpose()?.is_some_and(fits) || count(&array.extents) != Some(array.bits.len()) {
                return Err(broken(format!("%{} is {}{:?}", value.0, array.dtype, array.extents)));
            }
            if let Some(slot) = self.values.get_mut(value.0 as usize) {
                *slot = Some(array);
            }
        }
        Ok(())
    }

    fn value(&self, value: Value) -> Result<Rc<Elements>, Stop> {
        let held = self.values.get(value.0 as usize).cloned().flatten();
        held.ok_or_else(|| broken(format!("%{} is used before it is defined", value.0)))
    }

    fn op(&mut self, op: &Op, check: usize) -> Result<Vec<Rc<Elements>>, Stop> {
        let operands = op.operands.iter().map(|&value| self.value(value)).collect::<Result<Vec<_>, Stop>>()?;
        match &op.kind {
            OpKind::Check(_) => {
                let shown = operands.iter().map(|array| array.item()).collect::<Result<Vec<Literal>, Stop>>()?;
                match shown.split_first() {
                    Some((bad, shown)) if bad.to_bool() => Err(Stop::Check { check, shown: shown.to_vec() }),
                    _ => Ok(Vec::new()),
                }
            }
            OpKind::For => self.run_for(op, operands, check),
            OpKind::While => self.run_while(op, operands, check),
            OpKind::If => {
                let [then, otherwise] = op.regions.as_slice() else { return Err(broken("an If without branches")) };
                let condition = operands.first().ok_or_else(missing)?.item()?.to_bool();
                if condition {
                    self.region(then, Vec::new(), check)
                } else {
                    self.region(otherwise, Vec::new(), check + checks(then))
                }
            }
            _ => {
                let result = op.results.first().and_then(|value| self.program.types.get(value.0 as usize));
                let to = known(result.ok_or_else(|| broken("an operation without a result"))?)?;
                let operands: Vec<&Elements> = operands.iter().map(Rc::as_ref).collect();
                Ok(vec![Rc::new(plain(&op.kind, &operands, to)?)])
            }
        }
    }

    fn run_for(&mut self, op: &Op, operands: Vec<Rc<Elements>>, check: usize) -> Result<Vec<Rc<Elements>>, Stop> {
        let ([start, end, step, carried @ ..], [body]) = (operands.as_slice(), op.regions.as_slice()) else {
            return Err(broken("a For without bounds or body"));
        };
        let (mut index, end, step) = (start.item()?.to_i64(), end.item()?.to_i64(), step.item()?.to_i64());
        if step == 0 {
            return Err(broken("a For by steps of 0"));
        }
        let mut carried = carried.to_vec();
        while if step > 0 { index < end } else { index > end } {
            self.look_for_interrupt()?;
            let first = Rc::new(Elements::scalar(Literal::from_i64(DType::I64, index)));
            carried = self.region(body, std::iter::once(first).chain(carried).collect(), check)?;
            // What lies beyond the largest integer lies beyond `end` too.
            let Some(next) = index.checked_add(step) else { break };
            index = next;
        }
        Ok(carried)
    }

    fn run_while(&mut self, op: &Op, mut carried: Vec<Rc<Elements>>, check: usize) -> Result<Vec<Rc<Elements>>, Stop> {
        let [condition, body] = op.regions.as_slice() else { return Err(broken("a While without regions")) };
        let check_in_body = check + checks(condition);
        loop {
            self.look_for_interrupt()?;
            let go_on = self.region(condition, carried.clone(), check)?;
            if !go_on.first().ok_or_else(missing)?.item()?.to_bool() {
                return Ok(carried);
            }
            carried = self.region(body, carried, check_in_body)?;
        }
    }

    fn look_for_interrupt(&self) -> Result<(), Stop> {
        if self.interrupt.load(Ordering::Relaxed) { Err(Stop::Interrupted) } else { Ok(()) }
    }
}

fn missing() -> Stop {
    broken("an operand or result is missing")
}

/// Number of Checks in a region and below.
fn checks(region: &Region) -> usize {
    region.ops.iter().map(checks_of).sum()
}

fn checks_of(op: &Op) -> usize {
    usize::from(matches!(op.kind, OpKind::Check(_))) + op.regions.iter().map(checks).sum::<usize>()
}

/// An operation with one result and no regions.
fn plain(kind: &OpKind, operands: &[&Elements], to: (DType, Vec<u64>)) -> Result<Elements, Stop> {
    match (kind, operands) {
        (OpKind::Const(literal), []) => Ok(Elements::scalar(*literal)),
        (OpKind::Iota { axis }, []) => Ok(moves::iota(*axis, to)),
        (OpKind::Map(op), [_, ..]) => Ok(map(*op, operands, to)),
        (OpKind::Function(function), [_, ..]) => Ok(apply(*function, operands, to)),
        (OpKind::Broadcast { axes }, [x]) => moves::broadcast(x, axes, to),
        (OpKind::Reshape, [x]) => Ok(Elements { dtype: to.0, extents: to.1, bits: x.bits.clone() }),
        (OpKind::Transpose(perm), [x]) => moves::transpose(x, perm, to),
        (OpKind::Slice { starts, steps }, [x]) => moves::slice(x, &moves::numbers(starts)?, steps, to),
        (OpKind::Pad { low }, [x, fill]) => moves::pad(x, fill.item()?, &moves::numbers(low)?, to),
        (OpKind::Concat { axis }, [_, ..]) => moves::concat(operands, *axis, to),
        (OpKind::Reduce { op, axes }, [x]) => reduce(*op, x, axes, to),
        (OpKind::Cumsum { axis }, [x]) => along(Along::Cumsum, x, *axis, to),
        (OpKind::Sort { axis }, [x]) => along(Along::Sort, x, *axis, to),
        (OpKind::Argsort { axis }, [x]) => along(Along::Argsort, x, *axis, to),
        (OpKind::Matmul, [a, b]) => matmul(a, b, to),
        (OpKind::Gather { axis }, [x, index]) => moves::gather(x, index, *axis, to),
        (OpKind::Scatter { axis }, [x, index, updates]) => moves::scatter(x, index, updates, *axis),
        (OpKind::DynamicSlice, [x, starts @ ..]) => moves::slice(x, &items(starts)?, &vec![1; starts.len()], to),
        (OpKind::Update { steps }, [x, update, starts @ ..]) => moves::update(x, update, &items(starts)?, steps),
        (OpKind::Copy, [x]) => Ok((*x).clone()),
        _ => Err(broken(format!("{kind:?} with {} operands", operands.len()))),
    }
}

fn items(starts: &[&Elements]) -> Result<Vec<i64>, Stop> {
    starts.iter().map(|start| Ok(start.item()?.to_i64())).collect()
}

fn map(op: ScalarOp, operands: &[&Elements], to: (DType, Vec<u64>)) -> Elements {
    each(operands, to, |arguments| evaluate(op, arguments))
}

fn apply(function: Function, operands: &[&Elements], to: (DType, Vec<u64>)) -> Elements {
    each(operands, to, |arguments| formula::build(&mut Evaluator, function, arguments))
}

/// `compute` on the operands' elements at each position.
fn each(operands: &[&Elements], to: (DType, Vec<u64>), compute: impl Fn(&[Literal]) -> Literal) -> Elements {
    let length = operands.iter().map(|operand| operand.bits.len()).min().unwrap_or(0);
    let mut arguments = Vec::new();
    let mut bits = Vec::with_capacity(length);
    for at in 0..length {
        arguments.clear();
        for operand in operands {
            arguments.extend(operand.bits.get(at).map(|&bits| Literal::new(operand.dtype, bits)));
        }
        bits.push(compute(&arguments).bits);
    }
    Elements { dtype: to.0, extents: to.1, bits }
}
