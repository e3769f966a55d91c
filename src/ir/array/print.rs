//! The text of a program, as `arr emit --stage ir` shows it; [`parse`](super::parse) reads it back.
//!
//! Values are numbered in order of definition, so equal programs print alike. Spans are left out. A sample:
//!
//! ```text
//! program(%0: f32[n, 4] donate "p", %1: f64[] scalar "lr") -> (%4) {
//!   %2: f32[] = cast.f32 %1
//!   %3: f32[n, 4] = broadcast axes=[] %2
//!   %4: f32[n, 4] = mul %0, %3
//! }
//! ```

use super::{ArrayType, Op, OpKind, Param, ParamKind, Program, ReduceOp, Region, Value};
use std::collections::HashMap;
use std::fmt::{self, Display, Formatter, Write};

impl ReduceOp {
    /// All of them.
    pub const ALL: [Self; 8] =
        [Self::Sum, Self::Prod, Self::Max, Self::Min, Self::Any, Self::All, Self::ArgMax, Self::ArgMin];

    /// The name in the printed IR.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Max => "max",
            Self::Min => "min",
            Self::Any => "any",
            Self::All => "all",
            Self::ArgMax => "argmax",
            Self::ArgMin => "argmin",
        }
    }
}

impl OpKind {
    /// The name in the printed IR, without attributes.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Map(op) => op.name(),
            Self::Function(function) => function.name().into(),
            Self::Reduce { op, .. } => format!("reduce.{}", op.name()),
            Self::Const(_) => "const".into(),
            Self::Iota { .. } => "iota".into(),
            Self::Broadcast { .. } => "broadcast".into(),
            Self::Reshape => "reshape".into(),
            Self::Transpose(_) => "transpose".into(),
            Self::Slice { .. } => "slice".into(),
            Self::Pad { .. } => "pad".into(),
            Self::Concat { .. } => "concat".into(),
            Self::Cumsum { .. } => "cumsum".into(),
            Self::Sort { .. } => "sort".into(),
            Self::Argsort { .. } => "argsort".into(),
            Self::Matmul => "matmul".into(),
            Self::Gather { .. } => "gather".into(),
            Self::Scatter { .. } => "scatter".into(),
            Self::DynamicSlice => "dynamic_slice".into(),
            Self::Update { .. } => "update".into(),
            Self::Copy => "copy".into(),
            Self::Check(_) => "check".into(),
            Self::For => "for".into(),
            Self::While => "while".into(),
            Self::If => "if".into(),
        }
    }

    /// Attributes: `axes=[0, 1] ` and the like, each with a blank behind it.
    fn attributes(&self) -> String {
        match self {
            Self::Const(literal) => format!("{literal} "),
            Self::Iota { axis }
            | Self::Concat { axis }
            | Self::Cumsum { axis }
            | Self::Sort { axis }
            | Self::Argsort { axis }
            | Self::Gather { axis }
            | Self::Scatter { axis } => format!("axis={axis} "),
            Self::Broadcast { axes } | Self::Reduce { axes, .. } => format!("axes=[{}] ", list(axes)),
            Self::Transpose(perm) => format!("perm=[{}] ", list(perm)),
            Self::Slice { starts, steps } => format!("starts=[{}] steps=[{}] ", list(starts), list(steps)),
            Self::Pad { low } => format!("low=[{}] ", list(low)),
            Self::Update { steps } => format!("steps=[{}] ", list(steps)),
            Self::Check(check) => {
                let help = check.help.as_ref().map(|help| format!("help={} ", quote(help))).unwrap_or_default();
                format!("code={} message={} {help}", quote(check.code), quote(&check.message))
            }
            Self::Map(_)
            | Self::Function(_)
            | Self::Reshape
            | Self::Matmul
            | Self::DynamicSlice
            | Self::Copy
            | Self::For
            | Self::While
            | Self::If => String::new(),
        }
    }
}

/// A string literal with the escapes that the parser knows.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}

