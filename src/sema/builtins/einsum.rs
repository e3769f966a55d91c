//! `einsum`: subscripts are contracted pair by pair, left to right, each pair as one batched matrix product.
//!
//! ```text
//! "bij,bjk->bik"    batch b, rows i, columns k, summed j
//! ```

use super::diagnostics;
use super::{Call, EINSUM_OPERANDS, Operand};
use crate::base::{Literal, Shape, Size};
use crate::ir::array::{self, ReduceOp};
use crate::sema::elaborate::{Elaborator, Outcome};
use crate::sema::value::{Known, Traced, Value};
use std::collections::BTreeMap;

/// An operand with a label per axis. Labels of an ellipsis are capitals beyond the letters.
struct Labelled {
    x: array::Value,
    labels: Vec<char>,
}

pub(super) fn einsum(el: &mut Elaborator<'_>, call: &mut Call) -> Outcome<Traced> {
    let first = call.operand(0);
    let text = match &first.value {
        Value::Host(host) => match el.demand(host) {
            Some(Known::Str(text)) => text,
            _ => return el.fail(diagnostics::subscripts("`einsum` needs a string of subscripts".into(), first.span)),
        },
        _ => return el.fail(diagnostics::subscripts("`einsum` needs a string of subscripts".into(), first.span)),
    };
    let operands: Vec<Operand> = (1..=EINSUM_OPERANDS).filter_map(|at| call.given(at)).collect();
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) = match text.split_once("->") {
        Some((inputs, output)) => (inputs.to_owned(), Some(output.to_owned())),
        None => (text.clone(), None),
    };
    let terms: Vec<&str> = inputs.split(',').collect();
    if terms.len() != operands.len() {
        let message = format!("{} subscripts for {} operands", terms.len(), operands.len());
        return el.fail(diagnostics::subscripts(message, first.span));
    }
    let values: Vec<&Traced> = operands.iter().map(|operand| &operand.value).collect();
    let Some(dtype) = el.common_dtype(&values) else {
        return el.fail(diagnostics::subscripts("every operand must be an array".into(), call.span));
    };
    let mut labelled = Vec::with_capacity(operands.len());
    let mut dotted = 0;
    for (term, operand) in terms.iter().zip(&operands) {
        let x = el.array_of(&operand.value, dtype, operand.span)?;
        let rank = el.builder.ty(x).shape.rank();
        let Some((labels, dots)) = labels(term, rank) else {
            let ty = el.array_type(x);
            let message = format!("`{term}` does not name the axes of {ty}");
            return el.fail(diagnostics::subscripts(message, first.span));
        };
        dotted = dotted.max(dots);
        labelled.push(Labelled { x, labels });
    }
    let output = match output {
        Some(output) => {
            let letters = output.replace("...", "").chars().count();
            match labels(&output, letters + if output.contains("...") { dotted } else { 0 }) {
                Some((labels, _)) => labels,
                None => return el.fail(diagnostics::subscripts(format!("`{output}` is no output"), first.span)),
            }
        }
        None => implicit(&labelled, dotted),
    };
    let known = |label: &char| labelled.iter().any(|operand| operand.labels.contains(label));
    let repeated = output.iter().enumerate().any(|(at, label)| output.iter().take(at).any(|other| other == label));
    if repeated || !output.iter().all(known) {
        return el.fail(diagnostics::subscripts("the output repeats a letter or has a new one".into(), first.span));
    }
    el.builder.span = call.span;
    let extents = extents(el, &labelled, call, &operands)?;
    contract(el, labelled, &output, &extents, call)
}

/// One label per axis, and how many of them an ellipsis stands for.
fn labels(term: &str, rank: usize) -> Option<(Vec<char>, usize)> {
    let (before, after) = match term.split_once("...") {
        Some((before, after)) => (before, Some(after)),
        None => (term, None),
    };
    let letters: Vec<char> = before.chars().chain(after.unwrap_or("").chars()).collect();
    if !letters.iter().all(char::is_ascii_alphabetic) {
        return None;
    }
    if after.is_none() {
        return (letters.len() == rank).then_some((letters, 0));
    }
    let dots = rank.checked_sub(letters.len())?;
    // Aligned from the last: the last axis of every ellipsis has the same label.
    let names = (0..dots).rev().filter_map(|k| char::from_u32(0x1000 + k as u32));
    Some((before.chars().chain(names).chain(after.unwrap_or("").chars()).collect(), dots))
}

