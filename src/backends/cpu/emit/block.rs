//! The straight-line code of a kernel at the current values of its loop variables.
//!
//! An instruction is computed in the outermost loop that knows all it depends on. Invariant: `values` holds exactly
//! what has been computed in the loops that the code is in; leaving a loop puts back what was there before.

use super::access::Place;
use super::lanes::{Lanes, Val, WIDTH};
use crate::base::{DType, Literal};
use crate::ir::kernel::{Atom, Block, BufferInfo, Index, Inst, InstKind, Store};
use crate::ops::scalar::ScalarOp;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I64, I64X2};
use cranelift_codegen::ir::{BlockArg, InstBuilder, StackSlotData, StackSlotKind, Value};

/// Where the finish of a reduction finds the reduced values.
#[derive(Clone, Copy)]
pub(in crate::backends::cpu) struct Reduced {
    /// Address of the value of the point whose innermost variable is 0, in this row.
    pub(in crate::backends::cpu) row: Value,
    /// How it is kept there.
    pub(in crate::backends::cpu) kept: DType,
}

/// A block being compiled inside a nest of loops.
pub(in crate::backends::cpu) struct Code<'k, 'f> {
    pub(in crate::backends::cpu) lanes: Lanes<'f>,
    pub(in crate::backends::cpu) buffers: &'k [BufferInfo],
    /// Address of each buffer.
    pub(in crate::backends::cpu) pointers: Vec<Value>,
    block: &'k Block,
    needed: Vec<bool>,
    /// Per instruction, how many loops must be entered to know it.
    levels: Vec<usize>,
    /// Per loop variable, its depth in the nest from 1 on.
    depths: Vec<usize>,
    values: Vec<Option<Val>>,
    /// The loop variables that have a value.
    pub(in crate::backends::cpu) variables: Vec<Option<Value>>,
    /// The innermost loop variable; neighbours along it are what vectors hold.
    innermost: u32,
    /// Whether four neighbours are computed at once.
    pub(in crate::backends::cpu) wide: bool,
    /// Added to the innermost variable.
    pub(in crate::backends::cpu) shift: i64,
    zeros: Option<Value>,
    pub(in crate::backends::cpu) reduced: Option<Reduced>,
}

impl<'k, 'f> Code<'k, 'f> {
    /// Begins; `nest` lists the loop variables from the outermost in, `roots` what will be asked for.
    pub(in crate::backends::cpu) fn new(
        lanes: Lanes<'f>,
        buffers: &'k [BufferInfo],
        block: &'k Block,
        nest: &[u32],
        roots: &[Inst],
    ) -> Self {
        let mut depths = vec![0; nest.len()];
        for (at, &variable) in nest.iter().enumerate() {
            if let Some(depth) = depths.get_mut(variable as usize) {
                *depth = at + 1;
            }
        }
        let mut code = Self {
            lanes,
            buffers,
            pointers: Vec::new(),
            block,
            needed: vec![false; block.insts.len()],
            levels: Vec::with_capacity(block.insts.len()),
            depths,
            values: vec![None; block.insts.len()],
            variables: vec![None; nest.len()],
            innermost: nest.last().copied().unwrap_or(0),
            wide: false,
            shift: 0,
            zeros: None,
            reduced: None,
        };
        for inst in &block.insts {
            let level = match &inst.kind {
                InstKind::Const(_) => 0,
                InstKind::Load { index, guard, .. } => {
                    code.level_of(index).max(guard.map_or(0, |guard| code.inst_level(guard)))
                }
                InstKind::Index(index) => code.level_of(index),
                InstKind::Op(_, operands) => operands.iter().map(|&inst| code.inst_level(inst)).max().unwrap_or(0),
                InstKind::Reduced => nest.len(),
            };
            code.levels.push(level);
        }
        let mut open: Vec<Inst> = roots.to_vec();
        while let Some(inst) = open.pop() {
            let Some(seen) = code.needed.get_mut(inst.0 as usize) else { continue };
            if std::mem::replace(seen, true) {
                continue;
            }
            match block.insts.get(inst.0 as usize).map(|inst| &inst.kind) {
                Some(InstKind::Load { index, guard, .. }) => {
                    open.extend(guard);
                    values_in(index, &mut open);
                }
                Some(InstKind::Index(index)) => values_in(index, &mut open),
                Some(InstKind::Op(_, operands)) => open.extend(operands),
                _ => {}
            }
        }
        code
    }

