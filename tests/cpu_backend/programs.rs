//! Random programs through all passes, the planner and its checker: the CPU computes the bits of the reference, with
//! one thread and with two, with arguments donated and not; a program that stops has not touched its arguments.

use crate::random;
use crate::rig::same;
use arr::backends::cpu::Cpu;
use arr::backends::reference::{Array, evaluate};
use arr::backends::{Arguments, Backend, Buffer, Stop};
use arr::driver::pipeline;
use arr::ir::array::{ParamKind, Program};
use arr::ir::plan::{OutputSource, Plan};
use proptest::prelude::*;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

fn read(buffer: &dyn Buffer, bytes: u64) -> Vec<u8> {
    let mut into = vec![0; bytes as usize];
    buffer.read(0, &mut into);
    into
}

fn run(cpu: &Cpu, program: &Program, plan: &Plan, args: &[Array]) -> Result<Vec<Array>, Stop> {
    let executable = cpu.load(program, plan).unwrap_or_else(|broken| panic!("{broken}\n{program}"));
    let mut scalars = Vec::new();
    let mut given: Vec<Option<Rc<dyn Buffer>>> = Vec::new();
    for (arg, param) in args.iter().zip(&plan.params) {
        let scalar = param.kind == ParamKind::Scalar;
        scalars.push(if scalar { arg.elements()[0].bits } else { 0 });
        given.push((!scalar).then(|| {
            let buffer = cpu.allocate(arg.bytes.len() as u64).unwrap();
            buffer.write(0, &arg.bytes);
            buffer
        }));
    }
    let params: Vec<Option<&dyn Buffer>> = given.iter().map(Option::as_deref).collect();
    let owned: Vec<Rc<dyn Buffer>> = plan.fresh.iter().map(|&bytes| cpu.allocate(bytes).unwrap()).collect();
    let fresh: Vec<&dyn Buffer> = owned.iter().map(|buffer| &**buffer).collect();
    let arena = cpu.allocate(plan.arena).unwrap();
    let interrupt = AtomicBool::new(false);
    let arguments =
        Arguments { params: &params, scalars: &scalars, fresh: &fresh, arena: Some(&*arena), interrupt: &interrupt };
    // Twice for what a second run would find changed: only where nothing is donated.
    let outcome = executable.run(&arguments);
    if outcome.is_err() || plan.params.iter().all(|param| param.kind != ParamKind::Array { donated: true }) {
        for (arg, buffer) in args.iter().zip(&given) {
            if let Some(buffer) = buffer {
                assert_eq!(read(&**buffer, buffer.bytes()), arg.bytes, "an argument was written\n{program}");
            }
        }
    }
    outcome?;
    let mut results: Vec<Array> = Vec::new();
    for output in &plan.outputs {
        let bytes = match output.source {
            OutputSource::Fresh(at) | OutputSource::HandedOver { fresh: at, .. } => read(fresh[at], output.bytes),
            OutputSource::Shared(at) | OutputSource::InPlace(at) => read(params[at].unwrap(), output.bytes),
            OutputSource::Same(earlier) => results[earlier].bytes.clone(),
        };
        results.push(Array { dtype: output.dtype, extents: output.extents.clone(), bytes });
    }
    Ok(results)
}

fn alike(x: &Array, y: &Array) -> bool {
    let elements = || x.elements().into_iter().zip(y.elements());
    x.dtype == y.dtype && x.extents == y.extents && elements().all(|(x, y)| same(x, y))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_compute_the_bits_of_the_reference(
        choices in proptest::collection::vec(any::<u16>(), 20..300),
        donated in any::<u8>(),
    ) {
        let (mut program, args) = random::program(&choices);
        for (at, param) in program.params.iter_mut().enumerate() {
            if let ParamKind::Array { donated: flag } = &mut param.kind {
                *flag = (donated >> at) & 1 == 1;
            }
        }
        // Products of floats are added in another order here.
        prop_assume!(!program.to_string().contains("matmul"));
        let expected = evaluate(&program, &args);
        // A plan that the checker refuses is the planner's fault, and never gets here.
        let plan = pipeline::plan(&program);
        prop_assume!(plan.is_ok());
        let Ok(plan) = plan else { return Ok(()) };
        for threads in [1, 2] {
            let found = run(&Cpu::new(Some(threads)).unwrap(), &program, plan.plan(), &args);
            match (&found, &expected) {
                (Ok(found), Ok(expected)) => {
                    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
                        prop_assert!(
                            alike(found, expected),
                            "output {}: {:?}, not {:?}\n{}\n{}", at, found.elements(), expected.elements(), program, plan.plan()
                        );
                    }
                }
                // The plan decides in which order checks are made.
                (Err(Stop::Check { .. }), Err(Stop::Check { .. })) => {}
                _ => prop_assert!(false, "{:?}, not {:?}\n{}", found, expected, program),
            }
        }
    }
}
