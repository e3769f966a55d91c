//! `arr fmt FILE...`: one way to write a program; comments stay, meaning stays.

use super::options::Fmt;
use super::report::{self, DONE, FAILED};
use crate::base::Sources;
use crate::driver::checked::formatted;
use std::io::Write;

/// Runs the command and returns the exit status.
#[must_use]
pub fn fmt(options: &Fmt) -> u8 {
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
        let name = file.display().to_string();
        match formatted(&mut sources, &name, &text) {
            Ok(formatted) if formatted == text => {}
            Ok(_) if options.check => {
                // The list of unformatted files is the output of this command.
                let _ = writeln!(std::io::stdout(), "{name}");
                status = status.max(FAILED);
            }
            Ok(formatted) => {
                if let Err(error) = std::fs::write(file, formatted) {
                    report::say(&format!("error: cannot write {name}: {error}\nhelp: check its permissions\n"));
                    status = status.max(FAILED);
                }
            }
            Err(found) => {
                report::diagnostics(&sources, &found);
                status = status.max(FAILED);
            }
        }
    }
    status
}