    fn inst_level(&self, inst: Inst) -> usize {
        self.levels.get(inst.0 as usize).copied().unwrap_or(0)
    }

    /// How many loops must be entered to know the index.
    fn level_of(&self, index: &Index) -> usize {
        let levels = index.terms.iter().map(|(atom, _)| self.atom_level(atom));
        levels.max().unwrap_or(0)
    }

    fn atom_level(&self, atom: &Atom) -> usize {
        match atom {
            Atom::Var(variable) => self.depths.get(*variable as usize).copied().unwrap_or(0),
            Atom::Value(inst) => self.inst_level(*inst),
            Atom::Div(inner, _) | Atom::Mod(inner, _) => self.level_of(inner),
        }
    }

    /// How far the index moves with the innermost variable, where that is the same everywhere.
    pub(in crate::backends::cpu) fn stride(&self, index: &Index) -> Option<i64> {
        let innermost = self.depths.len();
        let mut stride = 0;
        for (atom, coefficient) in &index.terms {
            if *atom == Atom::Var(self.innermost) {
                stride = *coefficient;
            } else if self.atom_level(atom) >= innermost {
                return None;
            }
        }
        Some(stride)
    }

    /// Instructions that are computed in the innermost loop, and whether one of them takes a guarded load.
    pub(in crate::backends::cpu) fn weight(&self) -> (usize, bool) {
        let innermost = self.depths.len();
        let mut count = 0;
        let mut guarded = false;
        for ((inst, needed), level) in self.block.insts.iter().zip(&self.needed).zip(&self.levels) {
            if *needed && *level >= innermost {
                count += 1;
                guarded |= matches!(inst.kind, InstKind::Load { guard: Some(_), .. });
            }
        }
        (count, guarded)
    }

    /// Computes what can be known with `level` loops entered.
    pub(in crate::backends::cpu) fn advance(&mut self, level: usize) {
        let block = self.block;
        for (at, inst) in block.insts.iter().enumerate() {
            let wanted = self.needed.get(at) == Some(&true) && self.inst_level(Inst(at as u32)) <= level;
            if wanted && self.values.get(at).is_some_and(Option::is_none) {
                let value = self.compute(&inst.kind, inst.dtype);
                if let Some(slot) = self.values.get_mut(at) {
                    *slot = Some(value);
                }
            }
        }
    }

    /// What has been computed so far, to be put back by `leave`.
    pub(in crate::backends::cpu) fn enter(&self) -> Vec<Option<Val>> {
        self.values.clone()
    }

    /// Forgets what was computed since.
    pub(in crate::backends::cpu) fn leave(&mut self, values: Vec<Option<Val>>) {
        self.values = values;
    }

    /// The value of an instruction that has been computed.
    pub(in crate::backends::cpu) fn value(&mut self, inst: Inst) -> Val {
        let known = self.values.get(inst.0 as usize).copied().flatten();
        debug_assert!(known.is_some(), "v{} is asked for in a loop that knows it", inst.0);
        match known {
            Some(value) => value,
            None => self.lanes.constant(Literal::from_bool(false)),
        }
    }

    fn compute(&mut self, kind: &InstKind, dtype: DType) -> Val {
        match kind {
            InstKind::Const(literal) => self.lanes.constant(*literal),
            InstKind::Load { buffer, index, guard } => self.load(*buffer, index, *guard, dtype),
            InstKind::Index(index) => self.index(index),
            InstKind::Op(op, operands) => {
                let operands: Vec<Val> = operands.iter().map(|&inst| self.value(inst)).collect();
                self.lanes.op(*op, &operands)
            }
            InstKind::Reduced => self.reduced_value(dtype),
        }
    }

