//! Plans as a device does them: the module's text, and launches, copies and decisions in order.
//!
//! Invariant: the work of a plan does what its steps do, in their order; only what computes has become launches.

use super::ptx::{self, Argument, Entry};
use crate::base::DType;
use crate::ir::plan::{MatmulOperand, Plan, Slot, Step};
use std::fmt::Write;

/// A plan ready for a device.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The PTX of the module, each kernel behind the kernel IR that it comes from.
    pub text: String,
    /// The entries of the module.
    pub entries: Vec<String>,
    /// What is done, in order.
    pub work: Vec<Work>,
    /// Bytes of scratch memory that the launches need, one after the other.
    pub scratch: u64,
}

/// An address that a launch is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// Where a slot points.
    Slot(Slot),
    /// This many bytes into the scratch memory.
    Scratch(u64),
}

/// One launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Which of [`Lowered::entries`].
    pub entry: usize,
    /// Blocks that find work to do; fewer give the same result.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// The parameters.
    pub arguments: Vec<Address>,
}

/// A product of matrices, as [`Step::Matmul`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Left operand.
    pub a: MatmulOperand,
    /// Right operand.
    pub b: MatmulOperand,
    /// Result, row major.
    pub out: Slot,
    /// `[b, m, k, n]`.
    pub sizes: [u64; 4],
    /// Element type of all three.
    pub dtype: DType,
}

/// One thing that is done. What is not explained here is as in [`Step`].
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// A launch.
    Launch(Launch),
    /// A product of matrices that a library may do; `own` does it without one.
    Product {
        /// What is multiplied.
        product: Product,
        /// Our own launches for it.
        own: Vec<Launch>,
    },
    /// Bytes from one slot to another.
    Copy {
        /// Source.
        from: Slot,
        /// Target.
        to: Slot,
        /// How many.
        bytes: u64,
    },
    /// Stops when a flag is set.
    Check {
        /// Which check of the plan.
        check: usize,
        /// A bool.
        bad: Slot,
        /// Values for the message.
        shown: Vec<(Slot, DType)>,
    },
    /// A counted loop.
    For {
        /// i64: start, end and step.
        range: [Slot; 3],
        /// i64, written before each round.
        index: Slot,
        /// The round.
        body: Vec<Work>,
    },
    /// A loop while a flag is set.
    While {
        /// Computes the flag.
        condition: Vec<Work>,
        /// A bool.
        flag: Slot,
        /// The round.
        body: Vec<Work>,
    },
    /// One of two.
    If {
        /// A bool.
        flag: Slot,
        /// When set.
        then: Vec<Work>,
        /// When not.
        otherwise: Vec<Work>,
    },
    /// An exchange of pointers.
    Permute(Vec<(Slot, Slot)>),
}

/// Lowers a plan.
#[must_use]
pub fn lower(plan: &Plan) -> Lowered {
    let mut lowering =
        Lowering { plan, done: Lowered { text: ptx::HEAD.to_owned(), ..Lowered::default() }, written: Vec::new() };
    lowering.written.resize(plan.kernels.len(), None);
    let work = lowering.steps(&plan.steps);
    Lowered { work, ..lowering.done }
}

struct Lowering<'a> {
    plan: &'a Plan,
    done: Lowered,
    /// Kernels that are in the module already.
    written: Vec<Option<Entry>>,
}

impl Lowering<'_> {
    fn steps(&mut self, steps: &[Step]) -> Vec<Work> {
        let mut work = Vec::with_capacity(steps.len());
        steps.iter().for_each(|step| self.step(step, &mut work));
        work
    }

    fn step(&mut self, step: &Step, work: &mut Vec<Work>) {
        match step {
            Step::Launch { kernel, buffers } => {
                let launches = self.kernel(*kernel, buffers);
                work.extend(launches.into_iter().map(Work::Launch));
            }
            Step::Matmul { a, b, out, sizes, dtype } => {
                let own = self.other(step, &[a.slot, b.slot, *out]);
                let product = Product { a: *a, b: *b, out: *out, sizes: *sizes, dtype: *dtype };
                work.push(Work::Product { product, own });
            }
            Step::Along { from, out, .. } => {
                work.extend(self.other(step, &[*from, *out]).into_iter().map(Work::Launch));
            }
            Step::Scatter { target, index, updates, .. } => {
                work.extend(self.other(step, &[*target, *index, *updates]).into_iter().map(Work::Launch));
            }
            Step::Copy { from, to, bytes } => work.push(Work::Copy { from: *from, to: *to, bytes: *bytes }),
            Step::Check { check, bad, shown } => {
                work.push(Work::Check { check: *check, bad: *bad, shown: shown.clone() });
            }
            Step::For { start, end, step, index, body } => {
                let body = self.steps(body);
                work.push(Work::For { range: [*start, *end, *step], index: *index, body });
            }
            Step::While { condition, flag, body } => {
                let (condition, body) = (self.steps(condition), self.steps(body));
                work.push(Work::While { condition, flag: *flag, body });
            }
            Step::If { flag, then, otherwise } => {
                let (then, otherwise) = (self.steps(then), self.steps(otherwise));
                work.push(Work::If { flag: *flag, then, otherwise });
            }
            Step::Permute(moves) => work.push(Work::Permute(moves.clone())),
        }
    }

    /// The launches of a kernel, whose text is written once.
    fn kernel(&mut self, at: usize, slots: &[Slot]) -> Vec<Launch> {
        let Some(kernel) = self.plan.kernels.get(at) else { return Vec::new() };
        let entry = match self.written.get(at) {
            Some(Some(entry)) => entry.clone(),
            _ => {
                let entry = ptx::entry(kernel, &format!("{}_{at}", kernel.name));
                self.write(&kernel.to_string(), &entry);
                if let Some(written) = self.written.get_mut(at) {
                    *written = Some(entry.clone());
                }
                entry
            }
        };
        self.launches(&entry, slots)
    }

    fn other(&mut self, step: &Step, slots: &[Slot]) -> Vec<Launch> {
        let Some(entry) = ptx::step_entry(step, &format!("step_{}", self.done.entries.len())) else {
            return Vec::new();
        };
        self.write("", &entry);
        self.launches(&entry, slots)
    }

    fn write(&mut self, remark: &str, entry: &Entry) {
        self.done.text.push('\n');
        remark.lines().for_each(|line| {
            let _ = writeln!(self.done.text, "// {line}");
        });
        self.done.text += &entry.text;
        self.done.scratch = self.done.scratch.max(entry.scratch);
        for launch in &entry.launches {
            if !self.done.entries.contains(&launch.name) {
                self.done.entries.push(launch.name.clone());
            }
        }
    }

    fn launches(&self, entry: &Entry, slots: &[Slot]) -> Vec<Launch> {
        let address = |argument: &Argument| match *argument {
            Argument::Buffer(at) => slots.get(at).copied().map(Address::Slot),
            Argument::Scratch(offset) => Some(Address::Scratch(offset)),
        };
        let launch = |launch: &ptx::Launch| Launch {
            entry: self.done.entries.iter().position(|name| *name == launch.name).unwrap_or(usize::MAX),
            blocks: launch.blocks,
            threads: launch.threads,
            arguments: launch.arguments.iter().filter_map(address).collect(),
        };
        entry.launches.iter().map(launch).collect()
    }
}
