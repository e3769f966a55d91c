//! The text of a plan, for people: arguments, outputs and where they live, slots, kernels, steps, donations.

use super::array::ParamKind;
use super::kernel::Kernel;
use super::plan::{
    AlongOp, MatmulOperand, OutputSource, Plan, PlanOutput, PlanParam, Refusal, Slot, Step, Storage, Verdict,
};
use crate::base::DType;
use crate::base::bytes::human;
use std::fmt::{self, Display, Formatter};

impl Display for Slot {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

impl Display for Storage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Param(at) => write!(f, "param {at}"),
            Self::Fresh(at) => write!(f, "fresh {at}"),
            Self::Arena(offset) => write!(f, "arena + {offset}"),
        }
    }
}

impl Display for OutputSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fresh(fresh) => write!(f, "fresh {fresh}"),
            Self::Shared(param) => write!(f, "shared with param {param}"),
            Self::InPlace(param) => write!(f, "in place of param {param}"),
            Self::HandedOver { fresh, param } => write!(f, "fresh {fresh}, handed over from param {param}"),
            Self::Same(output) => write!(f, "same as output {output}"),
        }
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoOutputLeft => "no output left",
            Self::DType => "dtype",
            Self::Shape => "shape",
            Self::NotProvable => "not provable",
        })
    }
}

/// `f32[2, 3]`.
struct Known<'a>(DType, &'a [u64]);

impl Display for Known<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let extents: Vec<String> = self.1.iter().map(u64::to_string).collect();
        write!(f, "{}[{}]", self.0, extents.join(", "))
    }
}

impl Display for PlanParam {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ParamKind::Array { donated: true } => "donated",
            ParamKind::Array { donated: false } => "lent",
            ParamKind::Captured => "captured",
            ParamKind::Scalar => "scalar",
        };
        write!(f, "{} {}  {kind}, {}", self.name, Known(self.dtype, &self.extents), human(self.bytes))
    }
}

impl Display for PlanOutput {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}, {}", Known(self.dtype, &self.extents), self.source, human(self.bytes))
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "plan")?;
        for (at, param) in self.params.iter().enumerate() {
            writeln!(f, "  param {at}: {param}")?;
        }
        for (at, output) in self.outputs.iter().enumerate() {
            writeln!(f, "  output {at}: {output}")?;
        }
        for (at, bytes) in self.fresh.iter().enumerate() {
            writeln!(f, "  fresh {at}: {}", human(*bytes))?;
        }
        writeln!(f, "  arena: {}", human(self.arena))?;
        for (at, slot) in self.slots.iter().enumerate() {
            writeln!(f, "  s{at}: {}, {}", slot.storage, human(slot.bytes))?;
        }
        for (at, (check, _)) in self.checks.iter().enumerate() {
            writeln!(f, "  check {at}: {} {:?}", check.code, check.message)?;
        }
        writeln!(f, "steps")?;
        write_steps(f, &self.steps, &self.kernels, 1)?;
        if !self.donations.is_empty() {
            writeln!(f, "donations")?;
        }
        for donation in &self.donations {
            write!(f, "  param {}: ", donation.param)?;
            match &donation.verdict {
                Verdict::InPlace { output } => writeln!(f, "in place, output {output}")?,
                Verdict::HandedOver { output, why } => writeln!(f, "handed over to output {output}: {why}")?,
                Verdict::Refused(refusal) => writeln!(f, "refused: {refusal}")?,
            }
        }
        Ok(())
    }
}

fn write_steps(f: &mut Formatter<'_>, steps: &[Step], kernels: &[Kernel], depth: usize) -> fmt::Result {
    steps.iter().try_for_each(|step| write_step(f, step, kernels, depth))
}

fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<String>>().join(", ")
}

fn operand(operand: &MatmulOperand) -> String {
    let MatmulOperand { slot, offset, strides } = operand;
    format!("{slot}[{offset} + strides {}]", list(strides))
}

