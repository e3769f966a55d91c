//! Speed as ratios, measured in one run: `cargo bench --bench speed`. Nothing here is a test; machines are noisy.
//!
//! Two programs are compared by running them alternately; medians are shown.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use arr::base::Sources;
use arr::driver::checked::Checked;
use arr::driver::session::{Session, device};
use arr::driver::stack::on_large_stack;
use arr::syntax::ast::Block;
use std::hint::black_box;
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

struct Bench {
    sources: Sources,
    session: Session,
    programs: Vec<Rc<Block>>,
}

impl Bench {
    fn new(threads: Option<usize>) -> Self {
        let device = device::open("cpu", threads).expect("the cpu is here");
        let session = Session::new(device, Box::new(std::io::sink()));
        Self { sources: Sources::default(), session, programs: Vec::new() }
    }

    /// Parses and proves; nothing runs.
    fn program(&mut self, text: &str) -> Rc<Block> {
        let known = self.session.known();
        let checked = Checked::new(&mut self.sources, "bench", text, &known);
        assert!(checked.accepted(), "{:?}", checked.diagnostics);
        self.programs.push(checked.program.clone());
        checked.program
    }

    fn run(&mut self, program: &Block) {
        self.session.run(program, &mut |_, _| Ok(())).expect("it runs");
    }

    fn time(&mut self, program: &Block) -> Duration {
        let start = Instant::now();
        self.run(program);
        start.elapsed()
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() {
    on_large_stack(|| {
        in_place();
        chain(2048, 60);
        chain(8192, 15);
        small();
        compile();
        start();
    });
}

/// `p * 0.99` in place against a plain loop on as many threads.
fn in_place() {
    const N: usize = 2048 * 2048;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(2);
    let mut bench = Bench::new(Some(threads));
    let setup = bench.program("jit update(donate p) = p * 0.99\np = ones([2048, 2048])\n");
    bench.run(&setup);
    let step = bench.program("p = update(p)\n");
    let mut plain = vec![1.0f32; N];
    let mut plain_loop = || {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for part in plain.chunks_mut(N.div_ceil(threads)) {
                scope.spawn(move || part.iter_mut().for_each(|x| *x *= 0.99));
            }
        });
        start.elapsed()
    };
    bench.run(&step);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        ours.push(bench.time(&step));
        theirs.push(plain_loop());
    }
    black_box(&plain);
    let (ours, theirs) = (median(ours), median(theirs));
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!("p * 0.99 in place, 2048 x 2048: {ours:?}; plain loop on {threads} threads: {theirs:?}; ratio {ratio:.2}");
}

/// A fused chain of ten operations against one: in the cache (where ten operations on 128-bit vectors cost more than
/// the memory does) and beyond it.
fn chain(n: usize, rounds: usize) {
    let mut bench = Bench::new(None);
    let setup = bench.program(&format!(
        "jit one(donate p) = p * 0.99
jit ten(donate p) = (((((((((p * 0.99) + 0.01) * 1.01) - 0.02) * 0.98) + 0.03) * 1.02) - 0.01) * 0.97) + 0.02
p = ones([{n}, {n}])
q = ones([{n}, {n}])
"
    ));
    bench.run(&setup);
    let (one, ten) = (bench.program("p = one(p)\n"), bench.program("q = ten(q)\n"));
    bench.run(&one);
    bench.run(&ten);
    let (mut single, mut chained) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        single.push(bench.time(&one));
        chained.push(bench.time(&ten));
    }
    let (single, chained) = (median(single), median(chained));
    let ratio = chained.as_secs_f64() / single.as_secs_f64();
    println!("ten operations fused, {n} x {n}: {chained:?}; one: {single:?}; ratio {ratio:.2}");
}

/// One operation on four elements at the top level, once compiled.
fn small() {
    const ROUNDS: u32 = 20_000;
    let mut bench = Bench::new(None);
    let setup = bench.program("x = ones([4])\n");
    bench.run(&setup);
    let empty = bench.program(&format!("for i in 0..{ROUNDS} {{ z = 1 }}\n"));
    let work = bench.program(&format!("for i in 0..{ROUNDS} {{ y = x * 2.0 }}\n"));
    bench.run(&work);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        with.push(bench.time(&work) / ROUNDS);
        without.push(bench.time(&empty) / ROUNDS);
    }
    println!("y = x * 2.0 on 4 elements: {:?} a statement (an empty one: {:?})", median(with), median(without));
}

/// The first call of a small `jit`.
fn compile() {
    let mut times = Vec::new();
    for _ in 0..15 {
        let mut bench = Bench::new(None);
        let setup = bench.program("jit f(p, g, lr = 0.1) = p - lr * g\nx = ones([16])\nx + 1.0\n");
        bench.run(&setup);
        let call = bench.program("f(x, x)\n");
        times.push(bench.time(&call));
    }
    println!("compiling and running a small jit: {:?}", median(times));
}

/// The whole process for a program of one line.
fn start() {
    let program = std::env::temp_dir().join("arr-bench-start.arr");
    std::fs::write(&program, "print(sum(ones([4])))\n").expect("writable");
    let mut times = Vec::new();
    for _ in 0..15 {
        let start = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_arr")).arg("run").arg(&program).output().expect("it starts");
        assert_eq!(output.stdout, b"4.0\n");
        times.push(start.elapsed());
    }
    println!("arr run of one line: {:?}", median(times));
}
