//! Running sums, sorting and scattering: what goes through rows in order.
//!
//! Rows are independent and are shared out among threads. Invariant: within a row everything is done in the order of
//! the elements; sorting is stable, NaN last, `-0.0` equal to `+0.0`.

use super::memory::{Plain, Raw, copy};
use super::threads::Threads;
use crate::base::DType;
use crate::ir::plan::AlongOp;
use std::cmp::Ordering;

/// Elements from which other threads are woken.
const PARALLEL: u64 = 1 << 15;

/// Rows `[outer, extent, inner]` along the middle axis.
pub(super) fn along(threads: &Threads, op: AlongOp, dtype: DType, sizes: [u64; 3], from: Raw, out: Raw) {
    let rows = Rows { threads, sizes, from, out };
    let half = |x: u16| half::f16::from_bits(x).to_f32();
    let brain = |x: u16| half::bf16::from_bits(x).to_f32();
    match (op, dtype) {
        (AlongOp::Cumsum, DType::F64) => rows.sums::<f64>(|x, y| x + y),
        (AlongOp::Cumsum, DType::F32) => rows.sums::<f32>(|x, y| x + y),
        (AlongOp::Cumsum, DType::F16) => rows.sums(|x, y| half::f16::from_f32(half(x) + half(y)).to_bits()),
        (AlongOp::Cumsum, DType::Bf16) => rows.sums(|x, y| half::bf16::from_f32(brain(x) + brain(y)).to_bits()),
        (AlongOp::Cumsum, DType::Bool) => rows.sums::<u8>(|x, y| x | y),
        (AlongOp::Cumsum, DType::U8) => rows.sums(u8::wrapping_add),
        (AlongOp::Cumsum, DType::U32 | DType::I32) => rows.sums(u32::wrapping_add),
        (AlongOp::Cumsum, DType::I64) => rows.sums(u64::wrapping_add),
        (_, DType::F64) => rows.order(op, |x: &f64, y: &f64| floats(*x, *y)),
        (_, DType::F32) => rows.order(op, |x: &f32, y: &f32| floats(f64::from(*x), f64::from(*y))),
        (_, DType::F16) => rows.order(op, |&x, &y| floats(f64::from(half(x)), f64::from(half(y)))),
        (_, DType::Bf16) => rows.order(op, |&x, &y| floats(f64::from(brain(x)), f64::from(brain(y)))),
        (_, DType::Bool | DType::U8) => rows.order(op, u8::cmp),
        (_, DType::U32) => rows.order(op, u32::cmp),
        (_, DType::I32) => rows.order(op, i32::cmp),
        (_, DType::I64) => rows.order(op, i64::cmp),
    }
}

fn floats(x: f64, y: f64) -> Ordering {
    x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()))
}

struct Rows<'a> {
    threads: &'a Threads,
    sizes: [u64; 3],
    from: Raw,
    out: Raw,
}

impl Rows<'_> {
    /// `row` for each of the first axis.
    fn each(&self, row: &(dyn Fn(u64) + Sync)) {
        let [outer, extent, inner] = self.sizes;
        if outer.saturating_mul(extent).saturating_mul(inner) < PARALLEL {
            (0..outer).for_each(row);
            return;
        }
        let step = outer.div_ceil(64).max(1);
        self.threads.each(outer.div_ceil(step) as usize, &|task, _| {
            let from = task as u64 * step;
            (from..outer.min(from + step)).for_each(row);
        });
    }

    fn sums<T: Plain>(&self, add: impl Fn(T, T) -> T + Sync) {
        let [_, extent, inner] = self.sizes;
        let plane = extent * inner;
        self.each(&|row| {
            let start = row * plane * size_of::<T>() as u64;
            let from = self.from.plus(start).numbers::<T>(plane);
            let out = self.out.plus(start).numbers_mut::<T>(plane);
            let (head, tail) = out.split_at_mut((inner as usize).min(out.len()));
            head.copy_from_slice(from.get(..head.len()).unwrap_or_default());
            if inner == 1 {
                let Some(&first) = from.first() else { return };
                let mut sum = first;
                for (to, &value) in tail.iter_mut().zip(from.iter().skip(1)) {
                    sum = add(sum, value);
                    *to = sum;
                }
                return;
            }
            // Line by line, each from the one before.
            let mut before: &[T] = head;
            for (line, values) in tail.chunks_mut(inner.max(1) as usize).zip(from.chunks(inner.max(1) as usize).skip(1))
            {
                for ((to, &sum), &value) in line.iter_mut().zip(before).zip(values) {
                    *to = add(sum, value);
                }
                before = line;
            }
        });
    }

    fn order<T: Plain>(&self, op: AlongOp, compare: impl Fn(&T, &T) -> Ordering + Sync) {
        let [_, extent, inner] = self.sizes;
        let plane = extent * inner;
        self.each(&|row| {
            let from = self.from.plus(row * plane * size_of::<T>() as u64).numbers::<T>(plane);
            for column in 0..inner as usize {
                let line = from.iter().skip(column).step_by(inner as usize).copied();
                if op == AlongOp::Sort {
                    let mut sorted: Vec<T> = line.collect();
                    sorted.sort_by(&compare);
                    let out = self.out.plus(row * plane * size_of::<T>() as u64).numbers_mut::<T>(plane);
                    let into = out.iter_mut().skip(column).step_by(inner as usize);
                    into.zip(sorted).for_each(|(to, value)| *to = value);
                } else {
                    let mut places: Vec<(i32, T)> = (0..).zip(line).collect();
                    places.sort_by(|(_, x), (_, y)| compare(x, y));
                    let out = self.out.plus(row * plane * size_of::<i32>() as u64).numbers_mut::<i32>(plane);
                    let into = out.iter_mut().skip(column).step_by(inner as usize);
                    into.zip(places).for_each(|(to, (at, _))| *to = at);
                }
            }
        });
    }
}

/// `target[outer, index[j], inner] = updates[outer, j, inner]`, `j` in order; sizes in elements of `size` bytes.
pub(super) fn scatter([outer, extent, count, inner]: [u64; 4], size: u64, target: Raw, index: Raw, updates: Raw) {
    let bytes = inner * size;
    for row in 0..outer {
        for (at, &to) in index.numbers::<i64>(count).iter().enumerate() {
            let to = target.plus((row * extent + to as u64) * bytes);
            copy(updates.plus((row * count + at as u64) * bytes), to, bytes);
        }
    }
}
