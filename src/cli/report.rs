//! Reading files and writing findings, the same for every command.

use crate::base::{Diagnostic, Sources};
use crate::driver::checked::Checked;
use crate::driver::failure::Failure;
use crate::driver::render::{self, Style};
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Accepted, or ran.
pub const DONE: u8 = 0;
/// Rejected, or failed at run time.
pub const FAILED: u8 = 1;
/// Wrong usage.
pub const USAGE: u8 = 2;

/// Plain unless standard error is a terminal and `NO_COLOR` is not set.
#[must_use]
pub fn style() -> Style {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Style { fancy: std::io::stderr().is_terminal() && !plain }
}

/// Writes to standard error; nobody reading it is no reason to fail.
pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The text of a file, or the exit status after saying why not.
///
/// # Errors
/// [`USAGE`] when it cannot be read.
pub fn read(path: &Path) -> Result<String, u8> {
    let bytes = std::fs::read(path).map_err(|error| {
        say(&format!("error: cannot read {}: {error}\nhelp: name an existing .arr file\n", path.display()));
        USAGE
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        say(&format!("error: {} is not UTF-8 (byte {at})\nhelp: save the file as UTF-8\n", path.display()));
        FAILED
    })
}

/// Draws all that a check found, a bug of ours included.
pub fn findings(sources: &Sources, checked: &Checked) {
    say(&render::findings(sources, checked, style()));
}

/// Draws findings.
pub fn diagnostics(sources: &Sources, all: &[Diagnostic]) {
    for one in all {
        say(&render::diagnostic(sources, one, style()));
    }
}

/// Draws a failure.
pub fn failure(sources: &Sources, failure: &Failure) {
    say(&render::failure(sources, failure, style()));
}
