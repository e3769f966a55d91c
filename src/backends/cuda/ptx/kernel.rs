//! Whole entries: the loop over points, and the reduction tree of a warp.

use super::block::Around;
use super::writer::{Class, Val, Writer};
use super::{BLOCK, Entry, MOST_BLOCKS};
use crate::base::DType;
use crate::ir::array::ReduceOp;
use crate::ir::kernel::{Block, Body, CHUNK, Inst, Kernel, LANES};
use crate::ops::scalar::ScalarOp;

/// All lanes of a warp.
const ALL: &str = "0xffffffff";

/// The entry of one kernel.
pub(super) fn entry(kernel: &Kernel, name: &str) -> Entry {
    let mut w = Writer::default();
    w.remark(&format!("{} over {:?}", kernel.name, kernel.extents));
    let dtypes: Vec<DType> = kernel.buffers.iter().map(|buffer| buffer.dtype).collect();
    let buffers = w.buffers(dtypes.len());
    let points = kernel.extents.iter().product::<u64>();
    let per_point = match &kernel.body {
        Body::Map { .. } => 1,
        Body::Reduce { .. } => LANES,
    };
    let blocks = w.grid(points, per_point, &mut |w, point, lane| {
        let vars = w.decode(point, &kernel.extents);
        let around = Around { vars: &vars, buffers: &buffers, dtypes: &dtypes };
        match &kernel.body {
            Body::Map { block, stores } => {
                let values = w.block(block, &around, None);
                stores.iter().for_each(|store| w.store(store, &around, &values, None));
            }
            Body::Reduce { inner, block, value, op, finish, stores } => {
                let dtype = block.insts.get(value.0 as usize).map_or(DType::F32, |inst| inst.dtype);
                let count = inner.iter().product::<u64>();
                let tree = Tree { around: &around, inner, block, value: *value, op: *op, dtype, count, lane };
                let reduced = tree.reduced(w);
                let values = w.block(finish, &around, Some(&reduced));
                let first = w.make(Class::Pred, "setp.eq.u64", &[lane, "0"]);
                stores.iter().for_each(|store| w.store(store, &around, &values, Some(&first)));
            }
        }
    });
    Entry::single(name, blocks, buffers.len(), w.entry(name, buffers.len()))
}

/// Where a thread stands in the grid.
struct Thread {
    index: String,
    count: String,
}

impl Writer {
    /// The addresses of the buffers.
    pub(super) fn buffers(&mut self, count: usize) -> Vec<String> {
        (0..count).map(|at| self.make(Class::Long, "ld.param.u64", &[&format!("[b{at}]")])).collect()
    }

    /// `body` for every point, by one thread or by the lanes of one warp each; `body` is told the point and the lane.
    /// Returns the blocks of the launch.
    pub(super) fn grid(&mut self, points: u64, per_point: u64, body: &mut dyn FnMut(&mut Self, &str, &str)) -> u32 {
        let threads = self.thread();
        let (point, stride, lane) = if per_point == 1 {
            (threads.index, threads.count, String::new())
        } else {
            let point = self.make(Class::Long, "shr.u64", &[&threads.index, "5"]);
            let stride = self.make(Class::Long, "shr.u64", &[&threads.count, "5"]);
            let lane = self.make(Class::Long, "and.b64", &[&threads.index, "31"]);
            (point, stride, lane)
        };
        let (again, done) = (self.label("point"), self.label("done"));
        self.place(&again);
        let over = self.make(Class::Pred, "setp.ge.u64", &[&point, &points.to_string()]);
        self.line(format!("@{over} bra {done}"));
        body(self, &point, &lane);
        self.line(format!("add.s64 {point}, {point}, {stride}"));
        self.line(format!("bra {again}"));
        self.place(&done);
        self.line("ret");
        let blocks = points.saturating_mul(per_point).div_ceil(u64::from(BLOCK)).clamp(1, u64::from(MOST_BLOCKS));
        u32::try_from(blocks).unwrap_or(MOST_BLOCKS)
    }

    /// Counts a register up from a number (or a register) while it is below `end`.
    pub(super) fn counted(&mut self, from: &str, end: &str, body: &mut dyn FnMut(&mut Self, &str)) {
        let (again, done) = (self.label("again"), self.label("after"));
        let at = self.make(Class::Long, "mov.u64", &[from]);
        self.place(&again);
        let over = self.make(Class::Pred, "setp.ge.u64", &[&at, end]);
        self.line(format!("@{over} bra {done}"));
        body(self, &at);
        self.line(format!("add.s64 {at}, {at}, 1"));
        self.line(format!("bra {again}"));
        self.place(&done);
    }

