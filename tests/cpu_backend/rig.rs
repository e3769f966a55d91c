//! What the tests share: data, kernels by hand, and the comparison of the two ways to run one.

use crate::interpreter::{self, Memory, read};
use arr::backends::cpu::Cpu;
use arr::backends::cuda::ptx;
use arr::backends::{Arguments, Backend, Buffer, Stop};
use arr::base::{DType, Literal};
use arr::ir::array::{ParamKind, Program};
use arr::ir::kernel::{Atom, Block, Body, BufferInfo, Index, Inst, InstData, InstKind, Kernel, Store};
use arr::ir::plan::{Plan, PlanParam, Slot, SlotInfo, Step, Storage};
use arr::ops::scalar::ScalarOp;
use cusim::Module;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

pub(crate) const SIZES: [u64; 14] = [0, 1, 2, 3, 7, 8, 31, 32, 33, 127, 1023, 1025, 4097, (1 << 20) + 1];

/// The same numbers on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 ^ (self.0 >> 29)
    }

    /// Moderate numbers, with the odd ones in between.
    pub(crate) fn literal(&mut self, dtype: DType) -> Literal {
        let bits = self.next() >> 20;
        if bits.is_multiple_of(16) {
            let edges = edges(dtype);
            return edges[(bits / 16) as usize % edges.len()];
        }
        match dtype {
            DType::Bool => Literal::from_bool(bits.is_multiple_of(3)),
            _ if dtype.is_float() => Literal::from_f64(dtype, ((bits % 4001) as f64 - 2000.0) / 256.0),
            _ => Literal::from_i64(dtype, (bits % 301) as i64 - 150),
        }
    }

    pub(crate) fn array(&mut self, dtype: DType, elements: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..elements {
            bytes.extend(&self.literal(dtype).bits.to_le_bytes()[..dtype.bytes()]);
        }
        bytes
    }
}

