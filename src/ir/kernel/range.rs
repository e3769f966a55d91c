//! The least and greatest value of an index expression, where they can be bounded.

use super::{Atom, Index};

/// Both ends included; in `i128`, where sums of products of `i64`s do not overflow by much use.
pub(super) type Range = (i128, i128);

/// The values of `index` when loop variable `k` runs over `0..extents[k]`, none of them empty.
///
/// `None` when it depends on an instruction, names no loop variable, or does not fit.
pub(super) fn range(index: &Index, extents: &[u64]) -> Option<Range> {
    let mut sum: Range = (i128::from(index.constant), i128::from(index.constant));
    for (atom, coefficient) in &index.terms {
        let (low, high) = atom_range(atom, extents)?;
        let (a, b) = (low.checked_mul(i128::from(*coefficient))?, high.checked_mul(i128::from(*coefficient))?);
        sum = (sum.0.checked_add(a.min(b))?, sum.1.checked_add(a.max(b))?);
    }
    Some(sum)
}

fn atom_range(atom: &Atom, extents: &[u64]) -> Option<Range> {
    match atom {
        Atom::Var(at) => Some((0, i128::from(extents.get(*at as usize)?.checked_sub(1)?))),
        Atom::Value(_) => None,
        Atom::Div(index, by) => {
            let (low, high) = range(index, extents)?;
            let by = i128::from(*by);
            Some((low.checked_div_euclid(by)?, high.checked_div_euclid(by)?))
        }
        Atom::Mod(index, by) => {
            let (low, high) = range(index, extents)?;
            let by = i128::from(*by);
            let same_block = low.checked_div_euclid(by)? == high.checked_div_euclid(by)?;
            Some(if same_block { (low.rem_euclid(by), high.rem_euclid(by)) } else { (0, by - 1) })
        }
    }
}

/// What the expression depends on, at any depth.
pub(super) fn atoms<'a>(index: &'a Index, visit: &mut dyn FnMut(&'a Atom)) {
    for (atom, _) in &index.terms {
        visit(atom);
        if let Atom::Div(inner, _) | Atom::Mod(inner, _) = atom {
            atoms(inner, visit);
        }
    }
}
