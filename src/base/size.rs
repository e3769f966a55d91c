//! Sizes: polynomials with integer coefficients over named dims, kept in normal form.
//!
//! `m * n + 2` and `2 + n * m` are the same value, so equality of sizes is equality of polynomials: a proof for
//! every size. A symbol is universally quantified over the integers `>= 0` unless its name says otherwise.
//! All arithmetic is checked: what does not fit an `i64` coefficient is `None`, never a wrapped number.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A named dim, or a number that is known only while running.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub Rc<str>);

impl Symbol {
    /// The symbol of this name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(Rc::from(name))
    }
}

/// A product of powers of symbols, sorted; empty for the constant term.
type Monomial = Vec<(Symbol, u32)>;

fn degree(monomial: &Monomial) -> u32 {
    monomial.iter().map(|(_, power)| *power).sum()
}

/// A polynomial; the form is normal: sorted monomials, no zero coefficients.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Size {
    /// A number.
    Known(i64),
    /// At least one symbol occurs.
    Polynomial(Rc<BTreeMap<Monomial, i64>>),
}

impl Default for Size {
    fn default() -> Self {
        Self::Known(0)
    }
}

impl From<u64> for Size {
    fn from(value: u64) -> Self {
        Self::Known(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<i64> for Size {
    fn from(value: i64) -> Self {
        Self::Known(value)
    }
}

impl From<i32> for Size {
    fn from(value: i32) -> Self {
        Self::Known(i64::from(value))
    }
}

impl Size {
    /// The size that is this symbol.
    #[must_use]
    pub fn symbol(symbol: Symbol) -> Self {
        Self::Polynomial(Rc::new(BTreeMap::from([(vec![(symbol, 1)], 1)])))
    }

    /// The number, if it is one and not negative.
    #[must_use]
    pub fn known(&self) -> Option<u64> {
        self.constant().and_then(|n| u64::try_from(n).ok())
    }

    /// The number, if it is one.
    #[must_use]
    pub fn constant(&self) -> Option<i64> {
        match self {
            Self::Known(n) => Some(*n),
            Self::Polynomial(_) => None,
        }
    }

    /// The symbol, if it is exactly one.
    #[must_use]
    pub fn as_symbol(&self) -> Option<&Symbol> {
        let Self::Polynomial(terms) = self else { return None };
        let (monomial, 1) = terms.iter().next()? else { return None };
        match monomial.as_slice() {
            [(symbol, 1)] if terms.len() == 1 => Some(symbol),
            _ => None,
        }
    }

    /// Whether any symbol occurs.
    #[must_use]
    pub fn is_symbolic(&self) -> bool {
        matches!(self, Self::Polynomial(_))
    }

    /// Every symbol that occurs, sorted.
    #[must_use]
    pub fn symbols(&self) -> Vec<Symbol> {
        let Self::Polynomial(terms) = self else { return Vec::new() };
        let mut all: Vec<Symbol> = terms.keys().flatten().map(|(symbol, _)| symbol.clone()).collect();
        all.sort();
        all.dedup();
        all
    }

    /// The highest total power of a term: 0 for a number, 2 for `n * m + 1`.
    #[must_use]
    pub fn degree(&self) -> u32 {
        match self {
            Self::Known(_) => 0,
            Self::Polynomial(terms) => terms.keys().map(degree).max().unwrap_or(0),
        }
    }

    fn terms(&self) -> BTreeMap<Monomial, i64> {
        match self {
            Self::Known(0) => BTreeMap::new(),
            Self::Known(n) => BTreeMap::from([(Vec::new(), *n)]),
            Self::Polynomial(terms) => terms.as_ref().clone(),
        }
    }

    fn normal(mut terms: BTreeMap<Monomial, i64>) -> Self {
        terms.retain(|_, coefficient| *coefficient != 0);
        match terms.iter().next() {
            None => Self::Known(0),
            Some((monomial, n)) if terms.len() == 1 && monomial.is_empty() => Self::Known(*n),
            Some(_) => Self::Polynomial(Rc::new(terms)),
        }
    }

    /// Sum; `None` on overflow.
    #[must_use]
    pub fn add(&self, other: &Self) -> Option<Self> {
        if let (Self::Known(a), Self::Known(b)) = (self, other) {
            return a.checked_add(*b).map(Self::Known);
        }
        let mut terms = self.terms();
        for (monomial, coefficient) in other.terms() {
            let sum = terms.entry(monomial).or_insert(0);
            *sum = sum.checked_add(coefficient)?;
        }
        Some(Self::normal(terms))
    }

    /// Negation; `None` on overflow.
    #[must_use]
    pub fn neg(&self) -> Option<Self> {
        self.mul(&Self::Known(-1))
    }

    /// Difference; `None` on overflow.
    #[must_use]
    pub fn sub(&self, other: &Self) -> Option<Self> {
        self.add(&other.neg()?)
    }

    /// Product; `None` on overflow.
    #[must_use]
    pub fn mul(&self, other: &Self) -> Option<Self> {
        if let (Self::Known(a), Self::Known(b)) = (self, other) {
            return a.checked_mul(*b).map(Self::Known);
        }
        let mut terms = BTreeMap::new();
        for (left, a) in self.terms() {
            for (right, b) in other.terms() {
                let mut powers: BTreeMap<Symbol, u32> = BTreeMap::new();
                for (symbol, power) in left.iter().chain(&right) {
                    let sum = powers.entry(symbol.clone()).or_insert(0);
                    *sum = sum.checked_add(*power)?;
                }
                let sum = terms.entry(powers.into_iter().collect()).or_insert(0i64);
                *sum = sum.checked_add(a.checked_mul(b)?)?;
            }
        }
        Some(Self::normal(terms))
    }

    /// The exact quotient by a monomial or number, if there is one.
    #[must_use]
    pub fn div_exact(&self, divisor: &Self) -> Option<Self> {
        let below = divisor.terms();
        let (monomial, coefficient) = below.iter().next()?;
        if below.len() != 1 {
            return (self == divisor).then_some(Self::Known(1));
        }
        let mut terms = BTreeMap::new();
        for (above, a) in self.terms() {
            let mut powers: BTreeMap<Symbol, u32> = above.into_iter().collect();
            for (symbol, power) in monomial {
                let left = powers.get(symbol)?.checked_sub(*power)?;
                if left == 0 {
                    powers.remove(symbol);
                } else {
                    powers.insert(symbol.clone(), left);
                }
            }
            if a.checked_rem(*coefficient)? != 0 {
                return None;
            }
            terms.insert(powers.into_iter().collect(), a.checked_div(*coefficient)?);
        }
        Some(Self::normal(terms))
    }

    /// The value with each symbol replaced; `None` on overflow or where `value` has no answer.
    #[must_use]
    pub fn substitute(&self, value: &dyn Fn(&Symbol) -> Option<Self>) -> Option<Self> {
        let Self::Polynomial(terms) = self else { return Some(self.clone()) };
        let mut sum = Self::Known(0);
        for (monomial, coefficient) in terms.iter() {
            let mut product = Self::Known(*coefficient);
            for (symbol, power) in monomial {
                let factor = value(symbol)?;
                for _ in 0..*power {
                    product = product.mul(&factor)?;
                }
            }
            sum = sum.add(&product)?;
        }
        Some(sum)
    }

    /// The size with another one in place of a symbol; itself where that would not fit.
    #[must_use]
    pub fn replace(&self, symbol: &Symbol, with: &Self) -> Self {
        let value = |other: &Symbol| Some(if other == symbol { with.clone() } else { Self::symbol(other.clone()) });
        match self {
            Self::Known(_) => self.clone(),
            Self::Polynomial(_) => self.substitute(&value).unwrap_or_else(|| self.clone()),
        }
    }

    /// What is missing for two different sizes to be equal: two sizes without a term or factor in common, as in
    /// `n + m` and `2 * n`, which are equal where `m` is `n`.
    #[must_use]
    pub fn missing(&self, other: &Self) -> Option<(Self, Self)> {
        let mut terms = self.sub(other)?.terms();
        let divisor = terms.values().fold(0, |divisor, n| greatest_divisor(divisor, n.unsigned_abs()));
        let divisor = i64::try_from(divisor).ok().filter(|divisor| *divisor > 0)?;
        terms.values_mut().for_each(|coefficient| *coefficient /= divisor);
        let common: Vec<(Symbol, u32)> = terms
            .keys()
            .next()?
            .iter()
            .filter_map(|(symbol, _)| {
                let power = |monomial: &Monomial| {
                    monomial.iter().find(|(other, _)| other == symbol).map_or(0, |(_, power)| *power)
                };
                terms.keys().map(power).min().filter(|power| *power > 0).map(|power| (symbol.clone(), power))
            })
            .collect();
        let reduced = |monomial: &Monomial| {
            let left = monomial.iter().map(|(symbol, power)| {
                let shared = common.iter().find(|(other, _)| other == symbol).map_or(0, |(_, shared)| *shared);
                (symbol.clone(), power - shared)
            });
            left.filter(|(_, power)| *power > 0).collect::<Monomial>()
        };
        let side = |sign: i64| {
            let own = terms.iter().filter(|(_, coefficient)| coefficient.signum() == sign);
            Self::normal(own.map(|(monomial, coefficient)| (reduced(monomial), coefficient.abs())).collect())
        };
        Some((side(1), side(-1)))
    }

    /// Whether it is `>= 0` for all symbols `>= 0` because no coefficient is negative (sufficient, not necessary).
    #[must_use]
    pub fn is_nonnegative(&self) -> bool {
        match self {
            Self::Known(n) => *n >= 0,
            Self::Polynomial(terms) => terms.values().all(|coefficient| *coefficient >= 0),
        }
    }
}

fn greatest_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl std::fmt::Display for Size {
    /// `n * m + 2 * n - 1`: highest terms first.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let terms = match self {
            Self::Known(n) => return write!(f, "{n}"),
            Self::Polynomial(terms) => terms,
        };
        let mut sorted: Vec<_> = terms.iter().collect();
        sorted.sort_by_key(|(monomial, _)| std::cmp::Reverse(degree(monomial)));
        for (at, (monomial, coefficient)) in sorted.into_iter().enumerate() {
            let sign = if *coefficient < 0 { "-" } else { "+" };
            match (at, sign) {
                (0, "-") => f.write_str("-")?,
                (0, _) => {}
                _ => write!(f, " {sign} ")?,
            }
            let size = coefficient.unsigned_abs();
            let mut factors: Vec<String> = Vec::new();
            if size != 1 || monomial.is_empty() {
                factors.push(size.to_string());
            }
            for (symbol, power) in monomial {
                factors.push(if *power == 1 { symbol.0.to_string() } else { format!("{} ** {power}", symbol.0) });
            }
            f.write_str(&factors.join(" * "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sym(name: &str) -> Size {
        Size::symbol(Symbol::new(name))
    }

    #[test]
    fn equal_polynomials_are_equal_values() {
        let (n, one) = (sym("n"), Size::from(1));
        let product = n.add(&one).and_then(|a| a.mul(&n.sub(&one)?));
        let expanded = n.mul(&n).and_then(|a| a.sub(&one));
        assert_eq!(product, expanded);
        assert_eq!(product.map(|p| p.to_string()).as_deref(), Some("n ** 2 - 1"));
    }

    #[test]
    fn overflow_is_none() {
        assert_eq!(Size::from(1i64 << 40).mul(&Size::from(1i64 << 40)), None);
    }

    #[test]
    fn missing_equalities_have_nothing_in_common() {
        let (n, m, k) = (sym("n"), sym("m"), sym("k"));
        let sum = n.add(&m).and_then(|sum| sum.mul(&Size::from(4)));
        let double = n.mul(&Size::from(8));
        assert_eq!(sum.zip(double).and_then(|(a, b)| a.missing(&b)), Some((m.clone(), n.clone())));
        let (a, b) = (n.mul(&k), m.mul(&k));
        assert_eq!(a.zip(b).and_then(|(a, b)| a.missing(&b)), Some((n, m)));
    }

    #[test]
    fn exact_division() {
        let (n, m) = (sym("n"), sym("m"));
        let product = n.mul(&m).and_then(|p| p.mul(&Size::from(6)));
        assert_eq!(product.and_then(|p| p.div_exact(&n)), m.mul(&Size::from(6)));
        assert_eq!(n.add(&Size::from(1)).and_then(|p| p.div_exact(&n)), None);
    }
}
