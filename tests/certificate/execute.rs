//! Runs a plan byte for byte in one thread: with the memory that the plan shares out, or with memory of its own for
//! every slot, which is what the plan means.

use crate::interpreter::{self, Memory, read, write};
use arr::base::{DType, Literal};
use arr::ir::array::ParamKind;
use arr::ir::plan::{AlongOp, MatmulOperand, OutputSource, Plan, Slot, Step, Storage};
use arr::ops::evaluate::evaluate;
use arr::ops::scalar::ScalarOp;

/// Steps after which a changed program is taken to run forever.
const FUEL: usize = 3000;
/// What memory holds before it is written.
const GARBAGE: u8 = 0xa5;

/// How a run ended: the bytes of the outputs, or why not.
pub(crate) type Outcome = Result<Vec<Vec<u8>>, String>;

struct Run<'a> {
    plan: &'a Plan,
    memory: Memory,
    /// By slot: array and first byte.
    pointers: Vec<(usize, usize)>,
    fuel: usize,
}

/// With the memory that the plan shares out. What is only lent is not written, and neither is anything that was given
/// when a check fails.
pub(crate) fn shared(plan: &Plan, args: &[Vec<u8>]) -> Outcome {
    let mut arrays: Vec<Vec<u8>> = args.to_vec();
    arrays.extend(plan.fresh.iter().map(|&bytes| vec![GARBAGE; bytes as usize]));
    arrays.push(vec![GARBAGE; plan.arena as usize]);
    let arena = arrays.len() - 1;
    let place = |storage| match storage {
        Storage::Param(at) => (at, 0),
        Storage::Fresh(at) => (args.len() + at, 0),
        Storage::Arena(offset) => (arena, (offset as usize).min(plan.arena as usize)),
    };
    let pointers = plan.slots.iter().map(|slot| place(slot.storage)).collect();
    let mut run = Run { plan, memory: Memory { arrays, of: Vec::new() }, pointers, fuel: FUEL };
    let done = run.steps(&plan.steps);
    let faulted = matches!(&done, Err(why) if why.starts_with("check"));
    for (at, (param, arg)) in plan.params.iter().zip(args).enumerate() {
        let given = param.kind == ParamKind::Array { donated: true };
        assert!((given && !faulted) || run.memory.arrays[at] == *arg, "argument {at} was written\n{plan}");
    }
    done?;
    let mut results: Vec<Vec<u8>> = Vec::new();
    for output in &plan.outputs {
        let (array, _) = match output.source {
            OutputSource::Fresh(at) | OutputSource::HandedOver { fresh: at, .. } => place(Storage::Fresh(at)),
            OutputSource::Shared(at) | OutputSource::InPlace(at) => place(Storage::Param(at)),
            OutputSource::Same(earlier) => {
                results.push(results[earlier].clone());
                continue;
            }
        };
        results.push(run.memory.arrays[array][..output.bytes as usize].to_vec());
    }
    Ok(results)
}

/// With memory of its own for every slot.
pub(crate) fn apart(plan: &Plan, args: &[Vec<u8>]) -> Outcome {
    let own = |(at, slot): (usize, &arr::ir::plan::SlotInfo)| match args.get(at) {
        Some(arg) => arg.clone(),
        None => vec![GARBAGE; slot.bytes as usize],
    };
    let arrays = plan.slots.iter().enumerate().map(own).collect();
    let pointers = (0..plan.slots.len()).map(|at| (at, 0)).collect();
    let mut run = Run { plan, memory: Memory { arrays, of: Vec::new() }, pointers, fuel: FUEL };
    run.steps(&plan.steps)?;
    Ok(plan.outputs.iter().map(|output| run.bytes(output.slot)[..output.bytes as usize].to_vec()).collect())
}

