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
            writeln!(f, "check {check} unless {bad}({shown})")
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
