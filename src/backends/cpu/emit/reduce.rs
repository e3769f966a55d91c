//! Reductions: the tree of `ir::kernel::Body::Reduce`, chunk by chunk, into the scratch.
//!
//! Either the 32 lanes of one chunk stand side by side (elements are neighbours in memory, or there is no better
//! way), or neighbouring results are computed together, each with its 32 lanes (their elements are neighbours).
//! Invariant: whichever way, lane `l` combines elements `l`, `l + 32`, ... in order, and lanes are halved alike.

use super::block::Code;
use super::lanes::{Val, WIDTH, single};
use super::nest::Frame;
use crate::base::{DType, Literal};
use crate::ir::array::ReduceOp;
use crate::ir::kernel::{CHUNK, Inst, LANES};
use crate::ops::scalar::ScalarOp;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, StackSlotData, StackSlotKind, Value};
use cranelift_frontend::Variable;

/// Neighbouring results computed together.
const TOGETHER: u64 = 64;
/// Instructions per element up to which the 32 lanes of a chunk are kept in registers.
const LIGHT: usize = 16;

/// What is reduced and how.
pub(in crate::backends::cpu) struct Reduction<'a> {
    pub(in crate::backends::cpu) outer: &'a [u64],
    pub(in crate::backends::cpu) inner: &'a [u64],
    pub(in crate::backends::cpu) value: Inst,
    pub(in crate::backends::cpu) dtype: DType,
    pub(in crate::backends::cpu) op: ReduceOp,
    /// Whether neighbouring results are computed together: then the innermost loop is that of the outer ones.
    pub(in crate::backends::cpu) together: bool,
}

/// How partial results of a dtype lie in memory: halves as the `f32`s that they are in registers.
pub(in crate::backends::cpu) fn kept(dtype: DType) -> DType {
    if matches!(dtype, DType::F16 | DType::Bf16) { DType::F32 } else { dtype }
}

/// The whole function: the result of each point and chunk into the scratch.
pub(in crate::backends::cpu) fn reduce(code: &mut Code<'_, '_>, frame: &Frame, reduction: &Reduction<'_>) {
    let count = reduction.inner.iter().product::<u64>();
    let Some((_, rows)) = reduction.outer.split_last() else { return };
    if count > 0 {
        code.advance(0);
    }
    code.rows(frame, rows, &mut |code, row| {
        if count > 0 {
            code.advance(rows.len());
        }
        let tree = Tree { frame, reduction, count, row };
        match reduction.op.combiner() {
            _ if count == 0 => tree.nothing(code),
            None => tree.position(code),
            Some(op) if reduction.together => tree.together(code, op),
            Some(op) => tree.apart(code, op),
        }
    });
}

struct Tree<'a> {
    frame: &'a Frame,
    reduction: &'a Reduction<'a>,
    /// Elements per result.
    count: u64,
    row: Value,
}

