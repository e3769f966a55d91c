//! The ground floor: plain data that every room shares, and that knows of no language.
//!
//! Spans and sources, diagnostics as data, the other three kinds of error, dtypes, sizes and shapes.

pub mod span;
pub mod source;
pub mod diagnostic;
pub mod error;
pub mod dtype;
pub mod size;
pub mod shape;
pub mod bytes;

pub use diagnostic::{Code, Diagnostic, Label, Severity};
pub use dtype::{DType, Literal};
pub use error::{Broken, Fault, Unavailable};
pub use shape::Shape;
pub use size::{Size, Symbol};
pub use source::{SourceId, Sources};
pub use span::Span;
