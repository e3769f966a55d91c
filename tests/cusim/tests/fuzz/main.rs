//! Random kernels, run by the simulator and read a second time by the book: every bit must agree.
//!
//! `CUSIM_PROGRAMS=n` takes n programs of each kind instead of the usual few, `CUSIM_SEED=s` another first seed. With
//! `PTXAS=path` each program must also pass NVIDIA's assembler, so that nothing is accepted here that is no PTX.

mod exact;
mod generate;
mod reading;

use generate::{Item, Node, POOLS, Random, Register, SCRATCH, STRIDE, Source};

const THREADS: usize = 64;
const BLOCKS: usize = 2;
const LANES: usize = 32;

/// The registers and the memory of a thread in the second reading.
struct Thread<'a> {
    registers: Vec<(char, Vec<u64>)>,
    input: &'a [u8],
    output: Vec<u8>,
}

impl<'a> Thread<'a> {
    fn new(input: &'a [u8]) -> Self {
        let pool = |(pool, base, count, bytes, _): (char, usize, usize, usize, &str)| {
            let value = |at: usize| {
                let value = little(&input[base + at * bytes..][..bytes]);
                if pool == 'p' { (value != 0).into() } else { value }
            };
            (pool, (0..count).map(value).collect())
        };
        Self { registers: POOLS.map(pool).to_vec(), input, output: vec![0; STRIDE] }
    }

    fn get(&self, (pool, at): Register) -> u64 {
        self.registers.iter().find(|known| known.0 == pool).expect("a pool").1[at]
    }

    fn set(&mut self, (pool, at): Register, value: u64) {
        self.registers.iter_mut().find(|known| known.0 == pool).expect("a pool").1[at] = value;
    }

    fn source(&self, source: &Source) -> u64 {
        match source {
            Source::Register(register) => self.get(*register),
            Source::Literal(_, value) => *value,
        }
    }

