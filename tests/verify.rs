//! `run --verify`: the programs of the tree pass, and a backend with a fault is found out, with the place.

use arr::backends::cpu::Cpu;
use arr::backends::verifying::Verifying;
use arr::backends::{Arguments, Backend, Buffer, Executable, Stop};
use arr::base::{Broken, Sources, Unavailable};
use arr::driver::checked::Checked;
use arr::driver::failure::Failure;
use arr::driver::pipeline;
use arr::driver::session::{Session, device};
use arr::ir::array::Program;
use arr::ir::plan::{OutputSource, Plan};
use arr::runtime::execute::Device;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The processor, but the last element of what comes out of a program with an `exp` has its lowest bit flipped.
struct Faulty(Cpu);

struct Flipping {
    inner: Rc<dyn Executable>,
    plan: Plan,
}

impl Backend for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }

    fn allocate(&self, bytes: u64) -> Result<Rc<dyn Buffer>, Unavailable> {
        self.0.allocate(bytes)
    }

    fn allocated(&self) -> u64 {
        self.0.allocated()
    }

    fn pooled(&self) -> u64 {
        self.0.pooled()
    }

    fn load(&self, program: &Program, plan: &Plan) -> Result<Rc<dyn Executable>, Broken> {
        let inner = self.0.load(program, plan)?;
        let reached = program.body.results.iter().any(|result| {
            let defining = program.body.ops.iter().find(|op| op.results.contains(result));
            defining.is_some_and(|op| ["exp", "mul"].contains(&op.kind.name().as_str()))
        });
        let exp = program.body.ops.iter().any(|op| op.kind.name() == "exp");
        Ok(if exp && reached { Rc::new(Flipping { inner, plan: plan.clone() }) } else { inner })
    }
}

impl Executable for Flipping {
    fn run(&self, arguments: &Arguments<'_>) -> Result<(), Stop> {
        self.inner.run(arguments)?;
        let buffer = match self.plan.outputs[0].source {
            OutputSource::Fresh(at) | OutputSource::HandedOver { fresh: at, .. } => arguments.fresh[at],
            OutputSource::InPlace(at) => arguments.params[at].expect("an array"),
            _ => return Ok(()),
        };
        let mut byte = [0];
        buffer.read(buffer.bytes() - 4, &mut byte);
        buffer.write(buffer.bytes() - 4, &[byte[0] ^ 1]);
        Ok(())
    }

    fn code_bytes(&self) -> u64 {
        0
    }

    fn dump(&self, _stage: &str) -> Option<String> {
        None
    }
}

fn run(device: Device, text: &str) -> Result<(), Failure> {
    let checked = Checked::new(&mut Sources::default(), "a.arr", text, &[]);
    assert!(checked.accepted(), "{:?}", checked.diagnostics);
    Session::new(device, Box::new(std::io::sink())).run(&checked.program, &mut |_, _| Ok(()))
}

#[test]
fn a_fault_is_named_with_line_operation_and_index() {
    let text = "x = arange(6, f32)\njit f(donate p) {\n    q = p - 1.0\n    exp(q) * 2.0\n}\ny = f(x)\n";
    let planner = |program: &Program| Ok(pipeline::plan(program)?.plan().clone());
    let faulty = Faulty(Cpu::new(Some(1)).expect("a processor"));
    let backend = Verifying::new(Rc::new(faulty), planner);
    let done = run(Device::new(Box::new(backend), Arc::new(AtomicBool::new(false))), text);
    let Err(Failure::Fault(fault)) = done else { panic!("{done:?}") };
    assert_eq!(fault.code, "R0301");
    assert_eq!(&text[fault.span.start as usize..fault.span.end as usize], "exp(q)");
    assert!(fault.message.starts_with("exp differs at element 5: faulty gives"), "{}", fault.message);
}

#[test]
fn programs_pass() {
    for file in ["examples/ledger.arr", "tests/golden/plan/adam.arr", "examples/donate.arr"] {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let done = run(device::verifying("cpu", Some(2)).expect("a processor"), &text);
        assert!(done.is_ok(), "{file}: {done:?}");
    }
}
