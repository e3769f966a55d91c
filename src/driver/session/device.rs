//! Opens a device by name. Ctrl-C is wired to it by the command line.

use crate::backends::cpu::Cpu;
use crate::backends::reference::Reference;
use crate::backends::verifying::Verifying;
use crate::base::Unavailable;
use crate::driver::pipeline;
use crate::ir::array::Program;
use crate::runtime::execute::Device;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The device of this name: `cpu` or `reference`.
///
/// # Errors
/// When there is no such device, or it cannot work here.
pub fn open(name: &str, threads: Option<usize>) -> Result<Device, Unavailable> {
    let interrupt = Arc::new(AtomicBool::new(false));
    match name {
        "cpu" => Ok(Device::new(Box::new(Cpu::new(threads)?), interrupt)),
        "reference" => Ok(Device::new(Box::new(Reference::new()), interrupt)),
        _ => Err(Unavailable {
            what: format!("device `{name}`"),
            why: "there is no such device".into(),
            hint: "use `cpu`".into(),
        }),
    }
}

/// The device of this name, every run of which is repeated on the reference and compared.
///
/// # Errors
/// As [`open`].
pub fn verifying(name: &str, threads: Option<usize>) -> Result<Device, Unavailable> {
    let Device { backend, interrupt, .. } = open(name, threads)?;
    let planner = |program: &Program| Ok(pipeline::plan(program)?.plan().clone());
    Ok(Device::new(Box::new(Verifying::new(backend.into(), planner)), interrupt))
}

/// A line per device of this machine.
#[must_use]
pub fn list() -> Vec<String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    vec![
        format!("cpu        compiled kernels on {cores} threads (the default)"),
        "reference  the plain evaluator that the others are tested against".to_owned(),
    ]
}