impl Tree<'_> {
    fn kept(&self) -> DType {
        kept(self.reduction.dtype)
    }

    /// Depth of the loops once those of a point's results are entered.
    fn outer_depth(&self) -> usize {
        self.reduction.outer.len() - usize::from(self.reduction.together)
    }

    fn innermost_column(&self) -> u32 {
        (self.reduction.outer.len() - 1) as u32
    }

    /// A loop over the columns of the call.
    fn columns(&self, code: &mut Code<'_, '_>, body: &mut dyn FnMut(&mut Code<'_, '_>, Value)) {
        let column = self.variable(code, self.frame.columns[0]);
        code.counted(column, self.frame.columns[1], 1, &mut |code| {
            let at = code.lanes.b.use_var(column);
            code.set(self.innermost_column(), at);
            let saved = code.enter();
            body(code, at);
            code.leave(saved);
        });
    }

    fn variable(&self, code: &mut Code<'_, '_>, start: Value) -> Variable {
        let variable = code.lanes.b.declare_var(I64);
        code.lanes.b.def_var(variable, start);
        variable
    }

    /// A loop over the chunks of the call, with the number of a chunk's first element and of the one after its last.
    fn chunks(&self, code: &mut Code<'_, '_>, body: &mut dyn FnMut(&mut Code<'_, '_>, Value, Value, Value)) {
        let chunk = self.variable(code, self.frame.chunks[0]);
        code.counted(chunk, self.frame.chunks[1], 1, &mut |code| {
            let at = code.lanes.b.use_var(chunk);
            let base = code.lanes.b.ins().imul_imm_s(at, CHUNK as i64);
            let count = code.lanes.number(self.count as i64);
            let end = code.lanes.b.ins().iadd_imm_s(base, CHUNK as i64);
            let end = code.lanes.b.ins().smin(end, count);
            let saved = code.enter();
            body(code, at, base, end);
            code.leave(saved);
        });
    }

    /// Address in the scratch of the result of a column and chunk.
    fn result_place(&self, code: &mut Code<'_, '_>, column: Value, chunk: Value, kept: DType) -> Value {
        let b = &mut code.lanes.b;
        let width = b.ins().isub(self.frame.columns[1], self.frame.columns[0]);
        let point = b.ins().imul(self.row, width);
        let point = b.ins().iadd(point, column);
        let point = b.ins().isub(point, self.frame.columns[0]);
        let at = b.ins().imul(point, self.frame.pitch);
        let at = b.ins().iadd(at, chunk);
        let at = b.ins().isub(at, self.frame.chunks[0]);
        let bytes = b.ins().imul_imm_s(at, kept.bytes() as i64);
        b.ins().iadd(self.frame.scratch, bytes)
    }

    /// Sets the inner loop variables to those of element `number`.
    fn decode(&self, code: &mut Code<'_, '_>, number: Value) {
        let first = self.reduction.outer.len();
        let mut rest = number;
        for (at, &extent) in self.reduction.inner.iter().enumerate().rev() {
            let digit = if at == 0 { rest } else { code.lanes.b.ins().urem_imm_u(rest, extent as i64) };
            code.set((first + at) as u32, digit);
            if at > 0 {
                rest = code.lanes.b.ins().udiv_imm_u(rest, extent as i64);
            }
        }
    }

    fn nothing(&self, code: &mut Code<'_, '_>) {
        let literal = self.reduction.op.identity(self.reduction.dtype);
        self.columns(code, &mut |code, column| {
            let place = self.result_place(code, column, self.frame.chunks[0], kept(literal.dtype));
            let value = code.lanes.constant(literal);
            self.put(code, value, (place, 0));
        });
    }

    /// Writes a result or a lane as it is kept.
    fn put(&self, code: &mut Code<'_, '_>, value: Val, place: (Value, i32)) {
        let value = Val { dtype: kept(value.dtype), ..value };
        if value.wide { code.lanes.store_four(value, place) } else { code.lanes.store_one(value, place) }
    }

    fn get(&self, code: &mut Code<'_, '_>, wide: bool, place: (Value, i32)) -> Val {
        let kept = self.kept();
        let value = if wide { code.lanes.load_four(kept, place) } else { code.lanes.load_one(kept, place) };
        Val { dtype: self.reduction.dtype, ..value }
    }

    fn slot(&self, code: &mut Code<'_, '_>, lanes: u64) -> Value {
        let bytes = lanes * self.kept().bytes() as u64;
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, bytes as u32, 4);
        let slot = code.lanes.b.create_sized_stack_slot(slot);
        code.lanes.b.ins().stack_addr(I64, slot, 0)
    }

    fn identities(&self, code: &mut Code<'_, '_>) -> Val {
        let one = code.lanes.constant(self.reduction.op.identity(self.reduction.dtype));
        code.lanes.widen(one)
    }

    /// One result after the other, its 32 lanes side by side.
    fn apart(&self, code: &mut Code<'_, '_>, op: ScalarOp) {
        let size = self.kept().bytes() as i32;
        let slot = self.slot(code, LANES);
        let depth = self.outer_depth() + self.reduction.inner.len();
        let last = self.reduction.inner.last().copied().unwrap_or(1);
        let single_loop = self.reduction.inner.len() <= 1;
        let (weight, _) = code.weight();
        let in_registers = weight <= LIGHT && (single_loop || last.is_multiple_of(LANES)) && last >= LANES;
        self.columns(code, &mut |code, column| {
            code.advance(self.outer_depth());
            self.chunks(code, &mut |code, chunk, base, end| {
                let mut lanes = vec![self.identities(code); (LANES / WIDTH as u64) as usize];
                let at = self.variable(code, base);
                if in_registers {
                    lanes = self.groups(code, op, at, end, depth, lanes);
                }
                let rest = !in_registers || !self.count.is_multiple_of(LANES);
                if rest {
                    for (part, &lane) in lanes.iter().enumerate() {
                        self.put(code, lane, (slot, part as i32 * WIDTH as i32 * size));
                    }
                    if !in_registers && (single_loop || last.is_multiple_of(WIDTH as u64)) {
                        self.fill_lanes(code, op, (at, end), depth, slot, true);
                    }
                    let even = if single_loop { self.count } else { last }.is_multiple_of(WIDTH as u64);
                    if in_registers || !even {
                        self.fill_lanes(code, op, (at, end), depth, slot, false);
                    }
                    for (part, lane) in lanes.iter_mut().enumerate() {
                        *lane = self.get(code, true, (slot, part as i32 * WIDTH as i32 * size));
                    }
                }
                let result = halve(code, op, lanes);
                let place = self.result_place(code, column, chunk, self.kept());
                self.put(code, result, (place, 0));
            });
        });
    }

    /// Groups of 32 elements, each lane in its own register.
    fn groups(
        &self,
        code: &mut Code<'_, '_>,
        op: ScalarOp,
        at: Variable,
        end: Value,
        depth: usize,
        lanes: Vec<Val>,
    ) -> Vec<Val> {
        let variables: Vec<[Variable; 2]> = lanes
            .iter()
            .map(|lane| {
                lane.parts.map(|part| {
                    let ty = code.lanes.b.func.dfg.value_type(part);
                    let variable = code.lanes.b.declare_var(ty);
                    code.lanes.b.def_var(variable, part);
                    variable
                })
            })
            .collect();
        let current = |code: &mut Code<'_, '_>, lane: &Val, variables: &[Variable; 2]| {
            let first = code.lanes.b.use_var(variables[0]);
            // Only 64-bit elements have a second register of their own.
            let second = if lane.parts[0] == lane.parts[1] && self.kept().bytes() < 8 {
                first
            } else {
                code.lanes.b.use_var(variables[1])
            };
            Val { parts: [first, second], ..*lane }
        };
        code.counted(at, end, LANES as i64, &mut |code| {
            let number = code.lanes.b.use_var(at);
            self.decode(code, number);
            let saved = code.enter();
            code.advance(depth - 1);
            code.wide = true;
            for (part, (lane, variables)) in lanes.iter().zip(&variables).enumerate() {
                code.shift = part as i64 * WIDTH;
                let before = code.enter();
                code.advance(depth);
                let value = code.value(self.reduction.value);
                code.leave(before);
                let held = current(code, lane, variables);
                let sum = code.lanes.op(op, &[held, value]);
                for (&variable, part) in variables.iter().zip(sum.parts) {
                    code.lanes.b.def_var(variable, part);
                }
            }
            code.shift = 0;
            code.wide = false;
            code.leave(saved);
        });
        lanes.iter().zip(&variables).map(|(lane, variables)| current(code, lane, variables)).collect()
    }

    /// Elements (four at a time, if wide) into lanes in memory.
    fn fill_lanes(
        &self,
        code: &mut Code<'_, '_>,
        op: ScalarOp,
        (at, end): (Variable, Value),
        depth: usize,
        slot: Value,
        wide: bool,
    ) {
        code.counted(at, end, if wide { WIDTH } else { 1 }, &mut |code| {
            let number = code.lanes.b.use_var(at);
            self.decode(code, number);
            let lane = code.lanes.b.ins().band_imm_s(number, LANES as i64 - 1);
            let bytes = code.lanes.b.ins().imul_imm_s(lane, self.kept().bytes() as i64);
            let place = code.lanes.b.ins().iadd(slot, bytes);
            let saved = code.enter();
            code.wide = wide;
            code.advance(depth);
            let value = code.value(self.reduction.value);
            code.wide = false;
            code.leave(saved);
            let held = self.get(code, wide, (place, 0));
            let sum = code.lanes.op(op, &[held, value]);
            self.put(code, sum, (place, 0));
        });
    }

    /// Neighbouring results at once: lane `l` of result `j` is element `TOGETHER * l + j` of the slot.
    fn together(&self, code: &mut Code<'_, '_>, op: ScalarOp) {
        let size = self.kept().bytes() as i64;
        let lanes = self.count.min(LANES);
        let slot = self.slot(code, lanes * TOGETHER);
        let depth = self.reduction.outer.len() + self.reduction.inner.len();
        let block = self.variable(code, self.frame.columns[0]);
        let blocks_end = code.lanes.b.ins().iadd_imm_s(self.frame.columns[1], TOGETHER as i64 - 1);
        code.counted(block, blocks_end, TOGETHER as i64, &mut |code| {
            let first = code.lanes.b.use_var(block);
            let last = code.lanes.b.ins().iadd_imm_s(first, TOGETHER as i64);
            let last = code.lanes.b.ins().smin(last, self.frame.columns[1]);
            self.chunks(code, &mut |code, chunk, base, end| {
                let identities = self.identities(code);
                self.flat(code, slot, lanes * TOGETHER, &mut |code, place| self.put(code, identities, place));
                let at = self.variable(code, base);
                code.counted(at, end, 1, &mut |code| {
                    let number = code.lanes.b.use_var(at);
                    self.decode(code, number);
                    let lane = code.lanes.b.ins().band_imm_s(number, LANES as i64 - 1);
                    let bytes = code.lanes.b.ins().imul_imm_s(lane, TOGETHER as i64 * size);
                    let lane = code.lanes.b.ins().iadd(slot, bytes);
                    let back = code.lanes.b.ins().imul_imm_s(first, size);
                    let lane = code.lanes.b.ins().isub(lane, back);
                    let saved = code.enter();
                    code.advance(depth - 1);
                    self.across(code, op, lane, (first, last), depth);
                    code.leave(saved);
                });
                for half in [16, 8, 4, 2, 1] {
                    if half >= lanes {
                        continue;
                    }
                    let distance = (half * TOGETHER) as i64 * size;
                    self.flat(code, slot, half.min(lanes - half) * TOGETHER, &mut |code, (place, _)| {
                        let high = code.lanes.b.ins().iadd_imm_s(place, distance);
                        let (low, high) = (self.get(code, true, (place, 0)), self.get(code, true, (high, 0)));
                        let sum = code.lanes.op(op, &[low, high]);
                        self.put(code, sum, (place, 0));
                    });
                }
                let column = self.variable(code, first);
                code.counted(column, last, 1, &mut |code| {
                    let at = code.lanes.b.use_var(column);
                    let within = code.lanes.b.ins().isub(at, first);
                    let bytes = code.lanes.b.ins().imul_imm_s(within, size);
                    let place = code.lanes.b.ins().iadd(slot, bytes);
                    let value = self.get(code, false, (place, 0));
                    let place = self.result_place(code, at, chunk, self.kept());
                    self.put(code, value, (place, 0));
                });
            });
        });
    }

    /// One element of each of the neighbouring results into its lane; `lane` is where that of column 0 would be.
    fn across(&self, code: &mut Code<'_, '_>, op: ScalarOp, lane: Value, (first, last): (Value, Value), depth: usize) {
        let column = self.variable(code, first);
        let extent = self.reduction.outer.last().copied().unwrap_or(1);
        let (weight, _) = code.weight();
        let size = self.kept().bytes() as i64;
        let copies = if weight <= 6 { 4 } else { 1 };
        let mut steps = vec![(copies, true), (1, true), (1, false)];
        steps.dedup();
        steps.retain(|&(copies, wide)| match wide {
            true => extent >= (copies * WIDTH) as u64,
            false => !extent.is_multiple_of(WIDTH as u64),
        });
        for (copies, wide) in steps {
            let width = if wide { WIDTH } else { 1 };
            code.counted(column, last, copies * width, &mut |code| {
                let at = code.lanes.b.use_var(column);
                code.set(self.innermost_column(), at);
                let bytes = code.lanes.b.ins().imul_imm_s(at, size);
                let place = code.lanes.b.ins().iadd(lane, bytes);
                code.wide = wide;
                for copy in 0..copies {
                    code.shift = copy * width;
                    let saved = code.enter();
                    code.advance(depth);
                    let value = code.value(self.reduction.value);
                    code.leave(saved);
                    let place = (place, (copy * width * size) as i32);
                    let held = self.get(code, wide, place);
                    let sum = code.lanes.op(op, &[held, value]);
                    self.put(code, sum, place);
                }
                code.wide = false;
                code.shift = 0;
            });
        }
    }

    /// `body` for every four of so many neighbours from `slot` on.
    fn flat(
        &self,
        code: &mut Code<'_, '_>,
        slot: Value,
        count: u64,
        body: &mut dyn FnMut(&mut Code<'_, '_>, (Value, i32)),
    ) {
        let step = WIDTH * self.kept().bytes() as i64;
        let at = self.variable(code, slot);
        let end = code.lanes.b.ins().iadd_imm_s(slot, count as i64 * self.kept().bytes() as i64);
        code.counted(at, end, step, &mut |code| {
            let place = code.lanes.b.use_var(at);
            body(code, (place, 0));
        });
    }

    /// The number of the first NaN, else of the first largest (or smallest).
    fn position(&self, code: &mut Code<'_, '_>) {
        let dtype = self.reduction.dtype;
        let depth = self.outer_depth() + self.reduction.inner.len();
        self.columns(code, &mut |code, column| {
            let zero = code.lanes.number(0);
            let end = code.lanes.number(self.count as i64);
            let at = self.variable(code, zero);
            let found = self.variable(code, zero);
            let best = code.lanes.b.declare_var(single(dtype));
            let nothing = code.lanes.constant(Literal::new(dtype, 0));
            code.lanes.b.def_var(best, nothing.only());
            code.counted(at, end, 1, &mut |code| {
                let number = code.lanes.b.use_var(at);
                self.decode(code, number);
                let saved = code.enter();
                code.advance(depth);
                let value = code.value(self.reduction.value);
                code.leave(saved);
                let held = Val::one(dtype, code.lanes.b.use_var(best));
                let operands = if self.reduction.op == ReduceOp::ArgMax { [held, value] } else { [value, held] };
                let mut better = code.lanes.op(ScalarOp::Lt, &operands).only();
                if dtype.is_float() {
                    let nan = code.lanes.b.ins().fcmp(FloatCC::Unordered, value.only(), value.only());
                    let number = code.lanes.b.ins().fcmp(FloatCC::Ordered, held.only(), held.only());
                    better = code.lanes.b.ins().bor(better, nan);
                    better = code.lanes.b.ins().band(better, number);
                }
                let first = code.lanes.b.ins().icmp_imm_s(IntCC::Equal, number, 0);
                better = code.lanes.b.ins().bor(better, first);
                let held = code.lanes.b.ins().select(better, value.only(), held.only());
                code.lanes.b.def_var(best, held);
                let old = code.lanes.b.use_var(found);
                let new = code.lanes.b.ins().select(better, number, old);
                code.lanes.b.def_var(found, new);
            });
            let found = code.lanes.b.use_var(found);
            let found = code.lanes.cast(Val::one(DType::I64, found), DType::I32);
            let place = self.result_place(code, column, self.frame.chunks[0], DType::I32);
            self.put(code, found, (place, 0));
        });
    }
}

/// 32 lanes in eight values to one element: 16, 8, 4, 2 and 1 apart.
fn halve(code: &mut Code<'_, '_>, op: ScalarOp, mut lanes: Vec<Val>) -> Val {
    while lanes.len() > 1 {
        let high = lanes.split_off(lanes.len() / 2);
        for (low, high) in lanes.iter_mut().zip(high) {
            *low = code.lanes.op(op, &[*low, high]);
        }
    }
    let Some(&four) = lanes.first() else { return code.lanes.constant(Literal::from_bool(false)) };
    let [a, b, c, d] = [0, 1, 2, 3].map(|lane| code.lanes.lane(four, lane));
    let (low, high) = (code.lanes.op(op, &[a, c]), code.lanes.op(op, &[b, d]));
    code.lanes.op(op, &[low, high])
}
