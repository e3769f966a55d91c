//! What the items between `[` and `]` mean, axis by axis.
//!
//! ```text
//! x[1, ::-2, newaxis, i]     x: f32[4, 9, 5], i: i32[3]
//!   axis 0: element 1 · axis 1: start 8, step -2, extent 5 · a new axis · axis 2: gathered
//! ```
//! Known ints and slices are checked now; ints and arrays that the program computes are checked while it runs.

use super::fold::{named, never_negative};
use super::{Elaborator, Outcome};
use crate::base::{DType, Literal, Size, Span};
use crate::ir::array::{self, Check, ReduceOp};
use crate::ops::scalar::ScalarOp;
use crate::sema::diagnostics;
use crate::sema::value::{Host, HostKind, Known, Value};
use crate::syntax::ast::{Expr, IndexItem};

/// The items of one index.
pub(super) type Items = [IndexItem];

/// What is taken along one axis of the array.
#[derive(Clone, Debug)]
pub(super) enum Along {
    /// One element; the axis goes.
    Element(Start),
    /// `start + i * step` for `i` below `extent`.
    Range { start: Size, step: i64, extent: Size },
    /// Elements at the ints of an array (`i64`, checked and not negative).
    Gathered(array::Value),
}

/// Where an element is.
#[derive(Clone, Debug)]
pub(super) enum Start {
    /// Known, and in range where the extent is known.
    Known(Size),
    /// `i64[]`, checked and not negative.
    Computed(array::Value),
}

/// One position of the result, left to right.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// An axis of the array.
    Axis(usize),
    /// A new axis of extent 1.
    New,
}

/// A whole index: every axis of the array has its [`Along`].
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// By axis of the array.
    pub axes: Vec<Along>,
    /// Axes and new axes in the order of the items.
    pub items: Vec<Item>,
}

