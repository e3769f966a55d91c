//! How fast: measured, printed, not asserted. `cargo test --test cpu_backend speed -- --ignored --nocapture`.

#![expect(clippy::print_stdout, reason = "a measurement prints what it found")]

use crate::rig::{Code, affine, info, map_kernel, plan};
use arr::backends::cpu::Cpu;
use arr::backends::{Arguments, Backend, Buffer, Executable};
use arr::base::{DType, Literal};
use arr::ir::array::{Program, ReduceOp};
use arr::ir::kernel::{Body, Index, InstKind, Kernel, Store};
use arr::ir::plan::{MatmulOperand, Plan, Slot, Step};
use arr::ops::scalar::{Function, ScalarOp};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

struct Loaded {
    executable: Rc<dyn Executable>,
    buffers: Vec<Rc<dyn Buffer>>,
}

impl Loaded {
    fn new(cpu: &Cpu, plan: &Plan) -> Self {
        let executable = cpu.load(&Program::default(), plan).unwrap();
        let one = |bytes: u64| {
            let buffer = cpu.allocate(bytes).unwrap();
            buffer.write(0, &vec![0x3c; bytes as usize]);
            buffer
        };
        Self { executable, buffers: plan.params.iter().map(|param| one(param.bytes)).collect() }
    }

    fn run(&self) {
        let params: Vec<Option<&dyn Buffer>> = self.buffers.iter().map(|buffer| Some(&**buffer)).collect();
        let interrupt = AtomicBool::new(false);
        let scalars = [0; 8];
        let arguments =
            Arguments { params: &params, scalars: &scalars, fresh: &[], arena: None, interrupt: &interrupt };
        self.executable.run(&arguments).unwrap();
    }
}

/// Microseconds, the best of several.
fn best(rounds: usize, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    best
}

fn report(what: &str, kernel: &Kernel, bytes: &[u64], rounds: usize) -> f64 {
    let arrays: Vec<Vec<u8>> = bytes.iter().map(|&bytes| vec![0; bytes as usize]).collect();
    let of: Vec<usize> = (0..kernel.buffers.len()).map(|at| at.min(bytes.len() - 1)).collect();
    let plan = plan(kernel, &arrays, &of);
    let mut times = Vec::new();
    for threads in [1, 2] {
        let cpu = Cpu::new(Some(threads)).unwrap();
        let compile = best(5, || drop(cpu.load(&Program::default(), &plan).unwrap()));
        let loaded = Loaded::new(&cpu, &plan);
        loaded.run();
        let time = best(rounds, || loaded.run());
        println!(
            "{what:36} {threads} threads: {time:9.2} us   compile {compile:7.0} us   {} B",
            loaded.executable.code_bytes()
        );
        times.push(time);
    }
    times[1]
}

fn unary(
    dtype: DType,
    extents: &[u64],
    load: Index,
    store: Index,
    value: impl Fn(&mut Code, arr::ir::kernel::Inst) -> arr::ir::kernel::Inst,
) -> Kernel {
    let n: u64 = extents.iter().product();
    let mut code = Code::default();
    let x = code.load(0, load, dtype);
    let value = value(&mut code, x);
    let dtype_out = code.block.insts[value.0 as usize].dtype;
    map_kernel(
        vec![info(dtype, n, false), info(dtype_out, n, true)],
        extents,
        code,
        vec![Store { buffer: 1, index: store, value }],
    )
}

fn scaled(code: &mut Code, x: arr::ir::kernel::Inst) -> arr::ir::kernel::Inst {
    let dtype = code.block.insts[x.0 as usize].dtype;
    let factor = code.constant(Literal::from_f64(dtype, 0.99));
    code.op(ScalarOp::Mul, &[x, factor])
}

struct Kernels<'a>(&'a mut Code);

impl arr::ops::scalar::ScalarBuilder for Kernels<'_> {
    type Value = arr::ir::kernel::Inst;
    fn dtype(&self, value: Self::Value) -> DType {
        self.0.block.insts[value.0 as usize].dtype
    }
    fn constant(&mut self, literal: Literal) -> Self::Value {
        self.0.constant(literal)
    }
    fn op(&mut self, op: ScalarOp, operands: &[Self::Value]) -> Self::Value {
        self.0.op(op, operands)
    }
}

