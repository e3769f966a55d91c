//! `arr check FILE...`: everything is proved, nothing runs.

use super::options::Check;
use super::report::{self, DONE, FAILED};
use crate::base::Sources;
use crate::driver::checked::Checked;

/// Runs the command and returns the exit status.
#[must_use]
pub fn check(options: &Check) -> u8 {
    let mut status = DONE;
    for file in &options.files {
        let text = match report::read(file) {
            Ok(text) => text,
            Err(failed) => {
                status = status.max(failed);
                continue;
            }
        };
        let mut sources = Sources::default();
        let checked = Checked::new(&mut sources, &file.display().to_string(), &text, &[]);
        report::diagnostics(&sources, &checked.diagnostics);
        if !checked.accepted() {
            status = status.max(FAILED);
        }
    }
    status
}
