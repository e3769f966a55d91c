//! One launch of a kernel: cut into parts for the threads where that pays, and reductions put together.
//!
//! Invariant: how it is cut changes no bits: points are independent, and chunks are those of the reduction tree.

use super::call::{Entry, Range};
use super::compile::{Compiled, Work};
use super::emit::map::COLUMN_STEP;
use super::memory::Raw;
use super::threads::Threads;
use crate::base::{DType, Literal};
use crate::ir::array::ReduceOp;
use crate::ir::kernel::{CHUNK, LANES};
use crate::ops::evaluate::evaluate;
use crate::ops::scalar::ScalarOp;

/// Cost from which waking other threads pays.
const PARALLEL: u64 = 256 << 10;
/// Tasks per worker, so that a slow one does not keep the others waiting.
const TASKS: u64 = 4;
/// Bytes of partial results that a worker has room for at least.
const SCRATCH: u64 = 64 << 10;
/// Columns of a stripe: as many cache lines are in use at a time.
const STRIPE: i64 = 32;
/// Columns that a cut leaves together at least: then no call but the last has a rest beside its vectors.
const LEAST_COLUMNS: u64 = 4;

/// Bytes that each worker needs for this kernel.
pub(super) fn scratch_bytes(compiled: &Compiled) -> u64 {
    match &compiled.work {
        Work::Map(_) => 0,
        Work::Reduce { count, kept, .. } => {
            SCRATCH.max(count.saturating_mul(kept.bytes() as u64).saturating_mul(LEAST_COLUMNS))
        }
    }
}

/// Where partial results go: so many bytes for each worker.
#[derive(Clone, Copy)]
pub(super) struct Scratch {
    /// Of worker 0.
    pub(super) start: Raw,
    /// To the next worker's.
    pub(super) bytes: u64,
}

impl Scratch {
    fn of(self, worker: usize) -> Raw {
        self.start.plus(self.bytes * worker as u64)
    }
}

/// Runs a kernel on its buffers.
pub(super) fn launch(compiled: &Compiled, buffers: &[Raw], threads: &Threads, scratch: Scratch) {
    if compiled.rows == 0 || compiled.columns == 0 {
        return;
    }
    let parallel = compiled.cost > PARALLEL && threads.count() > 1;
    match &compiled.work {
        Work::Map(entry) if parallel => map(*entry, compiled, buffers, threads),
        Work::Map(entry) => {
            part(*entry, compiled, buffers, [0, compiled.rows as i64], [0, compiled.columns as i64]);
        }
        Work::Reduce { chunks, finish, count, kept, dtype, op } => {
            let reduction =
                Reduction { chunks: *chunks, finish: *finish, count: *count, kept: *kept, dtype: *dtype, op: *op };
            reduction.run(compiled, buffers, threads, scratch, parallel);
        }
    }
}

fn map(entry: Entry, compiled: &Compiled, buffers: &[Raw], threads: &Threads) {
    let (rows, columns) = (compiled.rows, compiled.columns);
    let tasks = TASKS * threads.count() as u64;
    let by_rows = rows >= tasks || columns < COLUMN_STEP * tasks;
    let (total, step) = match by_rows {
        true => (rows, rows.div_ceil(tasks)),
        false => (columns, columns.div_ceil(tasks).next_multiple_of(COLUMN_STEP)),
    };
    threads.each(total.div_ceil(step) as usize, &|task, _| {
        let from = task as u64 * step;
        let cut = [from as i64, total.min(from + step) as i64];
        let (rows, columns) = if by_rows { (cut, [0, columns as i64]) } else { ([0, rows as i64], cut) };
        part(entry, compiled, buffers, rows, columns);
    });
}

/// A rectangle of an elementwise kernel; in stripes that are narrow enough for the cache, if it goes against the grain.
fn part(entry: Entry, compiled: &Compiled, buffers: &[Raw], rows: [i64; 2], columns: [i64; 2]) {
    let step = if compiled.striped { STRIPE } else { i64::MAX };
    let mut from = columns[0];
    while from < columns[1] {
        let to = from.saturating_add(step).min(columns[1]);
        entry.call(buffers, Raw::NOWHERE, &Range { rows, columns: [from, to], chunks: [0; 2], pitch: 0 });
        from = to;
    }
}

struct Reduction {
    chunks: Entry,
    finish: Entry,
    count: u64,
    kept: DType,
    dtype: DType,
    op: ReduceOp,
}

