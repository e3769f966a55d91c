//! Steps of a plan that are no kernel of the kernel IR: products of matrices, what goes along an axis, scattering.
//!
//! One thread per result, or per row where a row must be gone through in order: the plain form, in which every bit is
//! where it should be. Parameters: `a, b, out`; `from, out`; `target, index, updates`.

use super::Entry;
use super::block::Around;
use super::writer::{Class, Val, Writer};
use crate::base::{DType, Literal};
use crate::ir::plan::{AlongOp, MatmulOperand, Step};
use crate::ops::scalar::ScalarOp;

/// The entry of such a step; none for others.
pub(super) fn entry(step: &Step, name: &str) -> Option<Entry> {
    let mut w = Writer::default();
    let (buffers, blocks) = match step {
        Step::Matmul { a, b, sizes, dtype, .. } => (3, matmul(&mut w, a, b, *sizes, *dtype)),
        Step::Along { op, sizes, dtype, .. } => (2, along(&mut w, *op, *sizes, *dtype)),
        Step::Scatter { sizes, dtype, .. } => (3, scatter(&mut w, *sizes, *dtype)),
        _ => return None,
    };
    Some(Entry::single(name, blocks, buffers, w.entry(name, buffers)))
}

fn constant(w: &mut Writer, number: u64) -> String {
    w.make(Class::Long, "mov.u64", &[&number.to_string()])
}

impl Writer {
    /// `base + at * by`.
    fn step_by(&mut self, base: &str, at: &str, by: i64) -> String {
        self.make(Class::Long, "mad.lo.s64", &[at, &by.to_string(), base])
    }
}

/// Sums over `k` in order; halves in f32, rounded at the end.
fn matmul(w: &mut Writer, a: &MatmulOperand, b: &MatmulOperand, [batch, m, k, n]: [u64; 4], dtype: DType) -> u32 {
    let buffers = w.buffers(3);
    let around = Around { vars: &[], buffers: &buffers, dtypes: &[dtype; 3] };
    let within = if matches!(dtype, DType::F16 | DType::Bf16) { DType::F32 } else { dtype };
    w.grid(batch * m * n, 1, &mut |w, point, _| {
        let at = w.decode(point, &[batch, m, n]);
        let [batch, row, column] = [0, 1, 2].map(|k| at.get(k).cloned().unwrap_or_default());
        let zero = w.constant(Literal::from_i64(within, 0));
        let sum = w.variable(&zero);
        let start = |w: &mut Writer, of: &MatmulOperand, at: &str, axis: usize| {
            let base = constant(w, of.offset);
            let base = w.step_by(&base, &batch, of.strides[0]);
            w.step_by(&base, at, of.strides[axis])
        };
        let (left, right) = (start(w, a, &row, 1), start(w, b, &column, 2));
        w.counted("0", &k.to_string(), &mut |w, at| {
            let (x, y) = (w.step_by(&left, at, a.strides[2]), w.step_by(&right, at, b.strides[1]));
            let (x, y) = (w.load(0, &x, None, &around), w.load(1, &y, None, &around));
            let (x, y) = (w.cast(&x, within), w.cast(&y, within));
            let next = if within.is_float() {
                w.op(ScalarOp::Fma, &[x, y, sum.clone()])
            } else {
                let product = w.op(ScalarOp::Mul, &[x, y]);
                w.op(ScalarOp::Add, &[sum.clone(), product])
            };
            w.copy_into(&sum, &next);
        });
        let result = w.cast(&sum, dtype);
        w.put(2, point, &result, &around, None);
    })
}

/// A thread per row `[outer, extent, inner]`.
fn along(w: &mut Writer, op: AlongOp, [outer, extent, inner]: [u64; 3], dtype: DType) -> u32 {
    let buffers = w.buffers(2);
    let out = if op == AlongOp::Argsort { DType::I32 } else { dtype };
    let around = Around { vars: &[], buffers: &buffers, dtypes: &[dtype, out] };
    // A row without elements has no first one.
    let rows = if extent == 0 { 0 } else { outer * inner };
    w.grid(rows, 1, &mut |w, row, _| {
        let at = w.decode(row, &[outer, inner]);
        let [outer, column] = [0, 1].map(|k| at.get(k).cloned().unwrap_or_default());
        let size = extent.saturating_mul(inner);
        let start = w.step_by(&column, &outer, i64::try_from(size).unwrap_or(i64::MAX));
        let inner = i64::try_from(inner).unwrap_or(i64::MAX);
        match op {
            AlongOp::Cumsum => {
                let first = w.load(0, &start, None, &around);
                let sum = w.variable(&first);
                w.put(1, &start, &sum, &around, None);
                w.counted("1", &extent.to_string(), &mut |w, at| {
                    let place = w.step_by(&start, at, inner);
                    let value = w.load(0, &place, None, &around);
                    let next = w.op(ScalarOp::Add, &[sum.clone(), value]);
                    w.copy_into(&sum, &next);
                    w.put(1, &place, &sum, &around, None);
                });
            }
            AlongOp::Sort | AlongOp::Argsort => {
                let row = Row { around: &around, start: &start, inner, op };
                w.counted("0", &extent.to_string(), &mut |w, at| row.insert(w, at));
            }
        }
    })
}