    fn thread(&mut self) -> Thread {
        let [thread, size, block, blocks] =
            ["%tid.x", "%ntid.x", "%ctaid.x", "%nctaid.x"].map(|special| self.make(Class::Word, "mov.u32", &[special]));
        let [thread, size, block, blocks] =
            [thread, size, block, blocks].map(|word| self.make(Class::Long, "cvt.u64.u32", &[&word]));
        let index = self.make(Class::Long, "mad.lo.s64", &[&block, &size, &thread]);
        let count = self.make(Class::Long, "mul.lo.s64", &[&blocks, &size]);
        Thread { index, count }
    }

    /// Loop variables from a row-major number.
    pub(super) fn decode(&mut self, number: &str, extents: &[u64]) -> Vec<String> {
        let mut rest = number.to_owned();
        let mut vars: Vec<String> = Vec::with_capacity(extents.len());
        for (at, &extent) in extents.iter().enumerate().rev() {
            let whole = extents.get(..at).is_none_or(|outer| outer.iter().all(|&extent| extent == 1));
            if extent == 1 {
                vars.push(self.make(Class::Long, "mov.u64", &["0"]));
            } else if whole {
                vars.push(self.make(Class::Long, "mov.u64", &[&rest]));
            } else {
                let extent = extent.max(1).to_string();
                vars.push(self.make(Class::Long, "rem.u64", &[&rest, &extent]));
                rest = self.make(Class::Long, "div.u64", &[&rest, &extent]);
            }
        }
        vars.reverse();
        vars
    }

    /// `shfl.sync` of a value of any class.
    fn shuffle(&mut self, mode: &str, val: &Val, lane: &str, clamp: &str) -> Val {
        let word =
            |w: &mut Self, x: &str| w.make(Class::Word, &format!("shfl.sync.{mode}.b32"), &[x, lane, clamp, ALL]);
        let reg = match Class::of(val.dtype) {
            Class::Pred => {
                let bit = self.make(Class::Word, "selp.b32", &["1", "0", &val.reg]);
                let moved = word(self, &bit);
                self.make(Class::Pred, "setp.ne.u32", &[&moved, "0"])
            }
            Class::Word => word(self, &val.reg),
            Class::Single => {
                let bits = self.bits(&val.reg);
                let moved = word(self, &bits);
                self.single(&moved)
            }
            class @ (Class::Long | Class::Double) => {
                let (low, high) = (self.reg(Class::Word), self.reg(Class::Word));
                self.line(format!("mov.b64 {{{low}, {high}}}, {}", val.reg));
                let (low, high) = (word(self, &low), word(self, &high));
                self.make(class, "mov.b64", &[&format!("{{{low}, {high}}}")])
            }
        };
        Val { dtype: val.dtype, reg }
    }

    pub(super) fn copy_into(&mut self, target: &Val, from: &Val) {
        let op = match Class::of(target.dtype) {
            Class::Pred => "mov.pred",
            Class::Word => "mov.b32",
            Class::Long => "mov.b64",
            Class::Single => "mov.f32",
            Class::Double => "mov.f64",
        };
        self.line(format!("{op} {}, {}", target.reg, from.reg));
    }

    /// A copy in a register that is written again later.
    pub(super) fn variable(&mut self, from: &Val) -> Val {
        let target = Val { dtype: from.dtype, reg: self.reg(Class::of(from.dtype)) };
        self.copy_into(&target, from);
        target
    }
}

/// A reduction under way: a warp per point.
struct Tree<'a> {
    around: &'a Around<'a>,
    inner: &'a [u64],
    block: &'a Block,
    value: Inst,
    op: ReduceOp,
    dtype: DType,
    count: u64,
    lane: &'a str,
}

