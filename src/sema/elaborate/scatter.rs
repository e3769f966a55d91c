//! `x[...] = v`: an update of a block, or a scatter to the places that integer arrays name.

use super::index::{Along, Items, Plan};
use super::{Elaborator, Outcome};
use crate::base::{DType, Diagnostic, Literal, Shape, Size, Span};
use crate::ir::array::{self, OpKind};
use crate::ops::scalar::ScalarOp;
use crate::sema::diagnostics;
use crate::sema::value::Traced;

impl Elaborator<'_> {
    /// `x` with the elements at `[items]` replaced by `value`, cast and broadcast; of equal indexes the last wins.
    pub(super) fn index_set(
        &mut self,
        x: array::Value,
        items: &Items,
        value: &Traced,
        at: Span,
        span: Span,
    ) -> Outcome<array::Value> {
        let plan = self.index_plan(x, items, span)?;
        self.builder.span = span;
        let ty = self.array_type(x);
        let value = self.array_of(value, ty.dtype, at)?;
        let gathers = plan.gathers();
        if gathers.is_empty() {
            let (shape, _) = plan.result(None);
            let value = self.fitted(value, Shape(shape), at, span)?;
            return Ok(self.update_block(x, &plan, value));
        }
        let (indexes, extents) = self.meet_indexes(&gathers, span)?;
        let (shape, layout) = plan.result(Some(&extents));
        let position = layout.map_or(0, |layout| layout.position);
        let value = self.fitted(value, Shape(shape), at, span)?;
        self.scatter(x, &plan, &indexes, (position, extents), value, span)
    }

    /// The value broadcast to the places that it fills.
    fn fitted(&mut self, value: array::Value, shape: Shape, at: Span, span: Span) -> Outcome<array::Value> {
        let own = self.builder.ty(value).shape.clone();
        match Self::broadcast_shapes(&[&own, &shape]) {
            Ok(met) if met == shape => Ok(self.builder.broadcast_to(value, shape)),
            _ => {
                let message = format!("a value of shape {own} does not fill places of shape {shape}");
                let diagnostic = Diagnostic::error("E0210", message, span, format!("these places have shape {shape}"))
                    .label(at, format!("this has shape {own}"))
                    .help("the value is broadcast to the places: equal extents, or 1");
                self.fail(diagnostic)
            }
        }
    }

    fn update_block(&mut self, x: array::Value, plan: &Plan, value: array::Value) -> array::Value {
        let (mut starts, mut steps, mut block) = (Vec::new(), Vec::new(), Vec::new());
        for along in &plan.axes {
            match along {
                Along::Element(start) => {
                    starts.push(self.start_value(start));
                    steps.push(1);
                    block.push(Size::from(1));
                }
                Along::Range { start, step, extent } => {
                    starts.push(self.start_value(&super::index::Start::Known(start.clone())));
                    steps.push(*step);
                    block.push(extent.clone());
                }
                Along::Gathered(_) => {}
            }
        }
        if block.contains(&Size::from(0)) {
            // No element changes.
            return x;
        }
        let value = self.builder.reshape(value, Shape(block));
        let operands = [x, value].into_iter().chain(starts).collect();
        self.builder.like_first(OpKind::Update { steps }, operands)
    }

    /// Scatters to the elements of `x` by their row-major numbers.
    fn scatter(
        &mut self,
        x: array::Value,
        plan: &Plan,
        indexes: &[array::Value],
        (position, extents): (usize, Vec<Size>),
        value: array::Value,
        span: Span,
    ) -> Outcome<array::Value> {
        let ty = self.array_type(x);
        // Only one axis is gathered and all others are whole: slices are replaced.
        let whole = |(axis, along): (usize, &Along)| match along {
            Along::Gathered(_) => true,
            Along::Range { start, step, extent } => {
                *step == 1 && *start == Size::from(0) && ty.shape.0.get(axis) == Some(extent)
            }
            Along::Element(_) => false,
        };
        let count = |extents: &[Size]| Shape(extents.to_vec()).elements();
        let before = self.kept_before(plan, position);
        let kept: Vec<Size> = plan
            .axes
            .iter()
            .filter_map(|along| if let Along::Range { extent, .. } = along { Some(extent.clone()) } else { None })
            .collect();
        let width = extents.len();
        // New axes of extent 1 go: kept axes, the gathered ones among them.
        let mut shape = kept.clone();
        shape.splice(before..before, extents.iter().cloned());
        let value = self.builder.reshape(value, Shape(shape));
        if let [index] = indexes
            && plan.axes.iter().enumerate().all(whole)
            && let Some(places) = count(&extents)
        {
            let axis = plan.gathers().first().map_or(0, |(axis, _)| *axis);
            // Kept axes before the gathered axis, the places, the other kept axes.
            let of_kept = |at: usize| if at < before { at } else { at + width };
            let order: Vec<usize> =
                (0..axis).map(of_kept).chain(before..before + width).chain((axis..kept.len()).map(of_kept)).collect();
            let value = self.builder.transpose(value, order);
            let mut shape = ty.shape.0.clone();
            if let Some(slot) = shape.get_mut(axis) {
                *slot = places.clone();
            }
            let updates = self.builder.reshape(value, Shape(shape));
            let index = self.builder.reshape(*index, Shape(vec![places]));
            return Ok(self.builder.like_first(OpKind::Scatter { axis }, vec![x, index, updates]));
        }
        // Every element by its number: indexes of all axes over the places and the kept axes.
        let order: Vec<usize> =
            (before..before + width).chain(0..before).chain(before + width..width + kept.len()).collect();
        let value = self.builder.transpose(value, order);
        let full = Shape(extents.iter().cloned().chain(kept.iter().cloned()).collect());
        let (Some(elements), Some(places)) = (ty.shape.elements(), full.elements()) else {
            return self.fail(diagnostics::too_large(&ty.to_string(), span));
        };
        let (mut gathered, mut range) = (indexes.iter(), 0);
        let mut numbers = Vec::with_capacity(plan.axes.len());
        for along in &plan.axes {
            let number = match along {
                Along::Element(start) => {
                    let start = self.start_value(start);
                    self.builder.broadcast(start, full.clone(), Vec::new())
                }
                Along::Gathered(_) => {
                    let Some(&index) = gathered.next() else { continue };
                    self.builder.broadcast(index, full.clone(), (0..width).collect())
                }
                Along::Range { start, step, extent } => {
                    let line = Shape(vec![extent.clone()]);
                    let counter = self.builder.iota(DType::I64, line.clone(), 0);
                    let step = self.builder.full(Literal::from_i64(DType::I64, *step), line.clone());
                    let start = self.start_value(&super::index::Start::Known(start.clone()));
                    let start = self.builder.broadcast(start, line, Vec::new());
                    let scaled = self.builder.map(ScalarOp::Mul, &[counter, step]);
                    let number = self.builder.map(ScalarOp::Add, &[scaled, start]);
                    range += 1;
                    self.builder.broadcast(number, full.clone(), vec![width + range - 1])
                }
            };
            numbers.push(number);
        }
        let index = self.linear(&numbers, &ty.shape.0);
        let index = self.builder.reshape(index, Shape(vec![places.clone()]));
        let flat = self.builder.reshape(x, Shape(vec![elements]));
        let updates = self.builder.reshape(value, Shape(vec![places]));
        let result = self.builder.like_first(OpKind::Scatter { axis: 0 }, vec![flat, index, updates]);
        Ok(self.builder.reshape(result, ty.shape))
    }
}
