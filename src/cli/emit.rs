//! `arr emit FILE --stage STAGE`: what a program becomes on its way.

use super::options::Emit;
use super::report::{self, DONE, FAILED};
use crate::driver::dump::{Undumped, dump};
use std::io::Write;

/// Runs the command and returns the exit status.
#[must_use]
pub fn emit(options: &Emit) -> u8 {
    let text = match report::read(&options.file) {
        Ok(text) => text,
        Err(status) => return status,
    };
    match dump(&options.file.display().to_string(), &text, &options.stage, options.function.as_deref()) {
        Ok(text) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            DONE
        }
        Err(Undumped::Rejected { sources, diagnostics }) => {
            report::diagnostics(&sources, &diagnostics);
            FAILED
        }
        Err(other) => {
            report::say(&format!("error: {other}\n"));
            FAILED
        }
    }
}
