//! NVIDIA GPUs: kernels as PTX text of our own writing, launched through the driver.
//!
//! `ptx` writes the text of a kernel, `lower` turns a plan into launches. Both are pure: they need no device.

pub mod lower;
pub mod ptx;
