//! Whole plans: loops, branches, checks, permutations, products, sorting; memory that is counted.

use crate::interpreter::{read, write};
use crate::rig::{Code, Random, affine, info, map_kernel, run_plan, run_plan_interrupted, same};
use arr::backends::cpu::Cpu;
use arr::backends::{Backend, Stop};
use arr::base::{DType, Literal, Span};
use arr::ir::array::{Check, ParamKind, Program};
use arr::ir::kernel::Store;
use arr::ir::plan::{AlongOp, MatmulOperand, Plan, PlanParam, Slot, SlotInfo, Step, Storage};
use arr::ops::evaluate::evaluate;
use arr::ops::scalar::ScalarOp;

fn over(arrays: &[Vec<u8>], steps: Vec<Step>) -> Plan {
    let param = |bytes: &Vec<u8>| PlanParam {
        kind: ParamKind::Array { donated: false },
        name: "x".into(),
        dtype: DType::U8,
        extents: vec![bytes.len() as u64],
        bytes: bytes.len() as u64,
    };
    let slot = |(at, bytes): (usize, &Vec<u8>)| SlotInfo { storage: Storage::Param(at), bytes: bytes.len() as u64 };
    Plan {
        params: arrays.iter().map(param).collect(),
        slots: arrays.iter().enumerate().map(slot).collect(),
        steps,
        ..Plan::default()
    }
}

