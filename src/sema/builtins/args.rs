//! Reading operands: arrays, shapes, axes, flags, dtypes.

use super::diagnostics;
use super::{Call, Operand};
use crate::base::{DType, Literal, Shape, Size, Span};
use crate::ir::array::{self, ArrayType, ReduceOp};
use crate::ops::scalar::ScalarOp;
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{Host, HostKind, Known, Traced, Value};

/// A host int as a value.
pub(super) fn size_value(size: &Size) -> Traced {
    Value::Host(Host::constant(Known::Int(size.clone())))
}

impl Call {
    /// The argument of a required parameter.
    pub(super) fn operand(&self, at: usize) -> Operand {
        let missing = || Operand { value: Value::Unit, span: self.span };
        self.args.get(at).cloned().flatten().unwrap_or_else(missing)
    }

    /// The argument of a parameter, if it was given.
    pub(super) fn given(&self, at: usize) -> Option<Operand> {
        self.args.get(at).cloned().flatten()
    }
}

impl Elaborator<'_> {
    /// An array; a host scalar becomes a rank-0 array of its default dtype.
    pub(super) fn operand_array(&mut self, operand: &Operand) -> Outcome<array::Value> {
        match self.common_dtype(&[&operand.value]) {
            Some(dtype) => self.array_of(&operand.value, dtype, operand.span),
            None => {
                let found = self.describe(&operand.value);
                self.fail(diagnostics::wrong_kind("the operand", "an array or a number", &found, operand.span))
            }
        }
    }

    /// An array of a float dtype: ints and bools become f32.
    pub(super) fn float_array(&mut self, operand: &Operand) -> Outcome<array::Value> {
        let x = self.operand_array(operand)?;
        let dtype = self.builder.ty(x).dtype;
        Ok(if dtype.is_float() { x } else { self.builder.cast(x, DType::F32) })
    }

    /// A list or tuple of arrays, or one array alone in a list.
    pub(super) fn array_list(&mut self, operand: &Operand) -> Outcome<Vec<Operand>> {
        match &operand.value {
            Value::Tuple(items) if !items.is_empty() => {
                Ok(items.iter().map(|value| Operand { value: value.clone(), span: operand.span }).collect())
            }
            other => {
                let found = self.describe(other);
                self.fail(diagnostics::wrong_kind("the operand", "a list of arrays", &found, operand.span))
            }
        }
    }

    /// A shape: an int, or a list or tuple of ints.
    pub(super) fn shape_of(&mut self, operand: &Operand) -> Outcome<Vec<Size>> {
        let items = match &operand.value {
            Value::Tuple(items) => items.clone(),
            one => vec![one.clone()],
        };
        items.iter().map(|item| self.demand_size(item, "an extent", operand.span)).collect()
    }

    /// One extent, 0 or more.
    pub(super) fn extent(&mut self, operand: &Operand, what: &str) -> Outcome<Size> {
        let size = self.demand_size(&operand.value, what, operand.span)?;
        if size.constant().is_some_and(|n| n < 0) {
            let message = format!("{what} cannot be negative: {size}");
            return self.fail(diagnostics::negative(message, operand.span));
        }
        Ok(size)
    }

    /// A shape without negative extents.
    pub(super) fn extents(&mut self, operand: &Operand) -> Outcome<Shape> {
        let extents = self.shape_of(operand)?;
        if let Some(extent) = extents.iter().find(|extent| extent.constant().is_some_and(|n| n < 0)) {
            let message = format!("an extent cannot be negative: {extent}");
            return self.fail(diagnostics::negative(message, operand.span));
        }
        Ok(Shape(extents))
    }

    /// An int that is a number at compile time.
    pub(super) fn known_int(&mut self, operand: &Operand, what: &str) -> Outcome<i64> {
        let size = self.demand_size(&operand.value, what, operand.span)?;
        match size.constant() {
            Some(n) => Ok(n),
            None => self.fail(crate::sema::diagnostics::must_be_known(what, operand.span)),
        }
    }

    /// An axis, counted from the end when negative.
    pub(super) fn axis_in(&mut self, axis: i64, rank: usize, at: Span) -> Outcome<usize> {
        let count = rank as i64;
        if (-count..count).contains(&axis) {
            Ok((if axis < 0 { axis + count } else { axis }) as usize)
        } else {
            self.fail(diagnostics::axis_out_of_range(axis, rank, at))
        }
    }

    /// The axis argument, or `default`.
    pub(super) fn axis_of(&mut self, operand: Option<&Operand>, default: i64, rank: usize, at: Span) -> Outcome<usize> {
        match operand {
            Some(operand) => {
                let axis = self.known_int(operand, "an axis")?;
                self.axis_in(axis, rank, operand.span)
            }
            None => self.axis_in(default, rank, at),
        }
    }

    /// A rank-0 number: a host value or a scalar array.
    pub(super) fn scalar_of(&mut self, operand: &Operand, dtype: DType, what: &str) -> Outcome<array::Value> {
        let value = self.array_of(&operand.value, dtype, operand.span)?;
        let ty = self.array_type(value);
        if ty.shape.rank() == 0 {
            return Ok(value);
        }
        self.fail(diagnostics::wrong_kind(what, "a scalar", &ty.to_string(), operand.span))
    }

    /// The axes argument, sorted; all axes when it was left out.
    pub(super) fn axes_of(&mut self, operand: Option<&Operand>, rank: usize) -> Outcome<Vec<usize>> {
        let Some(operand) = operand else { return Ok((0..rank).collect()) };
        let items = match &operand.value {
            Value::Tuple(items) => items.clone(),
            one => vec![one.clone()],
        };
        let mut axes = Vec::with_capacity(items.len());
        for value in items {
            let axis = self.known_int(&Operand { value, span: operand.span }, "an axis")?;
            let axis = self.axis_in(axis, rank, operand.span)?;
            if axes.contains(&axis) {
                return self.fail(diagnostics::axis_twice(axis, operand.span));
            }
            axes.push(axis);
        }
        axes.sort_unstable();
        Ok(axes)
    }

    /// A flag that is known at compile time.
    pub(super) fn flag(&mut self, operand: Option<&Operand>, default: bool) -> Outcome<bool> {
        let Some(operand) = operand else { return Ok(default) };
        if let Value::Host(host) = &operand.value
            && host.kind == HostKind::Bool
            && let Some(Known::Bool(flag)) = self.demand(host)
        {
            return Ok(flag);
        }
        let found = self.describe(&operand.value);
        self.fail(diagnostics::wrong_kind("the flag", "true or false", &found, operand.span))
    }

    /// The dtype argument, or `default`.
    pub(super) fn dtype_of(&mut self, operand: Option<&Operand>, default: DType) -> Outcome<DType> {
        match operand {
            None => Ok(default),
            Some(Operand { value: Value::DType(dtype), .. }) => Ok(*dtype),
            Some(operand) => {
                let found = self.describe(&operand.value);
                self.fail(diagnostics::wrong_kind("the dtype", "a dtype such as f32", &found, operand.span))
            }
        }
    }

    /// The number of elements along `axes`, as a rank-0 array of `dtype`.
    pub(super) fn count(&mut self, ty: &ArrayType, axes: &[usize], dtype: DType, at: Span) -> Outcome<array::Value> {
        let kept = axes.iter().filter_map(|&axis| ty.shape.0.get(axis).cloned()).collect();
        let Some(count) = Shape(kept).elements() else {
            return self.fail(crate::sema::diagnostics::too_large(&ty.to_string(), at));
        };
        // By way of f64: a count beyond an int dtype must not wrap.
        let count = self.array_of(&size_value(&count), DType::F64, at)?;
        Ok(self.builder.cast(count, dtype))
    }

    /// A constant of the shape of `like`.
    pub(super) fn constant_like(&mut self, value: f64, like: array::Value) -> array::Value {
        let ty = self.array_type(like);
        self.builder.full(Literal::from_f64(ty.dtype, value), ty.shape)
    }

    /// `op` on each element.
    pub(super) fn map1(&mut self, op: ScalarOp, x: array::Value) -> array::Value {
        self.builder.map(op, &[x])
    }

    /// `op` on pairs of elements of one shape.
    pub(super) fn map2(&mut self, op: ScalarOp, x: array::Value, y: array::Value) -> array::Value {
        self.builder.map(op, &[x, y])
    }

    /// The reduced array with its axes kept at extent 1, then broadcast back to `shape`.
    pub(super) fn spread(&mut self, reduced: array::Value, axes: &[usize], shape: &Shape) -> array::Value {
        let kept = (0..shape.rank()).filter(|axis| !axes.contains(axis)).collect();
        self.builder.broadcast(reduced, shape.clone(), kept)
    }

    /// A reduction; sums and products of f16 and bf16 accumulate in f32.
    pub(super) fn reduced(&mut self, op: ReduceOp, x: array::Value, axes: &[usize]) -> array::Value {
        let dtype = self.builder.ty(x).dtype;
        let half = matches!(dtype, DType::F16 | DType::Bf16) && matches!(op, ReduceOp::Sum | ReduceOp::Prod);
        let x = if half { self.builder.cast(x, DType::F32) } else { x };
        let result = if axes.is_empty() && !matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin) {
            x
        } else {
            self.builder.reduce(op, x, axes.to_vec())
        };
        if half { self.builder.cast(result, dtype) } else { result }
    }
}