/// Without an arrow: the ellipsis, then the letters that occur once, in alphabetical order.
fn implicit(operands: &[Labelled], dotted: usize) -> Vec<char> {
    let mut count: BTreeMap<char, usize> = BTreeMap::new();
    operands.iter().flat_map(|operand| &operand.labels).for_each(|&label| *count.entry(label).or_default() += 1);
    let dots = (0..dotted).rev().filter_map(|k| char::from_u32(0x1000 + k as u32));
    let once = count.iter().filter(|(label, n)| label.is_ascii() && **n == 1).map(|(label, _)| *label);
    dots.chain(once).collect()
}

/// The extent of every label; 1 gives way.
fn extents(
    el: &mut Elaborator<'_>,
    operands: &[Labelled],
    call: &Call,
    given: &[Operand],
) -> Outcome<BTreeMap<char, Size>> {
    let mut extents: BTreeMap<char, Size> = BTreeMap::new();
    for operand in operands {
        let ty = el.array_type(operand.x);
        for (label, extent) in operand.labels.iter().zip(&ty.shape.0) {
            let one = Size::from(1);
            let slot = extents.entry(*label).or_insert_with(|| extent.clone());
            if *slot == one {
                *slot = extent.clone();
            } else if *extent != one && slot != extent {
                let message = format!("`einsum`: the extents of `{label}` differ: {slot} against {extent}");
                let types = operands.iter().zip(given);
                let types: Vec<_> = types.map(|(o, at)| (el.array_type(o.x).to_string(), at.span)).collect();
                let help = "one letter stands for one extent";
                return el.fail(diagnostics::do_not_fit(message, call.span, &types, help));
            }
        }
    }
    Ok(extents)
}

/// Takes the diagonal of repeated labels and stretches extents of 1.
fn normalised(
    el: &mut Elaborator<'_>,
    operand: Labelled,
    extents: &BTreeMap<char, Size>,
    call: &Call,
) -> Outcome<Labelled> {
    let Labelled { mut x, mut labels } = operand;
    let shape = Shape(labels.iter().filter_map(|label| extents.get(label).cloned()).collect());
    x = el.builder.broadcast_to(x, shape);
    loop {
        let pair = labels
            .iter()
            .enumerate()
            .find_map(|(at, label)| labels.iter().take(at).position(|other| other == label).map(|before| (before, at)));
        let Some((near, far)) = pair else { return Ok(Labelled { x, labels }) };
        x = diagonal(el, x, (near, far), call)?;
        let label = labels.remove(far);
        labels.remove(near);
        labels.insert(0, label);
    }
}

/// The elements with equal indexes along two axes of one extent, which become one axis in front.
///
/// Behind the n * n elements of each matrix stand n more; as n rows of n + 1, the first column is the diagonal. No element
/// is computed, so that every bit stays, and n may be a symbol.
fn diagonal(
    el: &mut Elaborator<'_>,
    x: array::Value,
    (near, far): (usize, usize),
    call: &Call,
) -> Outcome<array::Value> {
    let ty = el.array_type(x);
    let others: Vec<usize> = (0..ty.shape.rank()).filter(|axis| *axis != near && *axis != far).collect();
    let rest: Vec<Size> = others.iter().filter_map(|&axis| ty.shape.0.get(axis).cloned()).collect();
    let n = ty.shape.0.get(near).cloned().unwrap_or_default();
    let with = |front: Vec<Size>| Shape(front.into_iter().chain(rest.iter().cloned()).collect());
    let (square, wide) = (n.mul(&n), n.add(&Size::from(1)));
    let (Some(square), Some(wide)) = (square, wide) else {
        return el.fail(crate::sema::diagnostics::too_large(&ty.to_string(), call.span));
    };
    let Some(padded) = square.add(&n) else {
        return el.fail(crate::sema::diagnostics::too_large(&ty.to_string(), call.span));
    };
    let x = el.builder.transpose(x, [near, far].into_iter().chain(others).collect());
    let x = el.builder.reshape(x, with(vec![square]));
    let fill = el.builder.constant(Literal::from_i64(ty.dtype, 0));
    let x = el.builder.pad(x, fill, vec![Size::from(0); rest.len() + 1], with(vec![padded]));
    let x = el.builder.reshape(x, with(vec![n.clone(), wide]));
    let (starts, steps) = (vec![Size::from(0); rest.len() + 2], vec![1; rest.len() + 2]);
    let x = el.builder.slice(x, starts, steps, with(vec![n.clone(), Size::from(1)]));
    Ok(el.builder.reshape(x, with(vec![n])))
}

