//! Arithmetic on index expressions: sums, products, floor division and remainder, simplified by ranges.
//!
//! Invariant: every result is in the normal form of [`Index`] and equal to the plain expression at every point of
//! the domain. A reshape of row-major elements divides and multiplies by the same extents, and `(x / c) * c + x % c`
//! becomes `x` again here, so that a contiguous reshape leaves no trace. `None` is overflow of an `i64`.

use crate::ir::kernel::{Atom, Index};

/// A number.
pub(super) fn number(constant: i64) -> Index {
    Index { terms: Vec::new(), constant }
}

/// Loop variable `at`.
pub(super) fn variable(at: usize) -> Index {
    atom(Atom::Var(at as u32))
}

/// One atom.
pub(super) fn atom(atom: Atom) -> Index {
    Index { terms: vec![(atom, 1)], constant: 0 }
}

/// `a + factor * b`.
pub(super) fn add(a: &Index, b: &Index, factor: i64) -> Option<Index> {
    let mut terms = a.terms.clone();
    for (atom, coefficient) in &b.terms {
        let scaled = coefficient.checked_mul(factor)?;
        match terms.binary_search_by(|(other, _)| other.cmp(atom)) {
            Ok(at) => {
                let slot = terms.get_mut(at)?;
                slot.1 = slot.1.checked_add(scaled)?;
            }
            Err(at) => terms.insert(at, (atom.clone(), scaled)),
        }
    }
    terms.retain(|(_, coefficient)| *coefficient != 0);
    let constant = a.constant.checked_add(b.constant.checked_mul(factor)?)?;
    recombine(Index { terms, constant })
}

/// `c * k * (x / c) + k * (x % c)` is `k * x`.
fn recombine(index: Index) -> Option<Index> {
    for (atom, coefficient) in &index.terms {
        let Atom::Mod(inner, by) = atom else { continue };
        let Ok(signed) = i64::try_from(*by) else { continue };
        let quotient = Atom::Div(inner.clone(), *by);
        let wanted = coefficient.checked_mul(signed)?;
        let Some((_, found)) = index.terms.iter().find(|(other, _)| *other == quotient) else { continue };
        if *found != wanted {
            continue;
        }
        let terms = index.terms.iter().filter(|(other, _)| other != atom && *other != quotient).cloned().collect();
        return add(&Index { terms, constant: index.constant }, inner, *coefficient);
    }
    Some(index)
}

/// Least and greatest value over the domain; `None` when unknown or the domain is empty.
pub(super) fn range(index: &Index, extents: &[u64]) -> Option<(i128, i128)> {
    let mut sum = (i128::from(index.constant), i128::from(index.constant));
    for (atom, coefficient) in &index.terms {
        let (low, high) = match atom {
            Atom::Var(at) => (0, i128::from(extents.get(*at as usize)?.checked_sub(1)?)),
            Atom::Value(_) => return None,
            Atom::Div(inner, by) => {
                let (low, high) = range(inner, extents)?;
                (low.div_euclid(i128::from(*by)), high.div_euclid(i128::from(*by)))
            }
            Atom::Mod(_, by) => (0, i128::from(*by) - 1),
        };
        let (a, b) = (low.checked_mul(i128::from(*coefficient))?, high.checked_mul(i128::from(*coefficient))?);
        sum = (sum.0.checked_add(a.min(b))?, sum.1.checked_add(a.max(b))?);
    }
    Some(sum)
}

/// `(index / by, index % by)`, both floored; `by` is not 0.
pub(super) fn divide(index: &Index, by: u64, extents: &[u64]) -> Option<(Index, Index)> {
    let signed = i64::try_from(by).ok()?;
    if signed == 1 {
        return Some((index.clone(), number(0)));
    }
    // Multiples of the divisor on one side, what is left on the other.
    let (mut whole, mut rest) = (number(index.constant.div_euclid(signed)), number(index.constant.rem_euclid(signed)));
    for (atom, coefficient) in &index.terms {
        if coefficient % signed == 0 {
            whole.terms.push((atom.clone(), coefficient / signed));
        } else {
            rest.terms.push((atom.clone(), *coefficient));
        }
    }
    if let Some((low, high)) = range(&rest, extents) {
        let quotient = low.div_euclid(i128::from(by));
        if quotient == high.div_euclid(i128::from(by)) {
            let quotient = i64::try_from(quotient).ok()?;
            let whole = add(&whole, &number(quotient), 1)?;
            let rest = add(&rest, &number(quotient.checked_mul(signed)?), -1)?;
            return Some((whole, rest));
        }
    }
    let quotient = add(&whole, &atom(Atom::Div(Box::new(rest.clone()), by)), 1)?;
    Some((quotient, atom(Atom::Mod(Box::new(rest), by))))
}

/// Row-major strides in elements.
pub(super) fn strides(extents: &[u64]) -> Option<Vec<i64>> {
    let mut strides = vec![1i64; extents.len()];
    let mut product = 1i64;
    for (stride, extent) in strides.iter_mut().zip(extents).rev() {
        *stride = product;
        product = product.checked_mul(i64::try_from((*extent).max(1)).ok()?)?;
    }
    Some(strides)
}

/// The row-major element number of a position.
pub(super) fn linear(position: &[Index], extents: &[u64]) -> Option<Index> {
    let strides = strides(extents)?;
    position.iter().zip(strides).try_fold(number(0), |sum, (index, stride)| add(&sum, index, stride))
}

/// The position, in an array of these extents, of element number `element`. `domain` bounds the loop variables.
pub(super) fn position(element: &Index, extents: &[u64], domain: &[u64]) -> Option<Vec<Index>> {
    let mut reversed = Vec::with_capacity(extents.len());
    let mut rest = element.clone();
    for (axis, extent) in extents.iter().enumerate().rev() {
        // What is left over above the first axis of more than one element is that axis's index.
        if extents.iter().take(axis).all(|&above| above == 1) {
            reversed.push(if *extent == 1 { number(0) } else { rest.clone() });
            rest = number(0);
            continue;
        }
        let (quotient, remainder) = divide(&rest, (*extent).max(1), domain)?;
        reversed.push(remainder);
        rest = quotient;
    }
    reversed.reverse();
    Some(reversed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contiguous_reshape_leaves_no_trace() {
        let domain = [6, 35];
        let flat = linear(&[variable(0), variable(1)], &domain).expect("small");
        let three = position(&flat, &[10, 3, 7], &domain).expect("small");
        assert_eq!(linear(&three, &[10, 3, 7]), Some(flat.clone()));
        // Splitting an axis: no division at all where the domain has the split axes.
        let split = position(&flat, &[6, 5, 7], &domain).expect("small");
        assert_eq!(split.first(), Some(&variable(0)));
    }

    #[test]
    fn quotients_by_ranges() {
        let domain = [4, 8];
        let flat = linear(&[variable(0), variable(1)], &domain).expect("small");
        assert_eq!(divide(&flat, 8, &domain), Some((variable(0), variable(1))));
        let shifted = add(&flat, &number(16), 1).expect("small");
        let (quotient, _) = divide(&shifted, 8, &domain).expect("small");
        assert_eq!(quotient, Index { terms: variable(0).terms, constant: 2 });
    }
}