fn write_step(f: &mut Formatter<'_>, step: &Step, kernels: &[Kernel], depth: usize) -> fmt::Result {
    let indent = 2 * depth;
    write!(f, "{:indent$}", "")?;
    match step {
        Step::Launch { kernel, buffers } => {
            let name = kernels.get(*kernel).map_or("?", |kernel| kernel.name.as_str());
            writeln!(f, "launch {kernel} {name}({})", list(buffers))
        }
        Step::Copy { from, to, bytes } => writeln!(f, "copy {from} -> {to}, {}", human(*bytes)),
        Step::Matmul { a, b, out, sizes: [batch, m, k, n], dtype } => {
            let (a, b) = (operand(a), operand(b));
            writeln!(f, "matmul {dtype} {a} @ {b} -> {out}, batch {batch}, m {m}, k {k}, n {n}")
        }
        Step::Along { op, from, out, sizes: [outer, extent, inner], dtype } => {
            let name = match op {
                AlongOp::Cumsum => "cumsum",
                AlongOp::Sort => "sort",
                AlongOp::Argsort => "argsort",
            };
            writeln!(f, "{name} {dtype} {from} -> {out}, outer {outer}, extent {extent}, inner {inner}")
        }
        Step::Scatter { target, index, updates, sizes: [outer, extent, count, inner], dtype } => {
            writeln!(
                f,
                "scatter {dtype} {updates} at {index} -> {target}, outer {outer}, extent {extent}, count {count}, inner {inner}"
            )
        }
        Step::Check { check, bad, shown } => {
            let shown = list(shown.iter().map(|(slot, dtype)| format!("{slot}: {dtype}")));
            let showing = if shown.is_empty() { "" } else { ", showing " };
            writeln!(f, "check {check} stops if {bad}{showing}{shown}")
        }
        Step::For { start, end, step, index, body } => {
            writeln!(f, "for {index} from {start} to {end} by {step} {{")?;
            write_steps(f, body, kernels, depth + 1)?;
            writeln!(f, "{:indent$}}}", "")
        }
        Step::While { condition, flag, body } => {
            writeln!(f, "while {flag} by {{")?;
            write_steps(f, condition, kernels, depth + 1)?;
            writeln!(f, "{:indent$}}} do {{", "")?;
            write_steps(f, body, kernels, depth + 1)?;
            writeln!(f, "{:indent$}}}", "")
        }
        Step::If { flag, then, otherwise } => {
            writeln!(f, "if {flag} {{")?;
            write_steps(f, then, kernels, depth + 1)?;
            writeln!(f, "{:indent$}}} else {{", "")?;
            write_steps(f, otherwise, kernels, depth + 1)?;
            writeln!(f, "{:indent$}}}", "")
        }
        Step::Permute(moves) => {
            writeln!(f, "permute {}", list(moves.iter().map(|(to, from)| format!("{to} <- {from}"))))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::base::{DType, Span};
    use crate::ir::array::{Check, ParamKind};
    use crate::ir::plan::{
        Donation, MatmulOperand, OutputSource, Plan, PlanOutput, PlanParam, Slot, SlotInfo, Step, Storage, Verdict,
    };

    #[test]
    fn plans_print() {
        let array = |donated| ParamKind::Array { donated };
        let param = |kind, name: &str, extents: &[u64]| PlanParam {
            kind,
            name: name.into(),
            dtype: DType::F32,
            extents: extents.to_vec(),
            bytes: 4 * extents.iter().product::<u64>(),
        };
        let operand = |slot, strides| MatmulOperand { slot: Slot(slot), offset: 0, strides };
        let plan = Plan {
            params: vec![param(array(true), "w", &[16, 16]), param(ParamKind::Captured, "k", &[16])],
            outputs: vec![PlanOutput {
                source: OutputSource::HandedOver { fresh: 0, param: 0 },
                slot: Slot(1),
                dtype: DType::F32,
                extents: vec![16, 16],
                bytes: 1024,
            }],
            fresh: vec![1024],
            arena: 64,
            slots: vec![
                SlotInfo { storage: Storage::Param(0), bytes: 1024 },
                SlotInfo { storage: Storage::Fresh(0), bytes: 1024 },
                SlotInfo { storage: Storage::Arena(0), bytes: 8 },
            ],
            checks: vec![(Check { code: "R0001", message: "index {0}".into(), help: None }, Span::default())],
            steps: vec![
                Step::Check { check: 0, bad: Slot(2), shown: vec![(Slot(2), DType::I64)] },
                Step::For {
                    start: Slot(2),
                    end: Slot(2),
                    step: Slot(2),
                    index: Slot(2),
                    body: vec![
                        Step::Matmul {
                            a: operand(0, [0, 16, 1]),
                            b: operand(0, [0, 1, 16]),
                            out: Slot(1),
                            sizes: [1, 16, 16, 16],
                            dtype: DType::F32,
                        },
                        Step::Permute(vec![(Slot(0), Slot(1)), (Slot(1), Slot(0))]),
                    ],
                },
            ],
            donations: vec![Donation {
                param: 0,
                verdict: Verdict::HandedOver { output: 0, why: "all of `w` is read for each element".into() },
            }],
            ..Plan::default()
        };
        let expected = "\
plan
  param 0: w f32[16, 16]  donated, 1 KiB
  param 1: k f32[16]  captured, 64 B
  output 0: f32[16, 16]  fresh 0, handed over from param 0, 1 KiB
  fresh 0: 1 KiB
  arena: 64 B
  s0: param 0, 1 KiB
  s1: fresh 0, 1 KiB
  s2: arena + 0, 8 B
  check 0: R0001 \"index {0}\"
steps
  check 0 stops if s2, showing s2: i64
  for s2 from s2 to s2 by s2 {
    matmul f32 s0[0 + strides 0, 16, 1] @ s0[0 + strides 0, 1, 16] -> s1, batch 1, m 16, k 16, n 16
    permute s0 <- s1, s1 <- s0
  }
donations
  param 0: handed over to output 0: all of `w` is read for each element
";
        assert_eq!(plan.to_string(), expected);
    }
}