impl Tree<'_> {
    /// The result, in lane 0 at least.
    fn reduced(&self, w: &mut Writer) -> Val {
        let Some(op) = self.op.combiner() else { return self.position(w) };
        if self.count == 0 {
            return w.constant(self.op.identity(self.dtype));
        }
        // Chunks of chunks, as often as needed.
        let mut levels = vec![self.count];
        while let Some(&last) = levels.last()
            && last > CHUNK
        {
            levels.push(last.div_ceil(CHUNK));
        }
        let first = w.make(Class::Long, "mov.u64", &["0"]);
        self.level(w, op, &levels, &first)
    }

    /// Reduces up to [`CHUNK`] items of a level from `first` on: elements, or results of the level below.
    fn level(&self, w: &mut Writer, op: ScalarOp, levels: &[u64], first: &str) -> Val {
        let Some((&count, below)) = levels.split_last() else { return w.constant(self.op.identity(self.dtype)) };
        let (again, done) = (w.label("items"), w.label("reduced"));
        let identity = w.constant(self.op.identity(self.dtype));
        let sum = w.variable(&identity);
        let end = w.make(Class::Long, "add.s64", &[first, &CHUNK.to_string()]);
        let end = w.make(Class::Long, "min.u64", &[&end, &count.to_string()]);
        let start =
            if below.is_empty() { w.make(Class::Long, "add.s64", &[first, self.lane]) } else { first.to_owned() };
        let at = w.make(Class::Long, "mov.u64", &[&start]);
        w.place(&again);
        let over = w.make(Class::Pred, "setp.ge.u64", &[&at, &end]);
        w.line(format!("@{over} bra {done}"));
        if below.is_empty() {
            let value = self.element(w, &at);
            let combined = w.op(op, &[sum.clone(), value]);
            w.copy_into(&sum, &combined);
            w.line(format!("add.s64 {at}, {at}, {LANES}"));
        } else {
            let from = w.make(Class::Long, "mul.lo.s64", &[&at, &CHUNK.to_string()]);
            let item = self.level(w, op, below, &from);
            let item = w.shuffle("idx", &item, "0", "0x1f");
            let combined = w.op(op, &[sum.clone(), item]);
            let turn = w.make(Class::Long, "and.b64", &[&at, "31"]);
            let own = w.make(Class::Pred, "setp.eq.u64", &[&turn, self.lane]);
            let own = Val { dtype: DType::Bool, reg: own };
            let chosen = w.select(&own, &combined, &sum);
            w.copy_into(&sum, &chosen);
            w.line(format!("add.s64 {at}, {at}, 1"));
        }
        w.line(format!("bra {again}"));
        w.place(&done);
        let mut result = sum;
        for distance in ["16", "8", "4", "2", "1"] {
            let other = w.shuffle("down", &result, distance, "0x1f");
            result = w.op(op, &[result, other]);
        }
        result
    }

    /// The reduced value at the `number`-th element.
    fn element(&self, w: &mut Writer, number: &str) -> Val {
        let mut vars = self.around.vars.to_vec();
        vars.extend(w.decode(number, self.inner));
        let around = Around { vars: &vars, ..*self.around };
        let values = w.block(self.block, &around, None);
        values.get(self.value.0 as usize).cloned().unwrap_or_else(|| w.constant(self.op.identity(self.dtype)))
    }

    /// The number of the first NaN, else of the first largest (smallest); every lane goes through all elements.
    fn position(&self, w: &mut Writer) -> Val {
        let (again, done) = (w.label("items"), w.label("found"));
        let zero = w.constant(crate::base::Literal::new(DType::I64, 0));
        let nothing = w.constant(crate::base::Literal::new(self.dtype, 0));
        let (at, found, best) = (w.variable(&zero), w.variable(&zero), w.variable(&nothing));
        w.place(&again);
        let over = w.make(Class::Pred, "setp.ge.u64", &[&at.reg, &self.count.to_string()]);
        w.line(format!("@{over} bra {done}"));
        let value = self.element(w, &at.reg);
        let operands = if self.op == ReduceOp::ArgMax { [&best, &value] } else { [&value, &best] };
        let mut better = w.op(ScalarOp::Lt, &operands.map(Clone::clone));
        if self.dtype.is_float() {
            let nan = w.op(ScalarOp::Ne, &[value.clone(), value.clone()]);
            let number = w.op(ScalarOp::Eq, &[best.clone(), best.clone()]);
            better = w.op(ScalarOp::Or, &[better, nan]);
            better = w.op(ScalarOp::And, &[better, number]);
        }
        let first = w.op(ScalarOp::Eq, &[at.clone(), zero.clone()]);
        better = w.op(ScalarOp::Or, &[better, first]);
        let chosen = w.select(&better, &value, &best);
        w.copy_into(&best, &chosen);
        let chosen = w.select(&better, &at, &found);
        w.copy_into(&found, &chosen);
        w.line(format!("add.s64 {0}, {0}, 1", at.reg));
        w.line(format!("bra {again}"));
        w.place(&done);
        w.cast(&found, DType::I32)
    }
}