impl Elaborator<'_> {
    /// The meaning of the items for this array.
    pub(super) fn index_plan(&mut self, x: array::Value, items: &Items, span: Span) -> Outcome<Plan> {
        let ty = self.array_type(x);
        let rank = ty.shape.rank();
        let named = items.iter().filter(|item| matches!(item, IndexItem::At(_) | IndexItem::Slice { .. })).count();
        if named > rank {
            return self.fail(diagnostics::too_many_indexes(named, &ty.to_string(), span));
        }
        let mut plan = Plan::default();
        let mut rest = Some(rank - named);
        for item in items {
            match item {
                IndexItem::NewAxis(_) => plan.items.push(Item::New),
                IndexItem::Ellipsis(at) => {
                    let Some(count) = rest.take() else {
                        let message = "`...` can stand once in an index";
                        return self.fail(diagnostics::no_index(message, *at));
                    };
                    self.whole_axes(&mut plan, &ty.shape.0, count);
                }
                IndexItem::At(expr) => {
                    let axis = plan.axes.len();
                    let extent = ty.shape.0.get(axis).cloned().unwrap_or_default();
                    let along = self.index_at(expr, axis, &extent)?;
                    plan.items.push(Item::Axis(axis));
                    plan.axes.push(along);
                }
                IndexItem::Slice { start, stop, step, span } => {
                    let axis = plan.axes.len();
                    let extent = ty.shape.0.get(axis).cloned().unwrap_or_default();
                    let along = self.slice(start.as_ref(), stop.as_ref(), step.as_ref(), &extent, *span)?;
                    plan.items.push(Item::Axis(axis));
                    plan.axes.push(along);
                }
            }
        }
        let left = rank - plan.axes.len();
        self.whole_axes(&mut plan, &ty.shape.0, left);
        Ok(plan)
    }

    fn whole_axes(&mut self, plan: &mut Plan, shape: &[Size], count: usize) {
        for _ in 0..count {
            let axis = plan.axes.len();
            let extent = shape.get(axis).cloned().unwrap_or_default();
            plan.items.push(Item::Axis(axis));
            plan.axes.push(Along::Range { start: Size::from(0), step: 1, extent });
        }
    }

    fn index_at(&mut self, expr: &Expr, axis: usize, extent: &Size) -> Outcome<Along> {
        let value = self.expr(expr)?;
        let span = expr.span;
        match &value {
            Value::Host(host) if host.kind == HostKind::Int => {
                self.index_int(host, axis, extent, span).map(Along::Element)
            }
            Value::Array(array) => {
                let ty = self.array_type(*array);
                if ty.dtype == DType::Bool {
                    return self.fail(diagnostics::mask_index(&ty.to_string(), span));
                }
                if !ty.dtype.is_int() {
                    return self.fail(diagnostics::no_index(&ty.to_string(), span));
                }
                self.builder.span = span;
                let index = self.builder.cast(*array, DType::I64);
                let index = self.in_range(index, axis, extent, span);
                if ty.shape.rank() == 0 {
                    return Ok(Along::Element(Start::Computed(index)));
                }
                Ok(Along::Gathered(index))
            }
            other => {
                let found = self.describe(other);
                self.fail(diagnostics::no_index(&found, span))
            }
        }
    }

    fn index_int(&mut self, host: &Host, axis: usize, extent: &Size, span: Span) -> Outcome<Start> {
        if let Some(Known::Int(at)) = &host.known
            && host.origins.is_empty()
        {
            if let Size::Known(at) = at {
                let negative = *at < 0;
                let Size::Known(n) = extent else {
                    let start = if negative { extent.add(&Size::Known(*at)) } else { Some(Size::Known(*at)) };
                    return Ok(Start::Known(start.unwrap_or_default()));
                };
                let start = if negative { at.saturating_add(*n) } else { *at };
                if start < 0 || start >= *n {
                    return self.fail(diagnostics::out_of_range(*at, axis, &n.to_string(), span));
                }
                return Ok(Start::Known(Size::Known(start)));
            }
            return Ok(Start::Known(at.clone()));
        }
        self.builder.span = span;
        let index = self.runtime_as(host, HostKind::Int);
        let counted = self.loops.iter().find(|rolled| rolled.counter == Some(index)).and_then(|rolled| rolled.range);
        if let (Some((least, greatest)), Size::Known(n)) = (counted, extent)
            && least >= 0
            && greatest < *n
        {
            return Ok(Start::Computed(index));
        }
        Ok(Start::Computed(self.in_range(index, axis, extent, span)))
    }

    /// The index with negative ones counted from the end; the program stops where one is out of range.
    pub fn in_range(&mut self, index: array::Value, axis: usize, extent: &Size, span: Span) -> array::Value {
        self.builder.span = span;
        let shape = self.builder.ty(index).shape.clone();
        let rank = shape.rank();
        let count = match extent {
            Size::Known(n) => self.int(*n),
            size => self.size_as_array(&size.clone(), DType::I64),
        };
        let zero = self.int(0);
        let (mut low, mut high) = (index, index);
        if rank > 0 {
            low = self.builder.reduce(ReduceOp::Min, index, (0..rank).collect());
            high = self.builder.reduce(ReduceOp::Max, index, (0..rank).collect());
        }
        // An empty array of indexes has the identities of min and max, which are no indexes.
        let least = self.builder.map(ScalarOp::Sub, &[zero, count]);
        let below = self.builder.map(ScalarOp::Lt, &[low, least]);
        let above = self.builder.map(ScalarOp::Le, &[count, high]);
        let bad = self.builder.map(ScalarOp::Or, &[below, above]);
        let shown = if rank == 0 { index } else { self.builder.map(ScalarOp::Select, &[below, low, high]) };
        let check = Check {
            code: "R0002",
            message: format!("index {{0}} is out of range for axis {axis} of extent {{1}}"),
            help: Some("indexes run from -extent to extent - 1".into()),
        };
        self.builder.check(check, bad, &[shown, count]);
        let zeros = self.builder.broadcast_to(zero, shape.clone());
        let counts = self.builder.broadcast_to(count, shape);
        let negative = self.builder.map(ScalarOp::Lt, &[index, zeros]);
        let wrapped = self.builder.map(ScalarOp::Add, &[index, counts]);
        self.builder.map(ScalarOp::Select, &[negative, wrapped, index])
    }

    /// A bound of a slice, if it is written.
    fn slice_bound(&mut self, expr: Option<&Expr>) -> Outcome<Option<Size>> {
        let Some(expr) = expr else { return Ok(None) };
        let value = self.expr(expr)?;
        self.demand_size(&value, "a bound of a slice", expr.span).map(Some)
    }

    fn slice(
        &mut self,
        start: Option<&Expr>,
        stop: Option<&Expr>,
        step: Option<&Expr>,
        extent: &Size,
        span: Span,
    ) -> Outcome<Along> {
        let step_span = step.map_or(span, |step| step.span);
        let (start, stop) = (self.slice_bound(start)?, self.slice_bound(stop)?);
        let step = match self.slice_bound(step)? {
            None => 1,
            Some(step) => match step.constant() {
                Some(0) => return self.fail(diagnostics::zero_step(step_span)),
                Some(step) => step,
                None => return self.fail(diagnostics::must_be_known("the step of a slice", step_span)),
            },
        };
        Ok(range(start.as_ref(), stop.as_ref(), step, extent))
    }

    /// The start of an element in the program.
    pub(super) fn start_value(&mut self, start: &Start) -> array::Value {
        match start {
            Start::Computed(value) => *value,
            Start::Known(Size::Known(n)) => self.builder.constant(Literal::from_i64(DType::I64, *n)),
            Start::Known(size) => self.size_as_array(&size.clone(), DType::I64),
        }
    }
}

