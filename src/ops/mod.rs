//! The operation table: pure data about operations, with no memory and no device.
//!
//! Scalar operations and their exact meaning, the formulas of `exp` and the rest over them, the built-ins with
//! their type and shape rules.

pub mod scalar;
pub mod promote;
pub mod evaluate;
pub mod formula;