fn sum_axes(el: &mut Elaborator<'_>, x: array::Value, axes: Vec<usize>) -> array::Value {
    if el.builder.ty(x).dtype == crate::base::DType::Bool {
        return if axes.is_empty() { x } else { el.builder.reduce(ReduceOp::Any, x, axes) };
    }
    el.reduced(ReduceOp::Sum, x, &axes)
}

/// Sums away the labels that nobody else wants.
fn reduced(el: &mut Elaborator<'_>, operand: Labelled, wanted: &dyn Fn(char) -> bool) -> Labelled {
    let axes: Vec<usize> =
        operand.labels.iter().enumerate().filter(|(_, label)| !wanted(**label)).map(|(axis, _)| axis).collect();
    let labels = operand.labels.iter().copied().filter(|&label| wanted(label)).collect();
    Labelled { x: sum_axes(el, operand.x, axes), labels }
}

fn arranged(el: &mut Elaborator<'_>, operand: &Labelled, order: &[char]) -> array::Value {
    let perm = order.iter().filter_map(|label| operand.labels.iter().position(|other| other == label)).collect();
    el.builder.transpose(operand.x, perm)
}

fn contract(
    el: &mut Elaborator<'_>,
    operands: Vec<Labelled>,
    output: &[char],
    extents: &BTreeMap<char, Size>,
    call: &Call,
) -> Outcome<Traced> {
    let mut rest: Vec<Labelled> =
        operands.into_iter().map(|operand| normalised(el, operand, extents, call)).collect::<Outcome<_>>()?;
    let mut left = rest.remove(0);
    while !rest.is_empty() {
        let right = rest.remove(0);
        let later = |label: char| output.contains(&label) || rest.iter().any(|o| o.labels.contains(&label));
        let (in_left, in_right) = (left.labels.clone(), right.labels.clone());
        left = reduced(el, left, &|label| later(label) || in_right.contains(&label));
        let right = reduced(el, right, &|label| later(label) || in_left.contains(&label));
        let shared: Vec<char> = left.labels.iter().copied().filter(|l| right.labels.contains(l)).collect();
        let batch: Vec<char> = shared.iter().copied().filter(|&l| later(l)).collect();
        let summed: Vec<char> = shared.iter().copied().filter(|&l| !later(l)).collect();
        let rows: Vec<char> = left.labels.iter().copied().filter(|l| !shared.contains(l)).collect();
        let columns: Vec<char> = right.labels.iter().copied().filter(|l| !shared.contains(l)).collect();
        let size =
            |labels: &[char]| Shape(labels.iter().filter_map(|label| extents.get(label).cloned()).collect()).elements();
        let (Some(b), Some(m), Some(k), Some(n)) = (size(&batch), size(&rows), size(&summed), size(&columns)) else {
            return el.fail(crate::sema::diagnostics::too_large("the contraction", call.span));
        };
        let order: Vec<char> = batch.iter().chain(&rows).chain(&summed).copied().collect();
        let x = arranged(el, &left, &order);
        let order: Vec<char> = batch.iter().chain(&summed).chain(&columns).copied().collect();
        let y = arranged(el, &right, &order);
        let x = el.builder.reshape(x, Shape(vec![b.clone(), m, k.clone()]));
        let y = el.builder.reshape(y, Shape(vec![b, k, n]));
        let product = el.builder.matmul(x, y);
        let labels: Vec<char> = batch.into_iter().chain(rows).chain(columns).collect();
        let shape = Shape(labels.iter().filter_map(|label| extents.get(label).cloned()).collect());
        left = Labelled { x: el.builder.reshape(product, shape), labels };
    }
    let left = reduced(el, left, &|label| output.contains(&label));
    Ok(Value::Array(arranged(el, &left, output)))
}