fn products(n: u64) {
    let strides = [(n * n) as i64, n as i64, 1];
    let operand = |slot| MatmulOperand { slot: Slot(slot), offset: 0, strides };
    let arrays = vec![vec![0u8; 4 * (n * n) as usize]; 3];
    let kernel = unary(DType::F32, &[4], affine(&[(0, 1)], 0), affine(&[(0, 1)], 0), scaled);
    let mut plan = plan(&kernel, &arrays, &[0, 1]);
    let (a, b) = (operand(0), operand(1));
    plan.steps = vec![Step::Matmul { a, b, out: Slot(2), sizes: [1, n, n, n], dtype: DType::F32 }];
    for threads in [1, 2] {
        let cpu = Cpu::new(Some(threads)).unwrap();
        let loaded = Loaded::new(&cpu, &plan);
        let time = best(10, || loaded.run());
        println!("f32 {n}^3 product, {threads} threads: {:.1} GFLOP/s", 2.0 * (n * n * n) as f64 / time / 1e3);
    }
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    let n = 2048u64;
    let (flat, total) = (affine(&[(0, 1)], 0), n * n);
    let four = unary(DType::F32, &[4], flat.clone(), flat.clone(), scaled);
    report("x * 0.99, 4 elements", &four, &[16], 10_000);
    let row_major = affine(&[(0, n as i64), (1, 1)], 0);
    let in_place = unary(DType::F32, &[n, n], row_major.clone(), row_major.clone(), scaled);
    let ours = report("p * 0.99 in place, f32 2048^2", &in_place, &[4 * total], 60);
    let mut data = vec![1.0f32; total as usize];
    let plain = best(60, || {
        let (low, high) = data.split_at_mut(total as usize / 2);
        std::thread::scope(|scope| {
            scope.spawn(|| low.iter_mut().for_each(|x| *x *= 0.99));
            high.iter_mut().for_each(|x| *x *= 0.99);
        });
    });
    println!("plain loop on two threads: {plain:.2} us; ratio {:.3}", ours / plain);
    for dtype in [DType::F64, DType::F16, DType::Bf16, DType::U8] {
        let kernel = unary(dtype, &[total], flat.clone(), flat.clone(), |code, x| code.op(ScalarOp::Add, &[x, x]));
        report(&format!("p + p in place, {dtype} 2048^2"), &kernel, &[total * dtype.bytes() as u64], 30);
    }
    let transposed = unary(DType::F32, &[n, n], affine(&[(0, 1), (1, n as i64)], 0), row_major.clone(), |_, x| x);
    report("transposed copy, f32 2048^2", &transposed, &[4 * total, 4 * total], 20);
    for function in [Function::Exp, Function::Tanh, Function::Log, Function::Sin, Function::Erf] {
        let kernel = unary(DType::F32, &[total], flat.clone(), flat.clone(), |code, x| {
            arr::ops::formula::build(&mut Kernels(code), function, &[x])
        });
        report(&format!("{}, f32 2048^2", function.name()), &kernel, &[4 * total, 4 * total], 5);
    }
    let reduce = |op: ReduceOp, dtype: DType, outer: &[u64], inner: &[u64], load: Index| {
        let mut code = Code::default();
        let value = code.load(0, load, dtype);
        let result = if op == ReduceOp::ArgMax { DType::I32 } else { dtype };
        let mut finish = Code::default();
        let reduced = finish.push(InstKind::Reduced, result);
        let points: u64 = outer.iter().product();
        let index = if outer.is_empty() { affine(&[], 0) } else { flat.clone() };
        Kernel {
            name: "reduce".into(),
            buffers: vec![info(dtype, points * inner.iter().product::<u64>(), false), info(result, points, true)],
            extents: outer.to_vec(),
            body: Body::Reduce {
                inner: inner.to_vec(),
                block: code.block,
                value,
                op,
                finish: finish.block,
                stores: vec![Store { buffer: 1, index, value: reduced }],
            },
        }
    };
    products(1024);
    let bytes = [4 * total, 4 * n];
    report("sum of all, f32 2048^2", &reduce(ReduceOp::Sum, DType::F32, &[], &[total], flat.clone()), &bytes, 30);
    report("sum of rows, f32 2048^2", &reduce(ReduceOp::Sum, DType::F32, &[n], &[n], row_major.clone()), &bytes, 30);
    report(
        "sum of columns, f32 2048^2",
        &reduce(ReduceOp::Sum, DType::F32, &[n], &[n], affine(&[(0, 1), (1, n as i64)], 0)),
        &bytes,
        30,
    );
    report("max of rows, f32 2048^2", &reduce(ReduceOp::Max, DType::F32, &[n], &[n], row_major.clone()), &bytes, 30);
    report(
        "argmax of rows, f32 2048^2",
        &reduce(ReduceOp::ArgMax, DType::F32, &[n], &[n], row_major.clone()),
        &bytes,
        10,
    );
    report(
        "sum of rows of 10, f32",
        &reduce(ReduceOp::Sum, DType::F32, &[total / 16], &[10], affine(&[(0, 10), (1, 1)], 0)),
        &[4 * total, 4 * total / 16],
        10,
    );
}
