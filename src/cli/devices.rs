//! `arr devices`: where arrays can live on this machine.

use super::report::DONE;
use std::io::Write;

/// Runs the command and returns the exit status.
#[must_use]
pub fn devices() -> u8 {
    let _ = writeln!(std::io::stdout(), "{}", crate::driver::session::device::list().join("\n"));
    DONE
}
