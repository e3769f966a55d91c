//! `x[...]` read: slices, elements and gathers as NumPy lays them out.

use super::index::{Along, Item, Items, Plan, Start};
use super::{Elaborator, Outcome};
use crate::base::{DType, Shape, Size, Span};
use crate::ir::array;
use crate::ops::scalar::ScalarOp;
use crate::sema::diagnostics;
use crate::sema::value::{Traced, Value};

/// Where the axes of integer arrays come to lie.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The broadcast shape of the integer arrays.
    pub shape: Vec<Size>,
    /// Among the kept axes and new axes: how many stand before it.
    pub position: usize,
}

impl Plan {
    fn is_advanced(&self, item: &Item) -> bool {
        matches!(item, Item::Axis(axis) if !matches!(self.axes.get(*axis), Some(Along::Range { .. })))
    }

    /// The shape of what is read, and where the gathered axes lie in it. With an integer array in the index, ints
    /// count as one too: all of them adjacent, the result stands in their place; else in front.
    pub(super) fn result(&self, gathered: Option<&[Size]>) -> (Vec<Size>, Option<Layout>) {
        let kept = |item: &Item| match item {
            Item::New => Some(Size::from(1)),
            Item::Axis(axis) => match self.axes.get(*axis) {
                Some(Along::Range { extent, .. }) => Some(extent.clone()),
                _ => None,
            },
        };
        let mut shape: Vec<Size> = self.items.iter().filter_map(kept).collect();
        let Some(extents) = gathered else { return (shape, None) };
        let advanced: Vec<usize> =
            (0..self.items.len()).filter(|&at| self.items.get(at).is_some_and(|item| self.is_advanced(item))).collect();
        let (first, last) = (advanced.first().copied().unwrap_or(0), advanced.last().copied().unwrap_or(0));
        let adjacent = last - first + 1 == advanced.len();
        let position = if adjacent { self.items.iter().take(first).filter_map(kept).count() } else { 0 };
        shape.splice(position..position, extents.iter().cloned());
        (shape, Some(Layout { shape: extents.to_vec(), position }))
    }

    /// The gathered axes with their indexes.
    pub(super) fn gathers(&self) -> Vec<(usize, array::Value)> {
        let all = self.axes.iter().enumerate();
        all.filter_map(|(axis, along)| if let Along::Gathered(index) = along { Some((axis, *index)) } else { None })
            .collect()
    }
}