    fn reduced_value(&mut self, dtype: DType) -> Val {
        let Some(reduced) = self.reduced else { return self.lanes.constant(Literal::new(dtype, 0)) };
        let own = Index { terms: vec![(Atom::Var(self.innermost), 1)], constant: 0 };
        let place = self.place(&own, reduced.row, reduced.kept.bytes() as i64, 0);
        let value = if self.wide {
            self.lanes.load_four(reduced.kept, place)
        } else {
            self.lanes.load_one(reduced.kept, place)
        };
        Val { dtype, ..value }
    }

    fn load(&mut self, buffer: usize, index: &Index, guard: Option<Inst>, dtype: DType) -> Val {
        let base = self.pointers.get(buffer).copied();
        let Some(base) = base else { return self.lanes.constant(Literal::new(dtype, 0)) };
        let size = dtype.bytes() as i64;
        let vary = self.wide && self.level_of(index) >= self.depths.len();
        let guard = guard.map(|guard| self.value(guard));
        let Some(guard) = guard else {
            return if vary { self.load_wide(base, index, dtype) } else { self.load_one(base, index, dtype, 0) };
        };
        if !guard.wide && !vary {
            let address = self.guarded(base, index, size, 0, guard.only());
            return self.lanes.load_one(dtype, (address, 0));
        }
        let guard = self.lanes.widen(guard);
        if self.stride(index).is_some_and(|stride| stride.abs() == 1) {
            self.load_masked(base, index, dtype, guard)
        } else {
            self.load_lanes(base, index, dtype, guard)
        }
    }

    fn load_one(&mut self, base: Value, index: &Index, dtype: DType, lane: i64) -> Val {
        let place = self.place(index, base, dtype.bytes() as i64, lane);
        self.lanes.load_one(dtype, place)
    }

    fn load_wide(&mut self, base: Value, index: &Index, dtype: DType) -> Val {
        let size = dtype.bytes() as i64;
        match self.stride(index) {
            Some(1) => {
                let place = self.place(index, base, size, 0);
                self.lanes.load_four(dtype, place)
            }
            Some(-1) => {
                let place = self.place(index, base, size, WIDTH - 1);
                let turned = self.lanes.load_four(dtype, place);
                self.lanes.reverse(turned)
            }
            _ => {
                let ones = [0, 1, 2, 3].map(|lane| self.load_one(base, index, dtype, lane));
                self.lanes.gather(ones)
            }
        }
    }

    /// Four guarded loads one by one.
    fn load_lanes(&mut self, base: Value, index: &Index, dtype: DType, guard: Val) -> Val {
        let size = dtype.bytes() as i64;
        let ones = [0, 1, 2, 3].map(|lane| {
            let flag = self.lanes.lane(guard, lane as usize).only();
            let address = self.guarded(base, index, size, lane, flag);
            self.lanes.load_one(dtype, (address, 0))
        });
        self.lanes.gather(ones)
    }

    /// Four guarded neighbours: at once where all may be read, zeros where none may.
    fn load_masked(&mut self, base: Value, index: &Index, dtype: DType, guard: Val) -> Val {
        let [all, not_all, some, none, done] = [0; 5].map(|_| self.lanes.b.create_block());
        let every = self.lanes.b.ins().vall_true(guard.only());
        self.lanes.b.ins().brif(every, all, &[], not_all, &[]);
        let begin = |code: &mut Self, block| {
            code.lanes.b.switch_to_block(block);
            code.lanes.b.seal_block(block);
        };
        let finish = |code: &mut Self, val: Val| {
            let parts = val.parts.map(BlockArg::from);
            code.lanes.b.ins().jump(done, &parts);
        };
        begin(self, all);
        let value = self.load_wide(base, index, dtype);
        finish(self, value);
        begin(self, not_all);
        let any = self.lanes.b.ins().vany_true(guard.only());
        self.lanes.b.ins().brif(any, some, &[], none, &[]);
        begin(self, some);
        let value = self.load_lanes(base, index, dtype, guard);
        finish(self, value);
        begin(self, none);
        let zero = self.lanes.constant(Literal::new(dtype, 0));
        let value = self.lanes.widen(zero);
        finish(self, value);
        self.lanes.b.switch_to_block(done);
        let parts = value.parts.map(|part| {
            let ty = self.lanes.b.func.dfg.value_type(part);
            self.lanes.b.append_block_param(done, ty)
        });
        self.lanes.b.seal_block(done);
        Val { dtype, wide: true, parts }
    }