impl Run<'_> {
    fn bytes(&self, slot: Slot) -> &[u8] {
        let (array, first) = self.pointers[slot.0 as usize];
        &self.memory.arrays[array][first..]
    }

    fn bytes_mut(&mut self, slot: Slot) -> &mut [u8] {
        let (array, first) = self.pointers[slot.0 as usize];
        &mut self.memory.arrays[array][first..]
    }

    fn long(&self, slot: Slot) -> i64 {
        read(self.bytes(slot), DType::I64, 0).to_i64()
    }

    fn flag(&self, slot: Slot) -> bool {
        self.bytes(slot)[0] != 0
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), String> {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Result<(), String> {
        self.fuel = self.fuel.checked_sub(1).ok_or("endless")?;
        match step {
            Step::Launch { kernel, buffers } => {
                self.memory.of = buffers.iter().map(|slot| self.pointers[slot.0 as usize]).collect();
                interpreter::run(&self.plan.kernels[*kernel], &mut self.memory);
            }
            Step::Copy { from, to, bytes } => {
                let copied = self.bytes(*from)[..*bytes as usize].to_vec();
                self.bytes_mut(*to)[..*bytes as usize].copy_from_slice(&copied);
            }
            Step::Matmul { a, b, out, sizes, dtype } => self.product(a, b, *out, *sizes, *dtype),
            Step::Along { op, from, out, sizes, dtype } => self.along(*op, *from, *out, *sizes, *dtype),
            Step::Scatter { target, index, updates, sizes: [outer, extent, count, inner], dtype } => {
                for at in 0..outer * count * inner {
                    let (line, element) = (at / (count * inner), at % inner);
                    let row = read(self.bytes(*index), DType::I64, (at / inner % count) as usize).to_i64();
                    let value = read(self.bytes(*updates), *dtype, at as usize);
                    let row = u64::try_from(row).ok().filter(|row| row < extent).ok_or("index out of range")?;
                    write(self.bytes_mut(*target), value, ((line * extent + row) * inner + element) as usize);
                }
            }
            Step::Check { check, bad, shown } => {
                if self.flag(*bad) {
                    let shown: Vec<Literal> =
                        shown.iter().map(|(slot, dtype)| read(self.bytes(*slot), *dtype, 0)).collect();
                    return Err(format!("check {check} {shown:?}"));
                }
            }
            Step::For { start, end, step, index, body } => {
                let (mut at, end, by) = (self.long(*start), self.long(*end), self.long(*step));
                while by != 0 && if by > 0 { at < end } else { at > end } {
                    self.fuel = self.fuel.checked_sub(1).ok_or("endless")?;
                    write(self.bytes_mut(*index), Literal::from_i64(DType::I64, at), 0);
                    self.steps(body)?;
                    at = at.wrapping_add(by);
                }
            }
            Step::While { condition, flag, body } => loop {
                self.fuel = self.fuel.checked_sub(1).ok_or("endless")?;
                self.steps(condition)?;
                if !self.flag(*flag) {
                    break;
                }
                self.steps(body)?;
            },
            Step::If { flag, then, otherwise } => {
                return self.steps(if self.flag(*flag) { then } else { otherwise });
            }
            Step::Permute(moves) => {
                let before = self.pointers.clone();
                for (to, from) in moves {
                    self.pointers[to.0 as usize] = before[from.0 as usize];
                }
            }
        }
        Ok(())
    }

    fn product(&mut self, a: &MatmulOperand, b: &MatmulOperand, out: Slot, sizes: [u64; 4], dtype: DType) {
        let [batch, m, k, n] = sizes;
        for at in 0..batch * m * n {
            let [group, row, column] = [at / (m * n), at / n % m, at % n];
            let mut sum = Literal::from_i64(dtype, 0);
            for inner in 0..k {
                let offset = |of: &MatmulOperand, at: [u64; 3]| {
                    let steps = at.iter().zip(of.strides).map(|(&at, by)| at as i64 * by).sum::<i64>();
                    (of.offset as i64 + steps) as usize
                };
                let x = read(self.bytes(a.slot), dtype, offset(a, [group, row, inner]));
                let y = read(self.bytes(b.slot), dtype, offset(b, [group, inner, column]));
                sum = evaluate(ScalarOp::Add, &[sum, evaluate(ScalarOp::Mul, &[x, y])]);
            }
            write(self.bytes_mut(out), sum, at as usize);
        }
    }

    fn along(&mut self, op: AlongOp, from: Slot, out: Slot, [outer, extent, inner]: [u64; 3], dtype: DType) {
        for line in 0..outer * inner {
            let place = |at: usize| ((line / inner * extent + at as u64) * inner + line % inner) as usize;
            let values: Vec<Literal> =
                (0..extent as usize).map(|at| read(self.bytes(from), dtype, place(at))).collect();
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|&x, &y| values[x].to_f64().total_cmp(&values[y].to_f64()));
            let mut sum = Literal::from_i64(dtype, 0);
            for at in 0..values.len() {
                sum = evaluate(ScalarOp::Add, &[sum, values[at]]);
                let result = match op {
                    AlongOp::Cumsum => sum,
                    AlongOp::Sort => values[order[at]],
                    AlongOp::Argsort => Literal::from_i64(DType::I32, order[at] as i64),
                };
                write(self.bytes_mut(out), result, place(at));
            }
        }
    }
}