impl Reduction {
    fn run(&self, compiled: &Compiled, buffers: &[Raw], threads: &Threads, scratch: Scratch, parallel: bool) {
        let (rows, columns) = (compiled.rows, compiled.columns);
        let size = self.kept.bytes() as u64;
        let room = (scratch.bytes / (self.count * size)).max(1);
        let mut together = room;
        if parallel {
            together = together.min((rows.saturating_mul(columns)).div_ceil(TASKS * threads.count() as u64)).max(1);
        }
        // Blocks of whole rows, or of a part of one.
        let (high, wide) = if together >= columns {
            (rows.min(together / columns), columns)
        } else {
            let step = if together >= COLUMN_STEP { COLUMN_STEP } else { LEAST_COLUMNS };
            (1, (together / step).max(1) * step)
        };
        let across = columns.div_ceil(wide);
        let blocks = rows.div_ceil(high) * across;
        let block = |at: u64| {
            let (row, column) = (at / across * high, at % across * wide);
            Range {
                rows: [row as i64, rows.min(row + high) as i64],
                columns: [column as i64, columns.min(column + wide) as i64],
                chunks: [0, self.count as i64],
                pitch: self.count as i64,
            }
        };
        if parallel && (blocks >= threads.count() as u64 || self.count == 1) {
            threads.each(blocks as usize, &|task, worker| {
                let range = block(task as u64);
                self.chunks.call(buffers, scratch.of(worker), &range);
                self.close(buffers, scratch.of(worker), &range);
            });
            return;
        }
        for at in 0..blocks {
            let range = block(at);
            if parallel {
                self.cut(buffers, threads, scratch.of(0), &range);
            } else {
                self.chunks.call(buffers, scratch.of(0), &range);
            }
            self.close(buffers, scratch.of(0), &range);
        }
    }

    /// The chunks of a block shared out.
    fn cut(&self, buffers: &[Raw], threads: &Threads, scratch: Raw, range: &Range) {
        let step = self.count.div_ceil(TASKS * threads.count() as u64);
        let size = self.kept.bytes() as u64;
        threads.each(self.count.div_ceil(step) as usize, &|task, _| {
            let from = task as u64 * step;
            let chunks = [from as i64, self.count.min(from + step) as i64];
            self.chunks.call(buffers, scratch.plus(from * size), &Range { chunks, ..*range });
        });
    }

    /// One result per point from those of its chunks; then the finish.
    fn close(&self, buffers: &[Raw], scratch: Raw, range: &Range) {
        if self.count > 1 {
            let length = |[from, to]: [i64; 2]| (to - from) as u64;
            for point in 0..length(range.rows) * length(range.columns) {
                let from = scratch.plus(point * self.count * self.kept.bytes() as u64);
                let result = self.combine(from);
                self.write(scratch, point, result);
            }
        }
        self.finish.call(buffers, scratch, range);
    }

    fn read(&self, from: Raw, at: u64) -> Literal {
        let from = from.plus(at * self.kept.bytes() as u64);
        let bits = match self.kept.bytes() {
            1 => u64::from(first(from.numbers::<u8>(1))),
            4 => u64::from(first(from.numbers::<u32>(1))),
            _ => first(from.numbers::<u64>(1)),
        };
        if self.kept == self.dtype {
            Literal::new(self.dtype, bits)
        } else {
            Literal::from_f64(self.dtype, f64::from(f32::from_bits(bits as u32)))
        }
    }

    fn write(&self, to: Raw, at: u64, value: Literal) {
        let to = to.plus(at * self.kept.bytes() as u64);
        let bits = if self.kept == self.dtype { value.bits } else { u64::from((value.to_f64() as f32).to_bits()) };
        match self.kept.bytes() {
            1 => to.numbers_mut::<u8>(1).fill(bits as u8),
            4 => to.numbers_mut::<u32>(1).fill(bits as u32),
            _ => to.numbers_mut::<u64>(1).fill(bits),
        }
    }

    /// The same tree again over the results of the chunks, in place.
    fn combine(&self, values: Raw) -> Literal {
        let Some(op) = self.op.combiner() else { return self.read(values, 0) };
        let mut count = self.count;
        while count > 1 {
            let chunks = count.div_ceil(CHUNK);
            for chunk in 0..chunks {
                let end = count.min((chunk + 1) * CHUNK);
                let result = self.combine_chunk(op, values, chunk * CHUNK, end);
                self.write(values, chunk, result);
            }
            count = chunks;
        }
        self.read(values, 0)
    }

    fn combine_chunk(&self, op: ScalarOp, values: Raw, from: u64, to: u64) -> Literal {
        let mut lanes = [self.op.identity(self.dtype); LANES as usize];
        for at in from..to {
            if let Some(lane) = lanes.get_mut(((at - from) % LANES) as usize) {
                *lane = evaluate(op, &[*lane, self.read(values, at)]);
            }
        }
        let mut rest = lanes.as_mut_slice();
        while rest.len() > 1 {
            let (low, high) = rest.split_at_mut(rest.len() / 2);
            for (low, high) in low.iter_mut().zip(high) {
                *low = evaluate(op, &[*low, *high]);
            }
            rest = low;
        }
        lanes[0]
    }
}

fn first<T: Copy + Default + 'static>(of: &[T]) -> T {
    of.first().copied().unwrap_or_default()
}
