//! Registers and lines.
//!
//! Every value gets a register of its own; the driver's compiler allocates. Invariant: the class of a register is that
//! of the dtype it holds: bools are predicates, 8- and 32-bit ints `%r`, halves and f32 `%f`.

use crate::base::DType;
use std::fmt::Write;

/// The register classes, by their prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `%p`: a predicate.
    Pred,
    /// `%r`: 32 bits.
    Word,
    /// `%d`: 64 bits.
    Long,
    /// `%f`: f32.
    Single,
    /// `%g`: f64.
    Double,
}

impl Class {
    /// The class in which a dtype is kept.
    pub(super) fn of(dtype: DType) -> Self {
        match dtype {
            DType::Bool => Self::Pred,
            DType::U8 | DType::I32 | DType::U32 => Self::Word,
            DType::I64 => Self::Long,
            DType::F16 | DType::Bf16 | DType::F32 => Self::Single,
            DType::F64 => Self::Double,
        }
    }

    const ALL: [(Self, &'static str, &'static str); 5] = [
        (Self::Pred, "%p", "pred"),
        (Self::Word, "%r", "b32"),
        (Self::Long, "%d", "b64"),
        (Self::Single, "%f", "f32"),
        (Self::Double, "%g", "f64"),
    ];

    fn prefix(self) -> &'static str {
        Self::ALL.iter().find(|(class, _, _)| *class == self).map_or("%r", |(_, prefix, _)| prefix)
    }
}

/// A value in a register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Val {
    /// Its dtype.
    pub(super) dtype: DType,
    /// The register.
    pub(super) reg: String,
}

/// The body of an entry under construction.
#[derive(Default)]
pub(super) struct Writer {
    lines: String,
    counts: [usize; 5],
    labels: usize,
}

impl Writer {
    /// A new register.
    pub(super) fn reg(&mut self, class: Class) -> String {
        let count = &mut self.counts[class as usize];
        *count += 1;
        format!("{}{}", class.prefix(), *count - 1)
    }

    /// A new label, without its colon.
    pub(super) fn label(&mut self, what: &str) -> String {
        self.labels += 1;
        format!("L{}_{what}", self.labels)
    }

    /// One instruction.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.lines, "    {};", text.as_ref());
    }

    /// A place to jump to.
    pub(super) fn place(&mut self, label: &str) {
        let _ = writeln!(self.lines, "{label}:");
    }

    /// A remark.
    pub(super) fn remark(&mut self, text: &str) {
        let _ = writeln!(self.lines, "    // {text}");
    }

    /// `op dest, operands...` into a new register.
    pub(super) fn make(&mut self, class: Class, op: &str, operands: &[&str]) -> String {
        let reg = self.reg(class);
        self.line(format!("{op} {reg}, {}", operands.join(", ")));
        reg
    }

    /// The whole entry.
    pub(super) fn entry(self, name: &str, buffers: usize) -> String {
        let params: Vec<String> = (0..buffers).map(|at| format!("    .param .u64 b{at}")).collect();
        let mut text = format!(".visible .entry {name}(\n{}\n)\n{{\n", params.join(",\n"));
        for ((_, prefix, ty), count) in Class::ALL.iter().zip(self.counts) {
            if count > 0 {
                let _ = writeln!(text, "    .reg .{ty} {prefix}<{count}>;");
            }
        }
        text + &self.lines + "}\n"
    }
}