pub(crate) fn edges(dtype: DType) -> Vec<Literal> {
    match dtype {
        DType::Bool => vec![Literal::from_bool(false), Literal::from_bool(true)],
        _ if dtype.is_float() => {
            let numbers = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                1.5,
                2.5,
                -2.5,
                3.7,
                255.0,
                256.0,
                300.5,
                1e-3,
                65504.0,
                65519.0,
                65520.0,
                65536.0,
                5.96e-8,
                2.98e-8,
                6.1e-5,
                6.0975552e-5,
                1e-40,
                -1e-45,
                1e38,
                3.4e38,
                2147483647.0,
                2147483648.0,
                -2147483649.0,
                4294967295.0,
                4294967296.0,
                9.223372036854775e18,
                -9.3e18,
                4.5e15,
                1e300,
                5e-324,
                2049.0,
                1.0009765625,
                1.00048828125,
                1.0039062,
            ];
            let numbers = numbers.into_iter().chain([f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
            numbers.map(|x| Literal::from_f64(dtype, x)).collect()
        }
        _ => {
            let numbers = [
                0, 1, -1, 2, -2, 3, -3, 7, -7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 65535, 65536, 16777217,
                -16777217,
            ];
            let limits = [i64::MIN, i64::MAX, i64::from(i32::MIN), i64::from(i32::MAX), i64::from(u32::MAX)];
            numbers.into_iter().chain(limits).map(|x| Literal::from_i64(dtype, x)).collect()
        }
    }
}

pub(crate) fn same(x: Literal, y: Literal) -> bool {
    x == y || (x.dtype.is_float() && x.to_f64().is_nan() && y.to_f64().is_nan())
}

/// For building kernels by hand.
pub(crate) fn inst(at: usize) -> Inst {
    Inst(at as u32)
}

/// An index from terms of variables.
pub(crate) fn affine(terms: &[(u32, i64)], constant: i64) -> Index {
    Index { terms: terms.iter().filter(|(_, by)| *by != 0).map(|&(var, by)| (Atom::Var(var), by)).collect(), constant }
}

/// A block under construction.
#[derive(Default)]
pub(crate) struct Code {
    pub(crate) block: Block,
}

impl Code {
    pub(crate) fn push(&mut self, kind: InstKind, dtype: DType) -> Inst {
        self.block.insts.push(InstData { kind, dtype });
        inst(self.block.insts.len() - 1)
    }

    pub(crate) fn load(&mut self, buffer: usize, index: Index, dtype: DType) -> Inst {
        self.push(InstKind::Load { buffer, index, guard: None }, dtype)
    }

    pub(crate) fn constant(&mut self, literal: Literal) -> Inst {
        self.push(InstKind::Const(literal), literal.dtype)
    }

    pub(crate) fn op(&mut self, op: ScalarOp, operands: &[Inst]) -> Inst {
        let dtype = self.block.insts[operands.last().unwrap().0 as usize].dtype;
        self.push(InstKind::Op(op, operands.to_vec()), op.result(dtype))
    }
}

pub(crate) fn info(dtype: DType, elements: u64, stored: bool) -> BufferInfo {
    BufferInfo { dtype, elements, stored }
}

pub(crate) fn map_kernel(buffers: Vec<BufferInfo>, extents: &[u64], code: Code, stores: Vec<Store>) -> Kernel {
    let body = Body::Map { block: code.block, stores };
    Kernel { name: "test".into(), buffers, extents: extents.to_vec(), body }
}

/// One launch; `of` says which argument each kernel buffer is.
pub(crate) fn plan(kernel: &Kernel, arrays: &[Vec<u8>], of: &[usize]) -> Plan {
    let param = |bytes: &Vec<u8>| PlanParam {
        kind: ParamKind::Array { donated: true },
        name: "x".into(),
        dtype: DType::U8,
        extents: vec![bytes.len() as u64],
        bytes: bytes.len() as u64,
    };
    let slot = |(at, bytes): (usize, &Vec<u8>)| SlotInfo { storage: Storage::Param(at), bytes: bytes.len() as u64 };
    Plan {
        params: arrays.iter().map(param).collect(),
        slots: arrays.iter().enumerate().map(slot).collect(),
        kernels: vec![kernel.clone()],
        steps: vec![Step::Launch { kernel: 0, buffers: of.iter().map(|&at| Slot(at as u32)).collect() }],
        ..Plan::default()
    }
}

/// Runs a plan whose arguments are all arrays; gives what is in them afterwards.
pub(crate) fn run_plan(cpu: &Cpu, plan: &Plan, arrays: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Stop> {
    run_with(cpu, plan, arrays, false)
}

/// The same with Ctrl-C pressed from the beginning.
pub(crate) fn run_plan_interrupted(cpu: &Cpu, plan: &Plan, arrays: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Stop> {
    run_with(cpu, plan, arrays, true)
}

fn run_with(cpu: &Cpu, plan: &Plan, arrays: &[Vec<u8>], interrupted: bool) -> Result<Vec<Vec<u8>>, Stop> {
    let executable = cpu.load(&Program::default(), plan).unwrap();
    let given: Vec<Rc<dyn Buffer>> = arrays
        .iter()
        .map(|bytes| {
            let buffer = cpu.allocate(bytes.len() as u64).unwrap();
            buffer.write(0, bytes);
            buffer
        })
        .collect();
    let params: Vec<Option<&dyn Buffer>> = given.iter().map(|buffer| Some(&**buffer)).collect();
    let fresh: Vec<Rc<dyn Buffer>> = plan.fresh.iter().map(|&bytes| cpu.allocate(bytes).unwrap()).collect();
    let fresh: Vec<&dyn Buffer> = fresh.iter().map(|buffer| &**buffer).collect();
    let arena = cpu.allocate(plan.arena).unwrap();
    let interrupt = AtomicBool::new(interrupted);
    executable.run(&Arguments {
        params: &params,
        scalars: &vec![0; arrays.len()],
        fresh: &fresh,
        arena: Some(&*arena),
        interrupt: &interrupt,
    })?;
    let read = |buffer: &Rc<dyn Buffer>| {
        let mut bytes = vec![0; buffer.bytes() as usize];
        buffer.read(0, &mut bytes);
        bytes
    };
    Ok(given.iter().map(read).collect())
}

/// Both ways, with one thread and with two; `arrays[k]` has elements of `dtypes[k]`.
pub(crate) fn agree(what: &str, kernel: &Kernel, arrays: &[Vec<u8>], dtypes: &[DType], of: &[usize]) {
    let mut memory = Memory { arrays: arrays.to_vec(), of: of.iter().map(|&array| (array, 0)).collect() };
    interpreter::run(kernel, &mut memory);
    for threads in [1, 2] {
        let cpu = Cpu::new(Some(threads)).unwrap();
        let results = run_plan(&cpu, &plan(kernel, arrays, of), arrays).unwrap();
        for (array, (result, expected)) in results.iter().zip(&memory.arrays).enumerate() {
            if result == expected {
                continue;
            }
            let dtype = dtypes[array];
            for at in 0..result.len() / dtype.bytes() {
                let (found, wanted) = (read(result, dtype, at), read(expected, dtype, at));
                assert!(
                    same(found, wanted),
                    "{what}, {threads} threads: array {array} [{at}] is {found:?} ({:x}), not {wanted:?} ({:x})\n{kernel}",
                    found.bits,
                    wanted.bits
                );
            }
        }
    }
    on_gpu(what, kernel, arrays, dtypes, of, &memory);
}

/// Points times instructions up to which a kernel also runs on the stand-in for a GPU.
const MOST_WORK: u64 = 1_000_000;

/// The kernel as PTX, thread by thread: the same bits.
fn on_gpu(what: &str, kernel: &Kernel, arrays: &[Vec<u8>], dtypes: &[DType], of: &[usize], expected: &Memory) {
    let inner = match &kernel.body {
        Body::Map { .. } => 1,
        Body::Reduce { inner, .. } => inner.iter().product::<u64>().max(32),
    };
    let entry = ptx::entry(kernel, "tested");
    let instructions = entry.text.lines().count() as u64;
    let threads: u64 = entry.launches.iter().map(|launch| u64::from(launch.blocks) * u64::from(launch.threads)).sum();
    if (kernel.extents.iter().product::<u64>() * inner).max(threads / 8) * instructions > MOST_WORK {
        return;
    }
    let module = Module::load(&format!("{}{}", ptx::HEAD, entry.text))
        .unwrap_or_else(|fault| panic!("{what}: {fault}\n{}", entry.text));
    let mut memory = cusim::Memory::new();
    let mut uploaded = |array: &Vec<u8>| {
        let address = memory.alloc(array.len() as u64).expect("memory");
        memory.write(address, array).expect("in range");
        address
    };
    let addresses: Vec<u64> = arrays.iter().map(&mut uploaded).collect();
    let scratch = memory.alloc(entry.scratch.max(1)).expect("memory");
    for launch in &entry.launches {
        let address = |argument: &ptx::Argument| match *argument {
            ptx::Argument::Buffer(at) => addresses[of[at]],
            ptx::Argument::Scratch(offset) => scratch + offset,
        };
        let params: Vec<u64> = launch.arguments.iter().map(address).collect();
        let done = module.launch(&launch.name, launch.blocks, launch.threads, 0, &params, &mut memory);
        done.unwrap_or_else(|fault| panic!("{what}: {fault}\n{kernel}\n{}", entry.text));
    }
    for (array, (address, wanted)) in addresses.iter().zip(&expected.arrays).enumerate() {
        let (mut found, dtype) = (vec![0; wanted.len()], dtypes[array]);
        memory.read(*address, &mut found).expect("written and in range");
        memory.free(*address).expect("once");
        for at in 0..found.len() / dtype.bytes() {
            let (found, wanted) = (read(&found, dtype, at), read(wanted, dtype, at));
            assert!(
                same(found, wanted),
                "{what}, as PTX: array {array} [{at}] is {found:?} ({:x}), not {wanted:?} ({:x})\n{kernel}\n{}",
                found.bits,
                wanted.bits,
                entry.text
            );
        }
    }
}
