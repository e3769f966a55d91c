//! Cranelift.