impl Elaborator<'_> {
    /// `x[items]`.
    pub(super) fn index_get(&mut self, x: array::Value, items: &Items, span: Span) -> Outcome<Traced> {
        let plan = self.index_plan(x, items, span)?;
        self.builder.span = span;
        let ranged = self.take_ranges(x, &plan);
        let gathers = plan.gathers();
        if gathers.is_empty() {
            let (shape, _) = plan.result(None);
            return Ok(Value::Array(self.builder.reshape(ranged, Shape(shape))));
        }
        let (indexes, extents) = self.meet_indexes(&gathers, span)?;
        let (shape, layout) = plan.result(Some(&extents));
        let value = self.take_gathered(ranged, &plan, &indexes, layout.as_ref(), span)?;
        Ok(Value::Array(self.builder.reshape(value, Shape(shape))))
    }

    /// The block of `x` that elements and slices leave: rank of `x`, extent 1 at elements, gathered axes whole.
    fn take_ranges(&mut self, x: array::Value, plan: &Plan) -> array::Value {
        let mut value = x;
        let computed = plan.axes.iter().any(|along| matches!(along, Along::Element(Start::Computed(_))));
        if computed {
            let shape = self.builder.ty(x).shape.clone();
            let mut extents = shape.0;
            let mut starts = Vec::with_capacity(plan.axes.len());
            for (extent, along) in extents.iter_mut().zip(&plan.axes) {
                let at = match along {
                    Along::Element(start) => {
                        *extent = Size::from(1);
                        self.start_value(start)
                    }
                    _ => self.int(0),
                };
                starts.push(at);
            }
            value = self.builder.dynamic_slice(x, &starts, Shape(extents));
        }
        let shape = self.builder.ty(value).shape.0.clone();
        let (mut starts, mut steps, mut extents, mut whole) = (Vec::new(), Vec::new(), Vec::new(), true);
        for (own, along) in shape.iter().zip(&plan.axes) {
            let (start, step, extent) = match along {
                Along::Range { start, step, extent } => (start.clone(), *step, extent.clone()),
                Along::Element(Start::Known(start)) if !computed => (start.clone(), 1, Size::from(1)),
                Along::Element(_) => (Size::from(0), 1, Size::from(1)),
                Along::Gathered(_) => (Size::from(0), 1, own.clone()),
            };
            whole &= start == Size::from(0) && step == 1 && extent == *own;
            starts.push(start);
            steps.push(step);
            extents.push(extent);
        }
        if whole { value } else { self.builder.slice(value, starts, steps, Shape(extents)) }
    }

    /// The integer arrays of an index at one shape.
    pub(super) fn meet_indexes(
        &mut self,
        gathers: &[(usize, array::Value)],
        span: Span,
    ) -> Outcome<(Vec<array::Value>, Vec<Size>)> {
        let operands: Vec<(Traced, Span)> = gathers.iter().map(|(_, index)| (Value::Array(*index), span)).collect();
        let operands: Vec<(&Traced, Span)> = operands.iter().map(|(value, at)| (value, *at)).collect();
        let values = self.meet(&operands, DType::I64, span, "the integer arrays of this index")?;
        let extents = values.first().map(|&value| self.array_type(value).shape.0).unwrap_or_default();
        Ok((values, extents))
    }

    fn take_gathered(
        &mut self,
        ranged: array::Value,
        plan: &Plan,
        indexes: &[array::Value],
        layout: Option<&Layout>,
        span: Span,
    ) -> Outcome<array::Value> {
        let Some(layout) = layout else { return Ok(ranged) };
        // Axes of elements go first, so that what is left is gathered or kept.
        let shape = self.builder.ty(ranged).shape.0.clone();
        let mut left: Vec<(bool, Size)> = Vec::new();
        for (along, extent) in plan.axes.iter().zip(shape) {
            match along {
                Along::Element(_) => {}
                Along::Range { .. } => left.push((false, extent)),
                Along::Gathered(_) => left.push((true, extent)),
            }
        }
        let value = self.builder.reshape(ranged, Shape(left.iter().map(|(_, extent)| extent.clone()).collect()));
        let kept: Vec<usize> = (0..left.len()).filter(|&at| left.get(at).is_some_and(|(g, _)| !g)).collect();
        let taken: Vec<usize> = (0..left.len()).filter(|&at| left.get(at).is_some_and(|(g, _)| *g)).collect();
        let (gathered, front) = match (taken.as_slice(), indexes) {
            (&[axis], &[index]) => (self.builder.gather(value, index, axis), axis),
            _ => {
                let perm: Vec<usize> = taken.iter().chain(&kept).copied().collect();
                let extents: Vec<Size> = left.iter().filter(|(g, _)| *g).map(|(_, extent)| extent.clone()).collect();
                let rest: Vec<Size> = left.iter().filter(|(g, _)| !g).map(|(_, extent)| extent.clone()).collect();
                let value = self.builder.transpose(value, perm);
                let Some(count) = Shape(extents.clone()).elements() else {
                    let ty = self.array_type(value).to_string();
                    return self.fail(diagnostics::too_large(&ty, span));
                };
                let value = self.builder.reshape(value, Shape(std::iter::once(count).chain(rest).collect()));
                let index = self.linear(indexes, &extents);
                (self.builder.gather(value, index, 0), 0)
            }
        };
        // Now: `front` kept axes, the gathered ones, the other kept axes. Wanted: those before `position` first.
        let before = self.kept_before(plan, layout.position);
        let width = layout.shape.len();
        let order: Vec<usize> = (0..before)
            .map(|at| if at < front { at } else { at + width })
            .chain(front..front + width)
            .chain((before..kept.len()).map(|at| if at < front { at } else { at + width }))
            .collect();
        Ok(self.builder.transpose(gathered, order))
    }

    /// How many kept axes of the array stand before that position of the result.
    pub(super) fn kept_before(&self, plan: &Plan, position: usize) -> usize {
        let kept = plan.items.iter().filter_map(|item| match item {
            Item::New => Some(false),
            Item::Axis(axis) => matches!(plan.axes.get(*axis), Some(Along::Range { .. })).then_some(true),
        });
        kept.take(position).filter(|axis| *axis).count()
    }

    /// Row-major numbers of elements from their indexes along each axis.
    pub(super) fn linear(&mut self, indexes: &[array::Value], extents: &[Size]) -> array::Value {
        let mut sum: Option<array::Value> = None;
        for (index, extent) in indexes.iter().zip(extents) {
            sum = Some(match sum {
                None => *index,
                Some(sum) => {
                    let count = self.start_value(&Start::Known(extent.clone()));
                    let shape = self.builder.ty(*index).shape.clone();
                    let count = self.builder.broadcast_to(count, shape);
                    let scaled = self.builder.map(ScalarOp::Mul, &[sum, count]);
                    self.builder.map(ScalarOp::Add, &[scaled, *index])
                }
            });
        }
        sum.unwrap_or_else(|| self.int(0))
    }
}
