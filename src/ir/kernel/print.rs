//! The text of a kernel, for people:
//!
//! ```text
//! kernel scale_rows(b0: f32[128] in, b1: f32[128] out)
//! for i0 in 0..32, i1 in 0..4 {
//!   v0: f32 = load b0[4 * i0 + i1]
//!   v1: f32 = const 2.0
//!   v2: f32 = mul v0, v1
//!   store b1[4 * i0 + i1] = v2
//! }
//! ```

use super::{Atom, Block, Body, Index, InstKind, Kernel, Store};
use std::fmt::{self, Display, Formatter};

impl Display for Index {
    /// `4 * i0 + i1 - 1`; `div` and `mod` are those of non-negative numbers.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut first = true;
        let mut sign = |f: &mut Formatter<'_>, negative: bool| {
            let text = match (std::mem::take(&mut first), negative) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            f.write_str(text)
        };
        for (atom, coefficient) in &self.terms {
            sign(f, *coefficient < 0)?;
            match coefficient.unsigned_abs() {
                1 => write!(f, "{atom}")?,
                size => write!(f, "{size} * {atom}")?,
            }
        }
        if self.constant != 0 || self.terms.is_empty() {
            sign(f, self.constant < 0)?;
            write!(f, "{}", self.constant.unsigned_abs())?;
        }
        Ok(())
    }
}

impl Display for Atom {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Var(at) => write!(f, "i{at}"),
            Self::Value(inst) => write!(f, "v{}", inst.0),
            Self::Div(index, by) => write!(f, "({index} div {by})"),
            Self::Mod(index, by) => write!(f, "({index} mod {by})"),
        }
    }
}

/// `for i0 in 0..32, i1 in 0..4`, numbered from `first`; without axes, nothing.
fn axes(extents: &[u64], first: usize) -> String {
    let axes: Vec<String> = extents.iter().enumerate().map(|(at, n)| format!("i{} in 0..{n}", first + at)).collect();
    axes.join(", ")
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}(", self.name)?;
        for (at, buffer) in self.buffers.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let way = if buffer.stored { "out" } else { "in" };
            write!(f, "{comma}b{at}: {}[{}] {way}", buffer.dtype, buffer.elements)?;
        }
        writeln!(f, ")")?;
        match self.extents.as_slice() {
            [] => writeln!(f, "once {{")?,
            extents => writeln!(f, "for {} {{", axes(extents, 0))?,
        }
        match &self.body {
            Body::Map { block, stores } => {
                write_block(f, block, 1)?;
                write_stores(f, stores)?;
            }
            Body::Reduce { inner, block, value, op, finish, stores } => {
                writeln!(f, "  reduce.{} v{} over {} {{", op.name(), value.0, axes(inner, self.extents.len()))?;
                write_block(f, block, 2)?;
                writeln!(f, "  }} finish")?;
                write_block(f, finish, 1)?;
                write_stores(f, stores)?;
            }
        }
        writeln!(f, "}}")
    }
}

fn write_block(f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
    for (at, inst) in block.insts.iter().enumerate() {
        write!(f, "{:indent$}v{at}: {} = ", "", inst.dtype, indent = 2 * depth)?;
        match &inst.kind {
            InstKind::Const(literal) => write!(f, "const {literal}")?,
            InstKind::Load { buffer, index, guard: None } => write!(f, "load b{buffer}[{index}]")?,
            InstKind::Load { buffer, index, guard: Some(guard) } => {
                write!(f, "load b{buffer}[{index}] if v{}", guard.0)?;
            }
            InstKind::Index(index) => write!(f, "index {index}")?,
            InstKind::Op(op, operands) => {
                let operands: Vec<String> = operands.iter().map(|inst| format!("v{}", inst.0)).collect();
                write!(f, "{} {}", op.name(), operands.join(", "))?;
            }
            InstKind::Reduced => f.write_str("reduced")?,
        }
        writeln!(f)?;
    }
    Ok(())
}

fn write_stores(f: &mut Formatter<'_>, stores: &[Store]) -> fmt::Result {
    stores.iter().try_for_each(|store| writeln!(f, "  store b{}[{}] = v{}", store.buffer, store.index, store.value.0))
}
