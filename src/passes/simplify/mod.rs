//! Exact identities: constants folded, moves of moves merged, operations that change nothing dropped.
//!
//! Before: `%1 = mul %0, splat(1.0)`, `if true { .. } else { .. }`. After: `%0`, the first branch.
//! Invariant: no bit of any result changes, NaN, -0.0 and wrapping ints included, and no output comes to share a
//! buffer with an argument or another output that it did not share before.

mod moves;
mod outputs;
mod regions;
mod scalars;

use crate::base::Literal;
use crate::ir::array::{ArrayType, Op, OpKind, Program, Region, Value};
use std::collections::HashSet;

/// Rounds after which what is left stays; each makes use of what the one before has uncovered.
const ROUNDS: usize = 8;

/// The program with all identities applied.
#[must_use]
pub fn run(mut program: Program) -> Program {
    for _ in 0..ROUNDS {
        let outputs = program.body.results.clone();
        let mut simplifier = Simplifier::new(program);
        let body = std::mem::take(&mut simplifier.program.body);
        let body = simplifier.region(body);
        simplifier.program.body = body;
        let changed = simplifier.changed;
        program = simplifier.program;
        outputs::keep_apart(&mut program, &outputs);
        if !changed {
            break;
        }
    }
    program
}

/// What an operation becomes.
enum Rewrite {
    /// Nothing better is known.
    Keep,
    /// Its only result is this value.
    Same(Value),
    /// Another operation with the same result.
    To(OpKind, Vec<Value>),
}

struct Simplifier {
    program: Program,
    /// What each value has been replaced by.
    replaced: Vec<Option<Value>>,
    /// The pure operation with one result that defines a value, as far as the walk has come.
    definitions: Vec<Option<(OpKind, Vec<Value>)>>,
    /// Outputs of the program, under the names they have by now.
    outputs: HashSet<Value>,
    /// Conditions of checks that have passed when the walk is here: they are false.
    passed: Vec<Value>,
    changed: bool,
}

impl Simplifier {
    fn new(program: Program) -> Self {
        let values = program.types.len();
        let outputs = program.body.results.iter().copied().collect();
        Self {
            program,
            replaced: vec![None; values],
            definitions: vec![None; values],
            outputs,
            passed: Vec::new(),
            changed: false,
        }
    }

    fn ty(&self, value: Value) -> &ArrayType {
        self.program.ty(value)
    }

    fn definition(&self, value: Value) -> Option<(&OpKind, &[Value])> {
        let (kind, operands) = self.definitions.get(value.0 as usize)?.as_ref()?;
        Some((kind, operands))
    }

    fn resolve(&self, mut value: Value) -> Value {
        while let Some(other) = self.replaced.get(value.0 as usize).copied().flatten() {
            value = other;
        }
        value
    }

    fn resolve_all(&self, values: &mut [Value]) {
        for value in values {
            *value = self.resolve(*value);
        }
    }

    /// From here on `value` stands for `by`.
    fn replace(&mut self, value: Value, by: Value) {
        self.changed = true;
        let by = self.resolve(by);
        if let Some(slot) = self.replaced.get_mut(value.0 as usize)
            && by != value
        {
            *slot = Some(by);
            if self.outputs.contains(&value) {
                self.outputs.insert(by);
            }
        }
    }

    /// Whether `by` in the place of `value` would make two outputs, or an output and an argument, one buffer.
    fn would_share(&self, value: Value, by: Value) -> bool {
        let param = || self.program.params.iter().any(|param| param.value == by);
        self.outputs.contains(&value) && (self.outputs.contains(&by) || param())
    }

    fn new_value(&mut self, ty: ArrayType) -> Value {
        self.program.types.push(ty);
        self.replaced.push(None);
        self.definitions.push(None);
        Value(self.program.types.len() as u32 - 1)
    }

    fn region(&mut self, region: Region) -> Region {
        let mut out = Vec::new();
        let passed = self.passed.len();
        for op in region.ops {
            self.op(op, &mut out);
        }
        self.passed.truncate(passed);
        let mut results = region.results;
        self.resolve_all(&mut results);
        Region { params: region.params, ops: out, results }
    }

    fn op(&mut self, mut op: Op, out: &mut Vec<Op>) {
        self.resolve_all(&mut op.operands);
        match op.kind {
            OpKind::For | OpKind::While | OpKind::If => return self.control(op, out),
            OpKind::Check(_) => {
                let Some(&bad) = op.operands.first() else { return out.push(op) };
                if self.splat(bad) == Some(Literal::from_bool(false)) || self.passed.contains(&bad) {
                    self.changed = true;
                } else {
                    self.passed.push(bad);
                    out.push(op);
                }
                return;
            }
            _ => {}
        }
        let &[result] = op.results.as_slice() else { return out.push(op) };
        if self.map_of_splats(&op, result, out) {
            return;
        }
        let rewrite = self.scalars(&op, result);
        let rewrite = if matches!(rewrite, Rewrite::Keep) { self.moves(&op, result) } else { rewrite };
        match rewrite {
            Rewrite::Same(value) if self.ty(value) == self.ty(result) && !self.would_share(result, value) => {
                self.replace(result, value);
            }
            Rewrite::To(kind, operands) => {
                self.changed = true;
                self.emit(Op { kind, operands, ..op }, out);
            }
            Rewrite::Keep | Rewrite::Same(_) => self.emit(op, out),
        }
    }

    fn emit(&mut self, op: Op, out: &mut Vec<Op>) {
        if let &[result] = op.results.as_slice()
            && let Some(slot) = self.definitions.get_mut(result.0 as usize)
        {
            *slot = Some((op.kind.clone(), op.operands.clone()));
        }
        out.push(op);
    }

    /// The rank-0 value that fills all of `value`.
    fn splat_of(&self, value: Value) -> Option<Value> {
        if self.ty(value).shape.rank() == 0 {
            return Some(value);
        }
        match self.definition(value)? {
            (OpKind::Broadcast { .. }, &[x]) if self.ty(x).shape.rank() == 0 => Some(x),
            _ => None,
        }
    }

    /// The constant that fills all of `value`.
    fn splat(&self, value: Value) -> Option<Literal> {
        match self.definition(self.splat_of(value)?)? {
            (OpKind::Const(literal), _) => Some(*literal),
            _ => None,
        }
    }

    /// `map(splat a, splat b)` is `splat(map(a, b))`.
    fn map_of_splats(&mut self, op: &Op, result: Value, out: &mut Vec<Op>) -> bool {
        if !matches!(op.kind, OpKind::Map(_) | OpKind::Function(_)) || self.ty(result).shape.rank() == 0 {
            return false;
        }
        let scalars: Option<Vec<Value>> = op.operands.iter().map(|&operand| self.splat_of(operand)).collect();
        let Some(scalars) = scalars.filter(|scalars| !scalars.is_empty()) else { return false };
        self.changed = true;
        let scalar = self.new_value(ArrayType::scalar(self.ty(result).dtype));
        let inner = Op { operands: scalars, results: vec![scalar], regions: Vec::new(), ..op.clone() };
        self.op(inner, out);
        let operands = vec![self.resolve(scalar)];
        self.emit(Op { kind: OpKind::Broadcast { axes: Vec::new() }, operands, ..op.clone() }, out);
        true
    }
}
