//! NVIDIA GPUs. [`ptx`] writes kernels as text; the driver of the device compiles it.

pub mod ptx;
