//! Matrix products: `matrixmultiply` for floats, plain loops for the rest.
//!
//! Floats are cut into blocks by the shape alone, so that the bits depend on nothing else; f16 and bf16 are computed
//! in f32 and rounded at the end; ints wrap; bools are `or` of `and`.

use super::call::Gemm;
use super::memory::{Plain, Raw};
use super::threads::Threads;
use crate::base::DType;

/// Multiply-adds from which other threads are woken.
const PARALLEL: u64 = 1 << 17;

/// An operand: first element and element strides of `[b, row, column]`.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    /// Address of the first element.
    pub(super) start: Raw,
    /// Element strides.
    pub(super) strides: [i64; 3],
}

/// `out[b, m, n] = a[b, m, k] @ b[b, k, n]`; `sizes` is `[b, m, k, n]`.
pub(super) fn matmul(threads: &Threads, dtype: DType, sizes: [u64; 4], a: Operand, b: Operand, out: Raw) {
    match dtype {
        DType::F64 => floats::<f64>(threads, sizes, a, b, out, 0.0),
        DType::F32 => floats::<f32>(threads, sizes, a, b, out, 0.0),
        DType::F16 => halves(
            threads,
            sizes,
            a,
            b,
            out,
            |x| half::f16::from_bits(x).to_f32(),
            |x| half::f16::from_f32(x).to_bits(),
        ),
        DType::Bf16 => halves(
            threads,
            sizes,
            a,
            b,
            out,
            |x| half::bf16::from_bits(x).to_f32(),
            |x| half::bf16::from_f32(x).to_bits(),
        ),
        DType::Bool => plain(threads, sizes, a, b, out, 0u8, |sum, x, y| sum | (x & y)),
        DType::U8 => plain(threads, sizes, a, b, out, 0u8, |sum, x, y| sum.wrapping_add(x.wrapping_mul(y))),
        DType::U32 | DType::I32 => {
            plain(threads, sizes, a, b, out, 0u32, |sum, x, y| sum.wrapping_add(x.wrapping_mul(y)));
        }
        DType::I64 => plain(threads, sizes, a, b, out, 0u64, |sum, x, y| sum.wrapping_add(x.wrapping_mul(y))),
    }
}

/// Blocks of the result, `[rows, columns]` each; by the shape alone.
fn blocks([_, m, _, n]: [u64; 4]) -> [u64; 2] {
    if m >= 128 {
        [m.div_ceil(8).next_multiple_of(16).max(64), n.max(1)]
    } else {
        [m.max(1), n.div_ceil(8).next_multiple_of(16).max(256)]
    }
}

fn each(threads: &Threads, sizes: [u64; 4], [high, wide]: [u64; 2], work: &(dyn Fn(u64, [u64; 2], [u64; 2]) + Sync)) {
    let [batches, m, k, n] = sizes;
    let (down, across) = (m.div_ceil(high), n.div_ceil(wide));
    let tasks = batches * down * across;
    let one = |task: u64| {
        let (batch, block) = (task / (down * across), task % (down * across));
        let (row, column) = (block / across * high, block % across * wide);
        work(batch, [row, m.min(row + high)], [column, n.min(column + wide)]);
    };
    if m.saturating_mul(n).saturating_mul(k).saturating_mul(batches) < PARALLEL {
        (0..tasks).for_each(one);
    } else {
        threads.each(tasks as usize, &|task, _| one(task as u64));
    }
}

fn at<T>(start: Raw, offset: i64) -> Raw {
    start.plus((offset.wrapping_mul(size_of::<T>() as i64)) as u64)
}

fn floats<T: Gemm>(threads: &Threads, sizes: [u64; 4], a: Operand, b: Operand, out: Raw, zero: T) {
    let [batches, m, k, n] = sizes;
    if k == 0 {
        out.numbers_mut::<T>(batches * m * n).fill(zero);
        return;
    }
    each(threads, sizes, blocks(sizes), &|batch, rows, columns| {
        let left = at::<T>(a.start, batch as i64 * a.strides[0] + rows[0] as i64 * a.strides[1]);
        let right = at::<T>(b.start, batch as i64 * b.strides[0] + columns[0] as i64 * b.strides[2]);
        let to = at::<T>(out, ((batch * m + rows[0]) * n + columns[0]) as i64);
        let sizes = [rows[1] - rows[0], k, columns[1] - columns[0]].map(|size| size as usize);
        let strides = |of: &Operand| [of.strides[1] as isize, of.strides[2] as isize];
        T::gemm(sizes, (left, strides(&a)), (right, strides(&b)), (to, n as isize));
    });
}

/// By way of dense copies in f32.
fn halves(
    threads: &Threads,
    sizes: [u64; 4],
    a: Operand,
    b: Operand,
    out: Raw,
    widen: impl Fn(u16) -> f32,
    round: impl Fn(f32) -> u16,
) {
    let [batches, m, k, n] = sizes;
    let wide = |of: Operand, rows: u64, columns: u64| {
        let mut dense = Vec::with_capacity((batches * rows * columns) as usize);
        for batch in 0..batches {
            for row in 0..rows {
                for column in 0..columns {
                    let offset = [batch, row, column].into_iter().zip(of.strides);
                    let offset = offset.map(|(at, stride)| at as i64 * stride).sum();
                    dense.extend(at::<u16>(of.start, offset).numbers::<u16>(1).iter().map(|&x| widen(x)));
                }
            }
        }
        dense
    };
    let (left, right) = (wide(a, m, k), wide(b, k, n));
    let mut result = vec![0f32; (batches * m * n) as usize];
    let dense = |of: &[f32], rows: u64, columns: u64| Operand {
        start: Raw::of_numbers(of),
        strides: [(rows * columns) as i64, columns as i64, 1],
    };
    floats::<f32>(threads, sizes, dense(&left, m, k), dense(&right, k, n), Raw::of_numbers_mut(&mut result), 0.0);
    for (to, from) in out.numbers_mut::<u16>(batches * m * n).iter_mut().zip(&result) {
        *to = round(*from);
    }
}

fn plain<T: Plain>(
    threads: &Threads,
    sizes: [u64; 4],
    a: Operand,
    b: Operand,
    out: Raw,
    zero: T,
    add: impl Fn(T, T, T) -> T + Sync,
) {
    let [_, m, k, n] = sizes;
    let high = m.div_ceil(64).max(1);
    each(threads, sizes, [high, n.max(1)], &|batch, rows, _| {
        for row in rows[0]..rows[1] {
            let into = at::<T>(out, ((batch * m + row) * n) as i64).numbers_mut::<T>(n);
            into.fill(zero);
            for inner in 0..k {
                let offset = batch as i64 * a.strides[0] + row as i64 * a.strides[1] + inner as i64 * a.strides[2];
                let Some(&left) = at::<T>(a.start, offset).numbers::<T>(1).first() else { continue };
                let right = at::<T>(b.start, batch as i64 * b.strides[0] + inner as i64 * b.strides[1]);
                if b.strides[2] == 1 {
                    for (sum, &value) in into.iter_mut().zip(right.numbers::<T>(n)) {
                        *sum = add(*sum, left, value);
                    }
                    continue;
                }
                for (column, sum) in into.iter_mut().enumerate() {
                    if let Some(&value) = at::<T>(right, column as i64 * b.strides[2]).numbers::<T>(1).first() {
                        *sum = add(*sum, left, value);
                    }
                }
            }
        }
    });
}