    /// The address to load from under a flag: zeros where it is false.
    fn guarded(&mut self, base: Value, index: &Index, size: i64, lane: i64, flag: Value) -> Value {
        let (address, offset) = self.place(index, base, size, lane);
        let address = self.lanes.b.ins().iadd_imm_s(address, i64::from(offset));
        match self.zeros {
            Some(zeros) => self.lanes.b.ins().select(flag, address, zeros),
            None => address,
        }
    }

    /// To be called once, at the entry, before anything is loaded.
    pub(in crate::backends::cpu) fn prepare_zeros(&mut self) {
        let guarded = self.block.insts.iter().any(|inst| matches!(inst.kind, InstKind::Load { guard: Some(_), .. }));
        if guarded {
            let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3);
            let slot = self.lanes.b.create_sized_stack_slot(slot);
            let zero = self.lanes.number(0);
            self.lanes.b.ins().stack_store(I64, zero, slot, 0);
            self.zeros = Some(self.lanes.b.ins().stack_addr(I64, slot, 0));
        }
    }

    /// Writes a value that has been computed.
    pub(in crate::backends::cpu) fn store(&mut self, store: &Store) {
        let Some(base) = self.pointers.get(store.buffer).copied() else { return };
        let value = self.value(store.value);
        let size = value.dtype.bytes() as i64;
        if !self.wide {
            let place = self.place(&store.index, base, size, 0);
            self.lanes.store_one(value, place);
            return;
        }
        let value = self.lanes.widen(value);
        match self.stride(&store.index) {
            Some(1) => {
                let place = self.place(&store.index, base, size, 0);
                self.lanes.store_four(value, place);
            }
            Some(-1) => {
                let place = self.place(&store.index, base, size, WIDTH - 1);
                let turned = self.lanes.reverse(value);
                self.lanes.store_four(turned, place);
            }
            _ => {
                for lane in 0..4 {
                    let one = self.lanes.lane(value, lane);
                    let place = self.place(&store.index, base, size, lane as i64);
                    self.lanes.store_one(one, place);
                }
            }
        }
    }

    /// The index as `i64`s.
    fn index(&mut self, index: &Index) -> Val {
        if !self.wide || self.level_of(index) < self.depths.len() {
            return self.number(index, 0);
        }
        let Some(stride) = self.stride(index) else {
            let ones = [0, 1, 2, 3].map(|lane| self.number(index, lane));
            return self.lanes.gather(ones);
        };
        let first = self.number(index, 0);
        let all = self.lanes.widen(first);
        let steps = [[0, stride], [stride.wrapping_mul(2), stride.wrapping_mul(3)]].map(|[low, high]| {
            let mut bytes = [0u8; 16];
            let (left, right) = bytes.split_at_mut(8);
            left.copy_from_slice(&low.to_le_bytes());
            right.copy_from_slice(&high.to_le_bytes());
            self.lanes.vector_constant(I64X2, bytes)
        });
        let steps = Val { dtype: DType::I64, wide: true, parts: steps };
        self.lanes.op(ScalarOp::Add, &[all, steps])
    }

    fn number(&mut self, index: &Index, lane: i64) -> Val {
        let start = self.lanes.number(0);
        let (sum, constant) = self.sum(index, start, 1, lane);
        Val::one(DType::I64, self.lanes.b.ins().iadd_imm_s(sum, constant))
    }

    /// The address of an element, for lane `lane` of four neighbours.
    fn place(&mut self, index: &Index, base: Value, size: i64, lane: i64) -> Place {
        let (address, constant) = self.sum(index, base, size, lane);
        match i32::try_from(constant) {
            // Room for the second half of a vector.
            Ok(offset) if offset < i32::MAX - 64 => (address, offset),
            _ => (self.lanes.b.ins().iadd_imm_s(address, constant), 0),
        }
    }

    /// `start + scale * index` without its constant, and that. What the innermost loop does not change comes first.
    fn sum(&mut self, index: &Index, start: Value, scale: i64, lane: i64) -> (Value, i64) {
        let innermost = self.depths.len();
        let mut sum = start;
        let mut constant = index.constant;
        for varying in [false, true] {
            for (atom, coefficient) in &index.terms {
                if (self.atom_level(atom) >= innermost) != varying {
                    continue;
                }
                if *atom == Atom::Var(self.innermost) {
                    constant = constant.wrapping_add(coefficient.wrapping_mul(self.shift.wrapping_add(lane)));
                }
                let value = self.atom(atom, lane);
                let scaled = self.scaled(value, coefficient.wrapping_mul(scale));
                sum = self.lanes.b.ins().iadd(sum, scaled);
            }
        }
        (sum, constant.wrapping_mul(scale))
    }

    fn scaled(&mut self, value: Value, by: i64) -> Value {
        match by {
            1 => value,
            _ if by > 0 && by.count_ones() == 1 => self.lanes.b.ins().ishl_imm_u(value, i64::from(by.trailing_zeros())),
            _ => self.lanes.b.ins().imul_imm_s(value, by),
        }
    }

    fn atom(&mut self, atom: &Atom, lane: i64) -> Value {
        match atom {
            Atom::Var(variable) => match self.variables.get(*variable as usize).copied().flatten() {
                Some(value) => value,
                None => self.lanes.number(0),
            },
            Atom::Value(inst) => {
                let value = self.value(*inst);
                self.lanes.lane(value, lane as usize).only()
            }
            // Both operands are not negative.
            Atom::Div(inner, by) => {
                let inner = self.number(inner, lane).only();
                self.lanes.b.ins().udiv_imm_u(inner, *by as i64)
            }
            Atom::Mod(inner, by) => {
                let inner = self.number(inner, lane).only();
                self.lanes.b.ins().urem_imm_u(inner, *by as i64)
            }
        }
    }

    /// Runs `body` for `variable` from its value on, as long as `step` more rounds fit below `end`.
    pub(in crate::backends::cpu) fn counted(
        &mut self,
        variable: cranelift_frontend::Variable,
        end: Value,
        step: i64,
        body: &mut dyn FnMut(&mut Self),
    ) {
        let (inside, after) = (self.lanes.b.create_block(), self.lanes.b.create_block());
        let fits = |code: &mut Self| {
            let at = code.lanes.b.use_var(variable);
            let next = code.lanes.b.ins().iadd_imm_s(at, step);
            let fits = code.lanes.b.ins().icmp(IntCC::SignedLessThanOrEqual, next, end);
            code.lanes.b.ins().brif(fits, inside, &[], after, &[]);
        };
        fits(self);
        self.lanes.b.switch_to_block(inside);
        body(self);
        let at = self.lanes.b.use_var(variable);
        let next = self.lanes.b.ins().iadd_imm_s(at, step);
        self.lanes.b.def_var(variable, next);
        fits(self);
        self.lanes.b.seal_block(inside);
        self.lanes.b.switch_to_block(after);
        self.lanes.b.seal_block(after);
    }
}

/// The instructions that an index reads.
fn values_in(index: &Index, into: &mut Vec<Inst>) {
    for (atom, _) in &index.terms {
        match atom {
            Atom::Value(inst) => into.push(*inst),
            Atom::Div(inner, _) | Atom::Mod(inner, _) => values_in(inner, into),
            Atom::Var(_) => {}
        }
    }
}