fn run(plan: &Plan, arrays: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, Stop> {
    let results: Vec<_> = [1, 2].map(|threads| run_plan(&Cpu::new(Some(threads)).unwrap(), plan, arrays)).into();
    assert_eq!(results[0], results[1], "the number of threads changes nothing");
    results[0].clone()
}

fn longs(values: &[i64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn loops_count_and_buffers_rotate() {
    // x, y = y, x + i, for i in 0..5 by 2.
    let n = 3;
    let mut code = Code::default();
    let x = code.load(0, affine(&[(0, 1)], 0), DType::I64);
    let i = code.load(1, affine(&[], 0), DType::I64);
    let sum = code.op(ScalarOp::Add, &[x, i]);
    let buffers = vec![info(DType::I64, n, false), info(DType::I64, 1, false), info(DType::I64, n, true)];
    let store = Store { buffer: 2, index: affine(&[(0, 1)], 0), value: sum };
    let kernel = map_kernel(buffers, &[n], code, vec![store]);
    let arrays =
        [longs(&[10, 20, 30]), longs(&[1, 2, 3]), longs(&[0]), longs(&[5]), longs(&[2]), longs(&[9]), longs(&[7; 3])];
    let body = vec![
        Step::Launch { kernel: 0, buffers: vec![Slot(0), Slot(5), Slot(6)] },
        Step::Permute(vec![(Slot(0), Slot(1)), (Slot(1), Slot(6)), (Slot(6), Slot(0))]),
    ];
    let step = Step::For { start: Slot(2), end: Slot(3), step: Slot(4), index: Slot(5), body };
    let mut plan = over(&arrays, vec![step, Step::Copy { from: Slot(0), to: Slot(6), bytes: 24 }]);
    plan.kernels.push(kernel);
    let results = run(&plan, &arrays).unwrap();
    // Rounds 0, 2, 4: (x, y) = (y, x + i); x of the end is 10 + 0 + ... by rounds: y0, x0 + 0, y0 + 2.
    assert_eq!(results[5], longs(&[4]));
    // After three rounds x is x0 + 0 and y is y0 + 2 + ... : x = (x0 + 0), moved once more.
    let all: Vec<&Vec<u8>> = vec![&results[0], &results[1], &results[6]];
    assert!(all.contains(&&longs(&[3, 4, 5])), "y0 + 2: {all:?}");
}

#[test]
fn branches_and_loops_on_flags() {
    let arrays = [vec![1u8], vec![0u8], longs(&[5]), longs(&[6]), longs(&[0])];
    let copy = |from, to| Step::Copy { from: Slot(from), to: Slot(to), bytes: 8 };
    let branch = |flag| Step::If { flag: Slot(flag), then: vec![copy(2, 4)], otherwise: vec![copy(3, 4)] };
    assert_eq!(run(&over(&arrays, vec![branch(0)]), &arrays).unwrap()[4], longs(&[5]));
    assert_eq!(run(&over(&arrays, vec![branch(1)]), &arrays).unwrap()[4], longs(&[6]));
    let clear = Step::Copy { from: Slot(1), to: Slot(0), bytes: 1 };
    let rounds = Step::While { condition: vec![], flag: Slot(0), body: vec![copy(3, 4), clear] };
    assert_eq!(run(&over(&arrays, vec![rounds]), &arrays).unwrap()[4], longs(&[6]));
}

#[test]
fn an_interrupt_ends_a_loop_until_a_donated_array_is_written() {
    let cpu = Cpu::new(Some(1)).unwrap();
    let arrays = [vec![1u8], vec![0u8], longs(&[5]), longs(&[6])];
    let forever = |body| Step::While { condition: vec![], flag: Slot(0), body };
    let mut plan = over(&arrays, vec![forever(vec![])]);
    assert_eq!(run_plan_interrupted(&cpu, &plan, &arrays), Err(Stop::Interrupted));
    // Once the donated array has been written, the loop must come to its own end.
    let write = Step::Copy { from: Slot(2), to: Slot(3), bytes: 8 };
    let clear = Step::Copy { from: Slot(1), to: Slot(0), bytes: 1 };
    plan.params[3].kind = ParamKind::Array { donated: true };
    plan.steps = vec![write, forever(vec![clear])];
    assert!(run_plan_interrupted(&cpu, &plan, &arrays).is_ok());
}

#[test]
fn checks_stop_with_what_they_show() {
    let arrays = [vec![1u8], longs(&[-7])];
    let step = Step::Check { check: 0, bad: Slot(0), shown: vec![(Slot(1), DType::I64)] };
    let mut plan = over(&arrays, vec![step]);
    plan.checks.push((Check { code: "R0001", message: "no".into(), help: None }, Span::default()));
    let stop = run(&plan, &arrays).unwrap_err();
    assert_eq!(stop, Stop::Check { check: 0, shown: vec![Literal::from_i64(DType::I64, -7)] });
}

#[test]
fn scattering_keeps_the_last_of_equal_indexes() {
    let arrays = [longs(&[0; 10]), longs(&[4, 0, 4]), longs(&[1, 2, 3, 4, 5, 6])];
    let sizes = [2, 5, 3, 1];
    let step = Step::Scatter { target: Slot(0), index: Slot(1), updates: Slot(2), sizes, dtype: DType::I64 };
    let results = run(&over(&arrays, vec![step]), &arrays).unwrap();
    assert_eq!(results[0], longs(&[2, 0, 0, 0, 3, 5, 0, 0, 0, 6]));
}

#[test]
fn products_of_every_dtype() {
    let mut random = Random(5);
    for dtype in DType::ALL {
        for [batches, m, k, n] in [[1, 1, 1, 1], [2, 3, 0, 4], [2, 3, 5, 4], [1, 33, 17, 31], [1, 150, 20, 300]] {
            // Small integers, so that no order of adding rounds.
            let mut array = |elements: u64| {
                let mut bytes = Vec::new();
                for _ in 0..elements {
                    let value = Literal::from_i64(dtype, (random.next() >> 20) as i64 % 5 - 2);
                    bytes.extend(&value.bits.to_le_bytes()[..dtype.bytes()]);
                }
                bytes
            };
            let arrays = [array(batches * m * k), array(batches * k * n), array(batches * m * n)];
            let [mi, ki, ni] = [m as i64, k as i64, n as i64];
            for transposed in [false, true] {
                let a = MatmulOperand { slot: Slot(0), offset: 0, strides: [mi * ki, ki, 1] };
                let strides = if transposed { [ki * ni, 1, ki] } else { [ki * ni, ni, 1] };
                let b = MatmulOperand { slot: Slot(1), offset: 0, strides };
                let step = Step::Matmul { a, b, out: Slot(2), sizes: [batches, m, k, n], dtype };
                let results = run(&over(&arrays, vec![step]), &arrays).unwrap();
                let mut expected = arrays[2].clone();
                for at in 0..batches * m * n {
                    let (batch, row, column) = (at / (m * n), at / n % m, at % n);
                    let mut sum = Literal::from_i64(dtype, 0);
                    for inner in 0..k {
                        let x = read(&arrays[0], dtype, (batch * m * k + row * k + inner) as usize);
                        let offset = batch as i64 * strides[0] + inner as i64 * strides[1] + column as i64 * strides[2];
                        let product = evaluate(ScalarOp::Mul, &[x, read(&arrays[1], dtype, offset as usize)]);
                        sum = evaluate(ScalarOp::Add, &[sum, product]);
                    }
                    write(&mut expected, sum, at as usize);
                }
                for at in 0..(batches * m * n) as usize {
                    let (found, wanted) = (read(&results[2], dtype, at), read(&expected, dtype, at));
                    assert_eq!(found.to_f64(), wanted.to_f64(), "{dtype} {m}x{k}x{n} at {at}");
                }
            }
        }
    }
}

#[test]
fn running_sums_and_sorting() {
    for dtype in DType::ALL {
        for sizes in [[0, 4, 2], [1, 0, 1], [1, 1, 1], [1, 40, 1], [3, 17, 2], [2, 1000, 1], [40, 33, 30]] {
            let [outer, extent, inner] = sizes;
            let elements = outer * extent * inner;
            let mut random = Random(extent);
            for op in [AlongOp::Cumsum, AlongOp::Sort, AlongOp::Argsort] {
                let result = if op == AlongOp::Argsort { DType::I32 } else { dtype };
                let arrays = [random.array(dtype, elements), random.array(result, elements)];
                let step = Step::Along { op, from: Slot(0), out: Slot(1), sizes, dtype };
                let results = run(&over(&arrays, vec![step]), &arrays).unwrap();
                for line in 0..outer * inner {
                    let place = |at: u64| ((line / inner * extent + at) * inner + line % inner) as usize;
                    let values: Vec<Literal> = (0..extent).map(|at| read(&arrays[0], dtype, place(at))).collect();
                    let found: Vec<Literal> = (0..extent).map(|at| read(&results[1], result, place(at))).collect();
                    let wanted = expected(op, &values);
                    let agree = found.iter().zip(&wanted).all(|(&found, &wanted)| same(found, wanted));
                    assert!(agree, "{op:?} {dtype} {sizes:?}: {found:?}, not {wanted:?}");
                }
            }
        }
    }
}

fn expected(op: AlongOp, values: &[Literal]) -> Vec<Literal> {
    if op == AlongOp::Cumsum {
        let mut sums: Vec<Literal> = Vec::new();
        for &value in values {
            sums.push(sums.last().map_or(value, |&sum| evaluate(ScalarOp::Add, &[sum, value])));
        }
        return sums;
    }
    let mut order: Vec<usize> = (0..values.len()).collect();
    let less = |x: Literal, y: Literal| evaluate(ScalarOp::Lt, &[x, y]).to_bool();
    let nan = |x: Literal| x.dtype.is_float() && x.to_f64().is_nan();
    // Insertion, the plainest stable sort.
    for at in 1..order.len() {
        let mut here = at;
        while here > 0 {
            let (before, this) = (values[order[here - 1]], values[order[here]]);
            if !(less(this, before) || (nan(before) && !nan(this))) {
                break;
            }
            order.swap(here - 1, here);
            here -= 1;
        }
    }
    let number = |at: &usize| Literal::from_i64(DType::I32, *at as i64);
    if op == AlongOp::Sort { order.iter().map(|&at| values[at]).collect() } else { order.iter().map(number).collect() }
}

#[test]
fn memory_is_counted_and_pooled() {
    let cpu = Cpu::new(Some(1)).unwrap();
    let array = cpu.allocate(1 << 20).unwrap();
    assert_eq!((cpu.allocated(), cpu.pooled()), (1 << 20, 0));
    drop(array);
    assert_eq!((cpu.allocated(), cpu.pooled()), (0, 1 << 20));
    let refused = cpu.allocate(1 << 62).err().unwrap();
    assert!(refused.what.contains("4 EiB"), "{refused:?}");
    assert_eq!(cpu.allocate(0).unwrap().bytes(), 0);
}

#[test]
fn broken_plans_are_refused_at_load() {
    let cpu = Cpu::new(Some(1)).unwrap();
    let arrays = [longs(&[1]), longs(&[2])];
    let beyond = Step::Copy { from: Slot(0), to: Slot(1), bytes: 9 };
    assert!(cpu.load(&Program::default(), &over(&arrays, vec![beyond])).is_err());
    let nowhere = Step::Copy { from: Slot(0), to: Slot(2), bytes: 8 };
    assert!(cpu.load(&Program::default(), &over(&arrays, vec![nowhere])).is_err());
}