    fn finish(mut self) -> Vec<u8> {
        for (pool, base, count, bytes, _) in POOLS {
            for at in 0..count {
                let value = self.get((pool, at));
                self.output[base + at * bytes..][..bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
            }
        }
        self.output
    }

    fn step(&mut self, item: &Item) {
        match item {
            Item::Compute { mnemonic, to, sources } => {
                let operands: Vec<u64> = sources.iter().map(|source| self.source(source)).collect();
                self.set(*to, reading::compute(mnemonic, width(*to), &operands));
            }
            Item::Load { ty, to, offset } => {
                let bytes = ty[1..].parse::<usize>().expect("a width") / 8;
                for (at, register) in to.iter().enumerate() {
                    let mut value = little(&self.input[offset + at * bytes..][..bytes]);
                    if ty.starts_with('s') && value >> (8 * bytes - 1) == 1 {
                        // Ones above, up to the register's width.
                        let ones = (u128::MAX << (8 * bytes)) & ((1 << width(*register)) - 1);
                        value |= ones as u64;
                    }
                    self.set(*register, value);
                }
            }
            Item::Store { ty, from, offset } => {
                let bytes = ty[1..].parse::<usize>().expect("a width") / 8;
                for (at, register) in from.iter().enumerate() {
                    let value = self.get(*register).to_le_bytes();
                    self.output[SCRATCH + offset + at * bytes..][..bytes].copy_from_slice(&value[..bytes]);
                }
            }
            Item::Pack { to, from } => {
                let bits = width(*to) as usize / from.len();
                let parts = from.iter().enumerate().map(|(at, part)| self.get(*part) << (at * bits));
                let value = parts.sum();
                self.set(*to, value);
            }
            Item::Unpack { to, from } => {
                let bits = width(*from) as usize / to.len();
                let whole = u128::from(self.get(*from));
                for (at, part) in to.iter().enumerate() {
                    self.set(*part, ((whole >> (at * bits)) % (1 << bits)) as u64);
                }
            }
            Item::Shuffle { .. } => unreachable!("shuffles concern whole warps"),
        }
    }
}

fn width((pool, _): Register) -> u32 {
    match pool {
        'p' => 1,
        'h' => 16,
        'r' | 'f' => 32,
        _ => 64,
    }
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Runs `nodes` for those threads of a warp that are `active`.
fn follow(warp: &mut [Thread<'_>], nodes: &[Node], active: &[bool]) {
    for node in nodes {
        match node {
            Node::Item(_, Item::Shuffle { mode, to, valid, value, lane, clamp }) => {
                let values: Vec<u64> = warp.iter().map(|thread| thread.get(*value)).collect();
                let asked: Vec<u64> = warp.iter().map(|thread| thread.source(lane) % 32).collect();
                let group = 32 - (clamp >> 8) as usize;
                for (at, thread) in warp.iter_mut().enumerate() {
                    let first = at / group * group;
                    let by = asked[at] as usize;
                    let from = match *mode {
                        "up" => at.checked_sub(by).filter(|from| *from >= first),
                        "down" => Some(at + by).filter(|from| *from < first + group),
                        "bfly" => Some(at ^ by).filter(|from| *from < first + group),
                        _ => Some(first + by % group),
                    };
                    thread.set(*to, values[from.unwrap_or(at)]);
                    thread.set(*valid, from.is_some().into());
                }
            }
            Node::Item(guard, item) => {
                for (thread, active) in warp.iter_mut().zip(active) {
                    let holds = guard.is_none_or(|(register, negated)| (thread.get(register) == 1) != negated);
                    if *active && holds {
                        thread.step(item);
                    }
                }
            }
            Node::If(condition, then, otherwise) => {
                let holds: Vec<bool> = warp.iter().map(|thread| thread.get(*condition) == 1).collect();
                let first: Vec<bool> = active.iter().zip(&holds).map(|(active, holds)| *active && *holds).collect();
                let second: Vec<bool> = active.iter().zip(&holds).map(|(active, holds)| *active && !*holds).collect();
                follow(warp, then, &first);
                follow(warp, otherwise, &second);
            }
            Node::Loop(count, body) => {
                let rounds: Vec<u64> = warp.iter().map(|thread| thread.get(*count) % 4).collect();
                for round in 0..4 {
                    let still: Vec<bool> =
                        active.iter().zip(&rounds).map(|(active, rounds)| *active && round < *rounds).collect();
                    follow(warp, body, &still);
                }
            }
        }
    }
}

fn by_the_book(program: &[Node], input: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    for warp in input.chunks(STRIDE * LANES) {
        let mut threads: Vec<Thread<'_>> = warp.chunks(STRIDE).map(Thread::new).collect();
        follow(&mut threads, program, &[true; LANES]);
        output.extend(threads.into_iter().flat_map(Thread::finish));
    }
    output
}

fn simulated(text: &str, input: &[u8]) -> Vec<u8> {
    let module = cusim::Module::load(text).unwrap_or_else(|refused| panic!("{refused}\n{text}"));
    let mut memory = cusim::Memory::new();
    let from = memory.alloc(input.len() as u64).expect("memory");
    let to = memory.alloc(input.len() as u64).expect("memory");
    memory.write(from, input).expect("in range");
    memory.fill(to, 0, input.len() as u64).expect("in range");
    let launched = module.launch("fuzz", BLOCKS as u32, THREADS as u32, 0, &[from, to], &mut memory);
    launched.unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    let mut output = vec![0; input.len()];
    memory.read(to, &mut output).expect("written");
    output
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Compares `programs` random programs of `length` statements.
fn compare(programs: u64, length: usize, control: bool) {
    let first = number("CUSIM_SEED").unwrap_or(1);
    for seed in first..first + number("CUSIM_PROGRAMS").unwrap_or(programs) {
        let mut random = Random(seed << 1 | u64::from(control));
        let program = generate::program(&mut random, length, control, 0);
        let text = generate::text(&program);
        let mut input = Vec::new();
        for _ in 0..THREADS * BLOCKS {
            let start = input.len();
            for (pool, _, count, bytes, _) in POOLS {
                for _ in 0..count {
                    let value = if pool == 'p' { random.next() % 2 } else { random.value(8 * bytes as u32) };
                    input.extend(&value.to_le_bytes()[..bytes]);
                }
            }
            input.resize(start + STRIDE, 0);
        }
        let (ours, book) = (simulated(&text, &input), by_the_book(&program, &input));
        if let Some(at) = (0..book.len()).find(|at| ours[*at] != book[*at]) {
            let (thread, offset) = (at / STRIDE, at % STRIDE);
            let place = POOLS.iter().rev().find(|pool| pool.1 <= offset).expect("a pool");
            let first = place.1 + (offset - place.1) / place.3 * place.3;
            let value = |bytes: &[u8]| little(&bytes[thread * STRIDE + first..][..place.3]);
            panic!(
                "seed {seed}, thread {thread}, offset {offset}, %{}{}: simulated {:#x}, by the book {:#x}\n{text}",
                place.0,
                (offset - place.1) / place.3,
                value(&ours),
                value(&book)
            );
        }
        assemble(&text);
    }
}

/// Gives a program to the real assembler, where there is one.
fn assemble(text: &str) {
    let Ok(assembler) = std::env::var("PTXAS") else { return };
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = directory.join(format!("fuzz-{:?}.ptx", std::thread::current().id()));
    std::fs::write(&source, text).expect("a writable directory");
    let mut command = std::process::Command::new(assembler);
    let output = command.args(["-arch=sm_80", "-O0", "-o", "/dev/null"]).arg(&source).output().expect("the assembler");
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn straight_programs_agree_with_the_book() {
    compare(150, 60, false);
}

#[test]
fn programs_with_branches_and_loops_agree_with_the_book() {
    compare(100, 16, true);
}
