//! Whole arrays on the host: as bytes at the door ([`Array`]), one `u64` of bits per element inside ([`Elements`]).
//!
//! Row major; `bits.len()` is the product of `extents`.

use super::broken;
use crate::backends::Stop;
use crate::base::{DType, Literal};
use crate::ir::array::ArrayType;

/// An array on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// Element type.
    pub dtype: DType,
    /// Extents, outermost first.
    pub extents: Vec<u64>,
    /// Little-endian elements in row-major order.
    pub bytes: Vec<u8>,
}

impl Array {
    /// An array of these elements; each is taken by its bits.
    #[must_use]
    pub fn new(dtype: DType, extents: &[u64], elements: &[Literal]) -> Self {
        let bits = elements.iter().map(|element| element.bits).collect();
        Elements { dtype, extents: extents.to_vec(), bits }.to_array()
    }

    /// The elements in row-major order.
    #[must_use]
    pub fn elements(&self) -> Vec<Literal> {
        bits_of(self.dtype, &self.bytes).map(|bits| Literal::new(self.dtype, bits)).collect()
    }
}

fn bits_of(dtype: DType, bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks_exact(dtype.bytes()).map(|chunk| {
        let mut wide = [0; 8];
        for (to, from) in wide.iter_mut().zip(chunk) {
            *to = *from;
        }
        u64::from_le_bytes(wide)
    })
}

/// What the interpreter computes with.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Elements {
    pub(super) dtype: DType,
    pub(super) extents: Vec<u64>,
    pub(super) bits: Vec<u64>,
}

impl Elements {
    /// The elements that `bytes` hold.
    pub(super) fn from_bytes(dtype: DType, extents: Vec<u64>, bytes: &[u8]) -> Result<Self, Stop> {
        let bits: Vec<u64> = bits_of(dtype, bytes).collect();
        if count(&extents) != Some(bits.len()) {
            return Err(broken(format!("{} elements do not fill {extents:?}", bits.len())));
        }
        Ok(Self { dtype, extents, bits })
    }

    /// One element of rank 0.
    pub(super) fn scalar(literal: Literal) -> Self {
        Self { dtype: literal.dtype, extents: Vec::new(), bits: vec![literal.bits] }
    }

    /// The array with its elements packed.
    pub(super) fn to_array(&self) -> Array {
        let width = self.dtype.bytes();
        let bytes = self.bits.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(width)).collect();
        Array { dtype: self.dtype, extents: self.extents.clone(), bytes }
    }

    /// Element at a row-major offset.
    pub(super) fn get(&self, offset: i64) -> Result<Literal, Stop> {
        let bits = usize::try_from(offset).ok().and_then(|at| self.bits.get(at));
        bits.map(|&bits| Literal::new(self.dtype, bits))
            .ok_or_else(|| broken(format!("element {offset} of {} read", self.bits.len())))
    }

    /// Replaces the element at a row-major offset.
    pub(super) fn set(&mut self, offset: i64, bits: u64) -> Result<(), Stop> {
        let len = self.bits.len();
        let slot = usize::try_from(offset).ok().and_then(|at| self.bits.get_mut(at));
        *slot.ok_or_else(|| broken(format!("element {offset} of {len} written")))? = bits;
        Ok(())
    }

    /// Distance in elements between neighbours along each axis.
    pub(super) fn strides(&self) -> Vec<i64> {
        strides(&self.extents)
    }

    /// The only element of a rank-0 array.
    pub(super) fn item(&self) -> Result<Literal, Stop> {
        self.get(0)
    }
}

/// Dtype and known extents of a type.
pub(super) fn known(ty: &ArrayType) -> Result<(DType, Vec<u64>), Stop> {
    let extents = ty.shape.extents().ok_or_else(|| broken(format!("extents of {ty} are not known")))?;
    Ok((ty.dtype, extents))
}

/// Number of elements, if it fits memory.
pub(super) fn count(extents: &[u64]) -> Option<usize> {
    if extents.contains(&0) {
        return Some(0);
    }
    extents.iter().try_fold(1usize, |product, &n| product.checked_mul(usize::try_from(n).ok()?))
}

/// Row-major strides in elements.
pub(super) fn strides(extents: &[u64]) -> Vec<i64> {
    let mut stride = 1i64;
    let mut all: Vec<i64> = extents
        .iter()
        .rev()
        .map(|&extent| {
            let own = stride;
            stride = stride.wrapping_mul(extent as i64);
            own
        })
        .collect();
    all.reverse();
    all
}

/// `start + sum of index[k] * strides[k]` for every index below `extents`, in row-major order.
pub(super) fn offsets(extents: &[u64], strides: &[i64], start: i64) -> Vec<i64> {
    let mut all = vec![start];
    for (&extent, &stride) in extents.iter().zip(strides) {
        let along = |from: i64| (0..extent as i64).map(move |i| from.wrapping_add(i.wrapping_mul(stride)));
        all = all.into_iter().flat_map(along).collect();
    }
    all
}
