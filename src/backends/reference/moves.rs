//! The operations that move elements and compute none: each is a walk over offsets.

use super::array::{Elements, count, offsets, strides};
use super::broken;
use crate::backends::Stop;
use crate::base::{DType, Literal, Size};

/// Dtype and extents of a result.
type To = (DType, Vec<u64>);

/// The index along `axis`.
pub(super) fn iota(axis: usize, to: To) -> Elements {
    let along: Vec<i64> = (0..to.1.len()).map(|at| i64::from(at == axis)).collect();
    let bits = offsets(&to.1, &along, 0).into_iter().map(|at| Literal::from_i64(to.0, at).bits).collect();
    Elements { dtype: to.0, extents: to.1, bits }
}

/// The elements of `x` at these offsets.
fn pick(x: &Elements, at: Vec<i64>, to: To) -> Result<Elements, Stop> {
    let bits = at.into_iter().map(|at| Ok(x.get(at)?.bits)).collect::<Result<_, Stop>>()?;
    Ok(Elements { dtype: to.0, extents: to.1, bits })
}

/// Operand axis `k` along result axis `axes[k]`, repeated where its extent is 1.
pub(super) fn broadcast(x: &Elements, axes: &[usize], to: To) -> Result<Elements, Stop> {
    let mut along = vec![0; to.1.len()];
    for ((&axis, &extent), stride) in axes.iter().zip(&x.extents).zip(x.strides()) {
        let slot = along.get_mut(axis).ok_or_else(|| broken(format!("no axis {axis}")))?;
        *slot = if extent == 1 { 0 } else { stride };
    }
    pick(x, offsets(&to.1, &along, 0), to)
}

/// Result axis `k` is operand axis `perm[k]`.
pub(super) fn transpose(x: &Elements, perm: &[usize], to: To) -> Result<Elements, Stop> {
    let own = x.strides();
    let along: Vec<i64> = perm.iter().filter_map(|&axis| own.get(axis).copied()).collect();
    pick(x, offsets(&to.1, &along, 0), to)
}

/// Numbers of sizes that must be known.
pub(super) fn numbers(sizes: &[Size]) -> Result<Vec<i64>, Stop> {
    let number = |size: &Size| size.constant().ok_or_else(|| broken(format!("size {size} is not known")));
    sizes.iter().map(number).collect()
}

/// Element `i` of the result is `x[starts + i * steps]`.
pub(super) fn slice(x: &Elements, starts: &[i64], steps: &[i64], to: To) -> Result<Elements, Stop> {
    let start = locate(x, starts, steps, &to.1)?;
    pick(x, offsets(&to.1, &scaled(&x.strides(), steps), start), to)
}

/// `x` with element `starts + i * steps` replaced by `update[i]`.
pub(super) fn update(x: &Elements, update: &Elements, starts: &[i64], steps: &[i64]) -> Result<Elements, Stop> {
    let start = locate(x, starts, steps, &update.extents)?;
    let mut out = x.clone();
    for (at, &bits) in offsets(&update.extents, &scaled(&x.strides(), steps), start).into_iter().zip(&update.bits) {
        out.set(at, bits)?;
    }
    Ok(out)
}

fn scaled(strides: &[i64], steps: &[i64]) -> Vec<i64> {
    strides.iter().zip(steps).map(|(stride, step)| stride.wrapping_mul(*step)).collect()
}

/// The offset of the first element of a block, whose first and last indexes must be in range along every axis.
fn locate(x: &Elements, starts: &[i64], steps: &[i64], counts: &[u64]) -> Result<i64, Stop> {
    let mut offset = 0i64;
    let axes = x.extents.iter().zip(x.strides()).zip(starts.iter().zip(steps).zip(counts));
    for ((&extent, stride), ((&start, &step), &count)) in axes {
        let last = i128::from(start) + i128::from(step) * (i128::from(count) - 1);
        let range = 0..i128::from(extent);
        let inside = range.contains(&i128::from(start)) && range.contains(&last);
        if !inside && !counts.contains(&0) {
            return Err(broken(format!("a block from {start} by {step}, {count} long, leaves the extent {extent}")));
        }
        offset = offset.wrapping_add(start.wrapping_mul(stride));
    }
    Ok(offset)
}

