//! Promotion: the dtype in which operands of different dtypes meet. JAX's documented lattice.
//!
//! Arrays are strong. Host scalars are weak: an int scalar leaves any numeric array's dtype, a float scalar leaves
//! floats and makes ints the default float. <https://docs.jax.dev/en/latest/type_promotion.html>

use crate::base::DType;

/// The dtype where two arrays meet.
#[must_use]
pub fn join(a: DType, b: DType) -> DType {
    use DType::{Bf16, Bool, F16, F32, I32, I64, U8, U32};
    match (a, b) {
        _ if a == b => a,
        (Bool, other) | (other, Bool) => other,
        // Any float wins over any int.
        (float, int) | (int, float) if float.is_float() && int.is_int() => float,
        (F16, Bf16) | (Bf16, F16) => F32,
        (x, y) if x.is_float() => {
            if x.bytes() >= y.bytes() {
                x
            } else {
                y
            }
        }
        (U8, U32) | (U32, U8) => U32,
        (U8, I32) | (I32, U8) => I32,
        (U32, I32) | (I32, U32) => I64,
        _ => I64,
    }
}

/// What kind of host scalar meets an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Weak {
    /// A bool scalar.
    Bool,
    /// An int scalar.
    Int,
    /// A float scalar.
    Float,
}

/// The dtype where an array meets a host scalar.
#[must_use]
pub fn join_weak(array: DType, scalar: Weak) -> DType {
    match scalar {
        Weak::Bool => array,
        Weak::Int if array == DType::Bool => DType::I32,
        Weak::Int => array,
        Weak::Float if array.is_float() => array,
        Weak::Float => DType::F32,
    }
}

/// The dtype that a host scalar has where it must be an array by itself.
#[must_use]
pub fn default_dtype(scalar: Weak) -> DType {
    match scalar {
        Weak::Bool => DType::Bool,
        Weak::Int => DType::I32,
        Weak::Float => DType::F32,
    }
}