/// A slice as Python clamps it.
fn range(start: Option<&Size>, stop: Option<&Size>, step: i64, extent: &Size) -> Along {
    if let Size::Known(n) = extent
        && let (Some(start), Some(stop)) = (start.map_or(Some(None), number), stop.map_or(Some(None), number))
    {
        return known_range(start, stop, step, *n);
    }
    symbolic_range(start, stop, step, extent)
}

/// `Some` of a bound that is a number.
fn number(size: &Size) -> Option<Option<i64>> {
    size.constant().map(Some)
}

fn known_range(start: Option<i64>, stop: Option<i64>, step: i64, n: i64) -> Along {
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let clamp = |bound: i64| (if bound < 0 { bound.saturating_add(n) } else { bound }).clamp(low, high.max(low));
    let first = start.map_or(if step > 0 { low } else { high }, clamp);
    let last = stop.map_or(if step > 0 { high } else { low }, clamp);
    let distance = if step > 0 { last - first } else { first - last };
    let stride = i64::try_from(step.unsigned_abs()).unwrap_or(i64::MAX);
    let count = if distance <= 0 { 0 } else { (distance - 1) / stride + 1 };
    let start = if count == 0 { 0 } else { first };
    // A stride past the end is never taken; kept small so that index arithmetic cannot overflow.
    let step = if count <= 1 { step.signum() } else { step };
    Along::Range { start: Size::Known(start), step, extent: Size::Known(count) }
}

/// With symbols: a bound counts from the end where it is negative, and is taken to lie within the axis where the
/// polynomials do not say otherwise; a length that is no polynomial gets a symbol of its own.
fn symbolic_range(start: Option<&Size>, stop: Option<&Size>, step: i64, extent: &Size) -> Along {
    let zero = Size::from(0);
    let from_end = |bound: &Size| match bound {
        Size::Known(n) if *n < 0 => extent.add(bound).unwrap_or_default(),
        other => other.clone(),
    };
    let text = |bound: Option<&Size>| bound.map_or_else(String::new, ToString::to_string);
    let fresh = || named(&format!("len(({extent})[{}:{}:{step}])", text(start), text(stop)));
    if step == 1 {
        let first = start.map_or(zero, from_end);
        let last = stop.map_or_else(|| extent.clone(), from_end);
        // A literal stop may lie beyond the end: then the length is a smaller number.
        let within = stop.is_none() || extent.sub(&last).is_some_and(|rest| never_negative(&rest) || !known(&last));
        let length = last.sub(&first).filter(|length| within && !matches!(length, Size::Known(n) if *n < 0));
        return Along::Range { start: first, step, extent: length.unwrap_or_else(fresh) };
    }
    if step == -1 && start.is_none() && stop.is_none() {
        let last = extent.sub(&Size::from(1)).unwrap_or_default();
        return Along::Range { start: last, step, extent: extent.clone() };
    }
    let first = match (start, step > 0) {
        (Some(start), _) => from_end(start),
        (None, true) => zero,
        (None, false) => extent.sub(&Size::from(1)).unwrap_or_default(),
    };
    Along::Range { start: first, step, extent: fresh() }
}

fn known(size: &Size) -> bool {
    size.constant().is_some()
}