/// `x` between `fill`s.
pub(super) fn pad(x: &Elements, fill: Literal, low: &[i64], to: To) -> Result<Elements, Stop> {
    let along = strides(&to.1);
    let kept: Vec<u64> = (x.extents.iter().zip(low).zip(&to.1))
        .map(|((&extent, &low), &out)| extent.min(out.saturating_sub(low.max(0) as u64)))
        .collect();
    let start = along.iter().zip(low).fold(0i64, |sum, (stride, low)| sum.wrapping_add(stride.wrapping_mul(*low)));
    let length = count(&to.1).ok_or_else(|| broken("too many elements"))?;
    let mut out = Elements { dtype: to.0, extents: to.1, bits: vec![fill.bits; length] };
    let from = offsets(&kept, &x.strides(), 0);
    for (from, at) in from.into_iter().zip(offsets(&kept, &along, start)) {
        out.set(at, x.get(from)?.bits)?;
    }
    Ok(out)
}

/// Operands one after the other along `axis`.
pub(super) fn concat(operands: &[&Elements], axis: usize, to: To) -> Result<Elements, Stop> {
    let along = strides(&to.1);
    let stride = along.get(axis).copied().ok_or_else(|| broken(format!("no axis {axis}")))?;
    let length = count(&to.1).ok_or_else(|| broken("too many elements"))?;
    let mut out = Elements { dtype: to.0, extents: to.1, bits: vec![0; length] };
    let mut start = 0i64;
    for x in operands {
        for (at, &bits) in offsets(&x.extents, &along, start.wrapping_mul(stride)).into_iter().zip(&x.bits) {
            out.set(at, bits)?;
        }
        start += x.extents.get(axis).map_or(0, |&extent| extent as i64);
    }
    Ok(out)
}

/// Extents before, at and after an axis, as `[outer, extent, inner]`.
fn around(extents: &[u64], axis: usize) -> Result<[u64; 3], Stop> {
    let (Some(&extent), Some(before), Some(after)) =
        (extents.get(axis), extents.get(..axis), extents.get(axis.saturating_add(1)..))
    else {
        return Err(broken(format!("no axis {axis}")));
    };
    Ok([before.iter().product(), extent, after.iter().product()])
}

/// Each index as a position below `extent`.
fn positions(index: &Elements, extent: u64) -> Result<Vec<i64>, Stop> {
    let position = |&bits: &u64| {
        let at = Literal::new(index.dtype, bits).to_i64();
        let inside = (0..extent as i64).contains(&at);
        inside.then_some(at).ok_or_else(|| broken(format!("index {at} is not below {extent}")))
    };
    index.bits.iter().map(position).collect()
}

/// Slices of `x` at `index` along `axis`.
pub(super) fn gather(x: &Elements, index: &Elements, axis: usize, to: To) -> Result<Elements, Stop> {
    let [outer, extent, inner] = around(&x.extents, axis)?.map(|n| n as i64);
    let mut at = Vec::new();
    let positions = if outer * inner == 0 { Vec::new() } else { positions(index, extent as u64)? };
    for outer in 0..outer {
        for position in &positions {
            at.extend((0..inner).map(|inner_at| (outer * extent + position) * inner + inner_at));
        }
    }
    pick(x, at, to)
}

/// `x` with slices along `axis` replaced, in order.
pub(super) fn scatter(x: &Elements, index: &Elements, updates: &Elements, axis: usize) -> Result<Elements, Stop> {
    let [outer, extent, inner] = around(&x.extents, axis)?.map(|n| n as i64);
    let mut out = x.clone();
    if outer * inner == 0 {
        return Ok(out);
    }
    let positions = positions(index, extent as u64)?;
    let taken = positions.len() as i64;
    for (number, position) in positions.into_iter().enumerate() {
        for outer in 0..outer {
            for inner_at in 0..inner {
                let from = (outer * taken + number as i64) * inner + inner_at;
                out.set((outer * extent + position) * inner + inner_at, updates.get(from)?.bits)?;
            }
        }
    }
    Ok(out)
}
