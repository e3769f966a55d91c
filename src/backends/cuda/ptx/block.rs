//! Blocks, index expressions, loads and stores.

use super::writer::{Class, Val, Writer};
use crate::base::DType;
use crate::ir::kernel::{Atom, Block, Index, Inst, InstKind, Store};

/// What surrounds a block: loop variables and the addresses of buffers, as 64-bit registers.
pub(super) struct Around<'a> {
    /// One per loop variable.
    pub(super) vars: &'a [String],
    /// One per buffer.
    pub(super) buffers: &'a [String],
    /// Element types of the buffers.
    pub(super) dtypes: &'a [DType],
}

impl Writer {
    /// The value of an index expression.
    pub(super) fn index(&mut self, index: &Index, around: &Around<'_>, values: &[Val]) -> String {
        let mut sum = self.make(Class::Long, "mov.u64", &[&index.constant.to_string()]);
        for (atom, by) in &index.terms {
            let atom = match atom {
                Atom::Var(var) => around.vars.get(*var as usize).cloned().unwrap_or_else(|| "0".into()),
                Atom::Value(inst) => values.get(inst.0 as usize).map_or_else(|| "0".into(), |val| val.reg.clone()),
                Atom::Div(inner, by) => {
                    let inner = self.index(inner, around, values);
                    self.make(Class::Long, "div.u64", &[&inner, &by.to_string()])
                }
                Atom::Mod(inner, by) => {
                    let inner = self.index(inner, around, values);
                    self.make(Class::Long, "rem.u64", &[&inner, &by.to_string()])
                }
            };
            sum = self.make(Class::Long, "mad.lo.s64", &[&atom, &by.to_string(), &sum]);
        }
        sum
    }

    fn address(&mut self, buffer: usize, index: &str, around: &Around<'_>) -> String {
        let width = around.dtypes.get(buffer).map_or(1, |dtype| dtype.bytes()).to_string();
        let base = around.buffers.get(buffer).cloned().unwrap_or_default();
        self.make(Class::Long, "mad.lo.s64", &[index, &width, &base])
    }

    /// An element; zero bits where the guard is false.
    pub(super) fn load(&mut self, buffer: usize, index: &str, guard: Option<&Val>, around: &Around<'_>) -> Val {
        let dtype = around.dtypes.get(buffer).copied().unwrap_or(DType::F32);
        let address = self.address(buffer, index, around);
        let (ty, class) = match dtype {
            DType::Bool | DType::U8 => ("u8", Class::Word),
            DType::F16 | DType::Bf16 => ("u16", Class::Word),
            DType::I32 | DType::U32 => ("u32", Class::Word),
            DType::F32 => ("f32", Class::Single),
            DType::I64 => ("u64", Class::Long),
            DType::F64 => ("f64", Class::Double),
        };
        let reg = self.reg(class);
        let mut when = String::new();
        if let Some(guard) = guard {
            let (mov, zero) = match class {
                Class::Single => ("mov.f32", "0f00000000"),
                Class::Double => ("mov.f64", "0d0000000000000000"),
                Class::Long => ("mov.u64", "0"),
                _ => ("mov.u32", "0"),
            };
            self.line(format!("{mov} {reg}, {zero}"));
            when = format!("@{} ", guard.reg);
        }
        self.line(format!("{when}ld.global.{ty} {reg}, [{address}]"));
        let reg = match dtype {
            DType::Bool => self.make(Class::Pred, "setp.ne.u32", &[&reg, "0"]),
            DType::F16 | DType::Bf16 => self.half_value(dtype, &reg),
            _ => reg,
        };
        Val { dtype, reg }
    }

    /// The instructions of a block; `reduced` is the value of the reduction before it.
    pub(super) fn block(&mut self, block: &Block, around: &Around<'_>, reduced: Option<&Val>) -> Vec<Val> {
        let mut values: Vec<Val> = Vec::with_capacity(block.insts.len());
        for inst in &block.insts {
            let val = match &inst.kind {
                InstKind::Const(literal) => self.constant(*literal),
                InstKind::Load { buffer, index, guard } => {
                    let at = self.index(index, around, &values);
                    let guard = guard.and_then(|guard| values.get(guard.0 as usize)).cloned();
                    self.load(*buffer, &at, guard.as_ref(), around)
                }
                InstKind::Index(index) => Val { dtype: DType::I64, reg: self.index(index, around, &values) },
                InstKind::Op(op, operands) => {
                    let operands: Vec<Val> =
                        operands.iter().filter_map(|Inst(at)| values.get(*at as usize)).cloned().collect();
                    self.op(*op, &operands)
                }
                InstKind::Reduced => reduced.cloned().unwrap_or_else(|| Val { dtype: inst.dtype, reg: String::new() }),
            };
            values.push(val);
        }
        values
    }

    /// Writes one element, where `when` (a predicate) holds.
    pub(super) fn store(&mut self, store: &Store, around: &Around<'_>, values: &[Val], when: Option<&str>) {
        let Some(value) = values.get(store.value.0 as usize).cloned() else { return };
        let at = self.index(&store.index, around, values);
        self.put(store.buffer, &at, &value, around, when);
    }

    /// Writes an element at an index in a register.
    pub(super) fn put(&mut self, buffer: usize, at: &str, value: &Val, around: &Around<'_>, when: Option<&str>) {
        let address = self.address(buffer, at, around);
        let own = value.reg.clone();
        let (ty, reg) = match value.dtype {
            DType::Bool => ("u8", self.make(Class::Word, "selp.b32", &["1", "0", &own])),
            DType::U8 => ("u8", own),
            DType::F16 | DType::Bf16 => ("u16", self.half_bits(value.dtype, &own)),
            DType::I32 | DType::U32 => ("u32", own),
            DType::F32 => ("f32", own),
            DType::I64 => ("u64", own),
            DType::F64 => ("f64", own),
        };
        let when = when.map_or_else(String::new, |when| format!("@{when} "));
        self.line(format!("{when}st.global.{ty} [{address}], {reg}"));
    }
}