fn list<T: Display>(items: &[T]) -> String {
    let items: Vec<String> = items.iter().map(T::to_string).collect();
    items.join(", ")
}

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut printer = Printer { types: &self.types, numbers: HashMap::new(), text: String::new() };
        printer.program(self)?;
        f.write_str(&printer.text)
    }
}

struct Printer<'a> {
    types: &'a [ArrayType],
    numbers: HashMap<Value, usize>,
    text: String,
}

impl Printer<'_> {
    fn program(&mut self, program: &Program) -> fmt::Result {
        let params: Vec<String> = program.params.iter().map(|param| self.param(param)).collect();
        let header = self.text.len();
        self.region(&program.body, 1, "")?;
        // The results have their numbers only now.
        let results = self.values(&program.body.results);
        self.text.insert_str(header, &format!("program({}) -> ({results}) {{\n", params.join(", ")));
        self.text.push_str("}\n");
        Ok(())
    }

    fn param(&mut self, param: &Param) -> String {
        let kind = match param.kind {
            ParamKind::Array { donated: true } => "donate",
            ParamKind::Array { donated: false } => "array",
            ParamKind::Captured => "captured",
            ParamKind::Scalar => "scalar",
        };
        format!("{} {kind} {}", self.define(param.value), quote(&param.name))
    }

    /// `%4: f32[n]`, and the value has that number from here on.
    fn define(&mut self, value: Value) -> String {
        let number = self.numbers.len();
        let number = *self.numbers.entry(value).or_insert(number);
        match self.types.get(value.0 as usize) {
            Some(ty) => format!("%{number}: {ty}"),
            None => format!("%{number}: ?"),
        }
    }

    fn defines(&mut self, values: &[Value]) -> String {
        let all: Vec<String> = values.iter().map(|&value| self.define(value)).collect();
        all.join(", ")
    }

    /// A value without a definition prints as `%?7`, which does not parse.
    fn value(&self, value: Value) -> String {
        self.numbers.get(&value).map_or_else(|| format!("%?{}", value.0), |number| format!("%{number}"))
    }

    fn values(&self, values: &[Value]) -> String {
        let all: Vec<String> = values.iter().map(|&value| self.value(value)).collect();
        all.join(", ")
    }

    fn region(&mut self, region: &Region, depth: usize, end: &str) -> fmt::Result {
        for op in &region.ops {
            self.op(op, depth)?;
        }
        if !end.is_empty() {
            let results = self.values(&region.results);
            writeln!(self.text, "{:depth$}{end}{}{results}", "", blank(&results), depth = 2 * depth)?;
        }
        Ok(())
    }

    fn op(&mut self, op: &Op, depth: usize) -> fmt::Result {
        // Operands are named before the results are, in case an invariant is broken and a result is an operand.
        let head = match (&op.kind, op.operands.as_slice()) {
            (OpKind::For, [start, end, step, carried @ ..]) => {
                format!("for {} carry({})", self.values(&[*start, *end, *step]), self.values(carried))
            }
            (OpKind::While, carried) => format!("while carry({})", self.values(carried)),
            (kind, operands) => {
                let text = format!("{} {}{}", kind.name(), kind.attributes(), self.values(operands));
                text.trim_end().to_owned()
            }
        };
        // Inner values come first in the text, so that the numbers count upwards, but for the results.
        let results = self.defines(&op.results);
        let equals = if results.is_empty() { "" } else { " = " };
        write!(self.text, "{:indent$}{results}{equals}{head}", "", indent = 2 * depth)?;
        for (at, region) in op.regions.iter().enumerate() {
            let keyword = match (&op.kind, at) {
                (_, 0) => "",
                (OpKind::While, _) => " do",
                _ => " else",
            };
            let params = self.defines(&region.params);
            let bound = if region.params.is_empty() { String::new() } else { format!(" |{params}|") };
            writeln!(self.text, "{keyword} {{{bound}")?;
            self.region(region, depth + 1, "yield")?;
            write!(self.text, "{:indent$}}}", "", indent = 2 * depth)?;
        }
        self.text.push('\n');
        Ok(())
    }
}

fn blank(text: &str) -> &'static str {
    if text.is_empty() { "" } else { " " }
}
