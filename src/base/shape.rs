//! The extents of an array, outermost axis first (row major).

use super::size::{Size, Symbol};

/// Extents; empty for a scalar array.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Shape(pub Vec<Size>);

impl Shape {
    /// A shape of known extents.
    #[must_use]
    pub fn known(extents: &[u64]) -> Self {
        Self(extents.iter().map(|&n| Size::from(n)).collect())
    }

    /// Number of axes.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Extents, if all are known numbers.
    #[must_use]
    pub fn extents(&self) -> Option<Vec<u64>> {
        self.0.iter().map(Size::known).collect()
    }

    /// The shape with a size in place of a symbol.
    #[must_use]
    pub fn replace(&self, symbol: &Symbol, with: &Size) -> Self {
        Self(self.0.iter().map(|extent| extent.replace(symbol, with)).collect())
    }

    /// Number of elements, as a polynomial; `None` when it does not fit 63 bits.
    #[must_use]
    pub fn elements(&self) -> Option<Size> {
        if self.0.iter().any(|extent| extent.known() == Some(0)) {
            return Some(Size::from(0));
        }
        self.0.iter().try_fold(Size::from(1), |product, extent| product.mul(extent))
    }
}

impl std::fmt::Display for Shape {
    /// `[2048, n + 1]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[")?;
        for (at, extent) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{extent}")?;
        }
        f.write_str("]")
    }
}
