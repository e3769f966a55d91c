//! Builds array programs operation by operation, computing every result type.
//!
//! The caller guarantees the rules of [`OpKind`]; the builder does not report errors of users. Regions nest:
//! [`Builder::open`] starts one, [`Builder::close`] ends it and returns it for the operation that owns it.

use super::{ArrayType, Check, Op, OpKind, Param, ParamKind, Program, ReduceOp, Region, Value};
use crate::base::{DType, Literal, Shape, Size, Span};
use crate::ops::scalar::{Function, ScalarOp};

/// A program under construction.
#[derive(Debug, Default)]
pub struct Builder {
    program: Program,
    open: Vec<Region>,
    /// The place that new operations carry.
    pub span: Span,
}

/// A state of a [`Builder`] to go back to.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    types: usize,
    params: usize,
    ops: usize,
    open: Vec<usize>,
}

impl Builder {
    /// The present state. Only what was built after it can be taken back: regions open now must not be closed between.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            types: self.program.types.len(),
            params: self.program.params.len(),
            ops: self.program.body.ops.len(),
            open: self.open.iter().map(|region| region.ops.len()).collect(),
        }
    }

    /// Takes back all that was built since.
    pub fn rollback(&mut self, to: &Checkpoint) {
        self.program.types.truncate(to.types);
        self.program.params.truncate(to.params);
        self.program.body.params.truncate(to.params);
        self.program.body.ops.truncate(to.ops);
        self.open.truncate(to.open.len());
        for (region, &ops) in self.open.iter_mut().zip(&to.open) {
            region.ops.truncate(ops);
        }
    }

    /// Whether operations are appended to a region of a loop or branch, which may never run.
    #[must_use]
    pub fn in_region(&self) -> bool {
        !self.open.is_empty()
    }

    /// Continues a region that was closed and is not owned by an operation yet.
    pub fn reopen(&mut self, region: Region) {
        self.open.push(region);
    }

    /// An empty program.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The type of a value.
    #[must_use]
    pub fn ty(&self, value: Value) -> &ArrayType {
        self.program.ty(value)
    }

    /// A new argument of the program.
    pub fn param(&mut self, kind: ParamKind, name: impl Into<String>, ty: ArrayType) -> Value {
        let value = self.value(ty);
        self.program.params.push(Param { value, kind, name: name.into() });
        self.program.body.params.push(value);
        value
    }

    /// Makes an argument one that is given away.
    pub fn donate(&mut self, value: Value) {
        for param in &mut self.program.params {
            if param.value == value {
                param.kind = ParamKind::Array { donated: true };
            }
        }
    }

    /// The finished program with these outputs.
    #[must_use]
    pub fn finish(mut self, results: Vec<Value>) -> Program {
        self.program.body.results = results;
        self.program
    }

    fn value(&mut self, ty: ArrayType) -> Value {
        self.program.types.push(ty);
        Value(self.program.types.len() as u32 - 1)
    }

    /// Starts a region with parameters of these types.
    pub fn open(&mut self, params: Vec<ArrayType>) -> Vec<Value> {
        let params: Vec<Value> = params.into_iter().map(|ty| self.value(ty)).collect();
        self.open.push(Region { params: params.clone(), ..Region::default() });
        params
    }

    /// Ends the region opened last.
    pub fn close(&mut self, results: Vec<Value>) -> Region {
        let mut region = self.open.pop().unwrap_or_default();
        region.results = results;
        region
    }

    /// Appends an operation with given result types.
    pub fn push(
        &mut self,
        kind: OpKind,
        operands: Vec<Value>,
        results: Vec<ArrayType>,
        regions: Vec<Region>,
    ) -> Vec<Value> {
        let results: Vec<Value> = results.into_iter().map(|ty| self.value(ty)).collect();
        let op = Op { kind, operands, results: results.clone(), regions, span: self.span };
        self.open.last_mut().unwrap_or(&mut self.program.body).ops.push(op);
        results
    }

    fn one(&mut self, kind: OpKind, operands: Vec<Value>, ty: ArrayType) -> Value {
        let results = self.push(kind, operands, vec![ty], Vec::new());
        results.first().copied().unwrap_or(Value(u32::MAX))
    }

    /// A rank-0 constant.
    pub fn constant(&mut self, literal: Literal) -> Value {
        self.one(OpKind::Const(literal), Vec::new(), ArrayType::scalar(literal.dtype))
    }

    /// A constant of any shape.
    pub fn full(&mut self, literal: Literal, shape: Shape) -> Value {
        let scalar = self.constant(literal);
        self.broadcast(scalar, shape, Vec::new())
    }

    /// The index along `axis`.
    pub fn iota(&mut self, dtype: DType, shape: Shape, axis: usize) -> Value {
        self.one(OpKind::Iota { axis }, Vec::new(), ArrayType { dtype, shape })
    }

    /// A scalar operation on each element; operands of one shape.
    pub fn map(&mut self, op: ScalarOp, operands: &[Value]) -> Value {
        let shape = operands.first().map(|&x| self.ty(x).shape.clone()).unwrap_or_default();
        let dtype = op.result(operands.last().map_or(DType::Bool, |&x| self.ty(x).dtype));
        self.one(OpKind::Map(op), operands.to_vec(), ArrayType { dtype, shape })
    }

    /// A function of each element; operands of one shape and dtype.
    pub fn function(&mut self, function: Function, operands: &[Value]) -> Value {
        let ty = operands.first().map_or(ArrayType::scalar(DType::F32), |&x| self.ty(x).clone());
        self.one(OpKind::Function(function), operands.to_vec(), ty)
    }

    /// The same elements converted; the value itself when it has the dtype already.
    pub fn cast(&mut self, x: Value, dtype: DType) -> Value {
        if self.ty(x).dtype == dtype { x } else { self.map(ScalarOp::Cast(dtype), &[x]) }
    }

    /// Operand axis `k` along result axis `axes[k]`; the value itself when nothing changes.
    pub fn broadcast(&mut self, x: Value, shape: Shape, axes: Vec<usize>) -> Value {
        if self.ty(x).shape == shape {
            return x;
        }
        let dtype = self.ty(x).dtype;
        self.one(OpKind::Broadcast { axes }, vec![x], ArrayType { dtype, shape })
    }

    /// NumPy's rule: axes are aligned from the last.
    pub fn broadcast_to(&mut self, x: Value, shape: Shape) -> Value {
        let (from, to) = (self.ty(x).shape.rank(), shape.rank());
        self.broadcast(x, shape, (to.saturating_sub(from)..to).collect())
    }

    /// The value itself when nothing changes.
    pub fn reshape(&mut self, x: Value, shape: Shape) -> Value {
        if self.ty(x).shape == shape {
            return x;
        }
        let dtype = self.ty(x).dtype;
        self.one(OpKind::Reshape, vec![x], ArrayType { dtype, shape })
    }

    /// Result axis `k` is operand axis `perm[k]`.
    pub fn transpose(&mut self, x: Value, perm: Vec<usize>) -> Value {
        if perm.iter().enumerate().all(|(at, &axis)| at == axis) {
            return x;
        }
        let ty = self.ty(x);
        let shape = Shape(perm.iter().filter_map(|&axis| ty.shape.0.get(axis).cloned()).collect());
        let ty = ArrayType { dtype: ty.dtype, shape };
        self.one(OpKind::Transpose(perm), vec![x], ty)
    }

    /// Element `i` is `x[start + i * step]` per axis.
    pub fn slice(&mut self, x: Value, starts: Vec<Size>, steps: Vec<i64>, shape: Shape) -> Value {
        let ty = ArrayType { dtype: self.ty(x).dtype, shape };
        self.one(OpKind::Slice { starts, steps }, vec![x], ty)
    }

    /// `low` elements of `fill` before, as many behind as `shape` asks for.
    pub fn pad(&mut self, x: Value, fill: Value, low: Vec<Size>, shape: Shape) -> Value {
        let ty = ArrayType { dtype: self.ty(x).dtype, shape };
        self.one(OpKind::Pad { low }, vec![x, fill], ty)
    }

    /// Put together along `axis`; `extent` is the sum of the extents there.
    pub fn concat(&mut self, operands: Vec<Value>, axis: usize, extent: Size) -> Value {
        let mut ty = operands.first().map_or(ArrayType::scalar(DType::F32), |&x| self.ty(x).clone());
        if let Some(slot) = ty.shape.0.get_mut(axis) {
            *slot = extent;
        }
        self.one(OpKind::Concat { axis }, operands, ty)
    }

    /// Without `axes`.
    pub fn reduce(&mut self, op: ReduceOp, x: Value, axes: Vec<usize>) -> Value {
        let ty = self.ty(x);
        let dtype = match op {
            ReduceOp::ArgMax | ReduceOp::ArgMin => DType::I32,
            _ => ty.dtype,
        };
        let kept = ty.shape.0.iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
        let ty = ArrayType { dtype, shape: Shape(kept.map(|(_, extent)| extent.clone()).collect()) };
        self.one(OpKind::Reduce { op, axes }, vec![x], ty)
    }

    /// `kind` is one that keeps the type of its first operand: Cumsum, Sort, Scatter, Update, Copy.
    pub fn like_first(&mut self, kind: OpKind, operands: Vec<Value>) -> Value {
        let ty = operands.first().map_or(ArrayType::scalar(DType::F32), |&x| self.ty(x).clone());
        self.one(kind, operands, ty)
    }

    /// The sorting permutation.
    pub fn argsort(&mut self, x: Value, axis: usize) -> Value {
        let ty = ArrayType { dtype: DType::I32, shape: self.ty(x).shape.clone() };
        self.one(OpKind::Argsort { axis }, vec![x], ty)
    }

    /// `[b, m, k] @ [b, k, n]`.
    pub fn matmul(&mut self, a: Value, b: Value) -> Value {
        let mut ty = self.ty(a).clone();
        if let (Some(slot), Some(extent)) = (ty.shape.0.last_mut(), self.ty(b).shape.0.last()) {
            *slot = extent.clone();
        }
        self.one(OpKind::Matmul, vec![a, b], ty)
    }

    /// Elements or slices of `x` at `index` along `axis`.
    pub fn gather(&mut self, x: Value, index: Value, axis: usize) -> Value {
        let (ty, at) = (self.ty(x), self.ty(index));
        let mut shape = ty.shape.0.clone();
        shape.splice(axis..axis + 1, at.shape.0.iter().cloned());
        let ty = ArrayType { dtype: ty.dtype, shape: Shape(shape) };
        self.one(OpKind::Gather { axis }, vec![x, index], ty)
    }

    /// The block of `shape` that begins at `starts`.
    pub fn dynamic_slice(&mut self, x: Value, starts: &[Value], shape: Shape) -> Value {
        let ty = ArrayType { dtype: self.ty(x).dtype, shape };
        let operands = std::iter::once(x).chain(starts.iter().copied()).collect();
        self.one(OpKind::DynamicSlice, operands, ty)
    }

    /// Stops the program when `bad` (`bool[]`), showing the rank-0 values.
    pub fn check(&mut self, check: Check, bad: Value, shown: &[Value]) {
        let operands = std::iter::once(bad).chain(shown.iter().copied()).collect();
        self.push(OpKind::Check(check), operands, Vec::new(), Vec::new());
    }
}