/// A row that is being sorted by insertion: stable, and every prefix is sorted.
struct Row<'a> {
    around: &'a Around<'a>,
    start: &'a str,
    inner: i64,
    op: AlongOp,
}

impl Row<'_> {
    /// Puts the `at`-th element where it belongs among those before it.
    fn insert(&self, w: &mut Writer, at: &str) {
        let place = w.step_by(self.start, at, self.inner);
        let value = w.load(0, &place, None, self.around);
        let (again, done) = (w.label("larger"), w.label("here"));
        let gap = w.make(Class::Long, "mov.u64", &[at]);
        w.place(&again);
        let none = w.make(Class::Pred, "setp.eq.u64", &[&gap, "0"]);
        w.line(format!("@{none} bra {done}"));
        let before = w.make(Class::Long, "sub.s64", &[&gap, "1"]);
        let left = w.step_by(self.start, &before, self.inner);
        let kept = w.load(1, &left, None, self.around);
        let other = if self.op == AlongOp::Sort {
            kept.clone()
        } else {
            let number = w.cast(&kept, DType::I64);
            let from = w.step_by(self.start, &number.reg, self.inner);
            w.load(0, &from, None, self.around)
        };
        let below = self.below(w, &value, &other);
        let stays = w.op(ScalarOp::Not, &[below]);
        w.line(format!("@{} bra {done}", stays.reg));
        let here = w.step_by(self.start, &gap, self.inner);
        w.put(1, &here, &kept, self.around, None);
        w.line(format!("sub.s64 {gap}, {gap}, 1"));
        w.line(format!("bra {again}"));
        w.place(&done);
        let here = w.step_by(self.start, &gap, self.inner);
        let put = if self.op == AlongOp::Sort {
            value
        } else {
            w.cast(&Val { dtype: DType::I64, reg: at.to_owned() }, DType::I32)
        };
        w.put(1, &here, &put, self.around, None);
    }

    /// Whether `x` comes before `y`; NaN comes last.
    fn below(&self, w: &mut Writer, x: &Val, y: &Val) -> Val {
        let below = w.op(ScalarOp::Lt, &[x.clone(), y.clone()]);
        if !x.dtype.is_float() {
            return below;
        }
        let number = w.op(ScalarOp::Eq, &[x.clone(), x.clone()]);
        let nan = w.op(ScalarOp::Ne, &[y.clone(), y.clone()]);
        let last = w.op(ScalarOp::And, &[number, nan]);
        w.op(ScalarOp::Or, &[below, last])
    }
}

/// A thread per `[outer, inner]` goes through the indices in order, so that of equal ones the last wins.
fn scatter(w: &mut Writer, [outer, extent, count, inner]: [u64; 4], dtype: DType) -> u32 {
    let buffers = w.buffers(3);
    let around = Around { vars: &[], buffers: &buffers, dtypes: &[dtype, DType::I64, dtype] };
    w.grid(outer * inner, 1, &mut |w, row, _| {
        let at = w.decode(row, &[outer, inner]);
        let [outer, column] = [0, 1].map(|k| at.get(k).cloned().unwrap_or_default());
        let plane = |rows: u64| i64::try_from(rows.saturating_mul(inner)).unwrap_or(i64::MAX);
        let (target, from) = (w.step_by(&column, &outer, plane(extent)), w.step_by(&column, &outer, plane(count)));
        w.counted("0", &count.to_string(), &mut |w, at| {
            let to = w.load(1, at, None, &around);
            let place = w.step_by(&target, &to.reg, plane(1));
            let source = w.step_by(&from, at, plane(1));
            let value = w.load(2, &source, None, &around);
            w.put(0, &place, &value, &around, None);
        });
    })
}
