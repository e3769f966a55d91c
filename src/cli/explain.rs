//! `arr explain CODE`: what a code means, with a wrong and a right program.

use super::options::Explain;
use super::report::{self, DONE, USAGE};
use crate::driver::codes;
use std::io::Write;

/// Runs the command and returns the exit status.
#[must_use]
pub fn explain(options: &Explain) -> u8 {
    let mut out = std::io::stdout();
    let Some(code) = &options.code else {
        for page in codes::all() {
            let _ = writeln!(out, "{}  {}", page.code, page.title);
        }
        return DONE;
    };
    match codes::find(code) {
        Some(page) => {
            let _ = writeln!(out, "{}", page.text());
            DONE
        }
        None => {
            report::say(&format!("error: there is no code {code}\nhelp: `arr explain` lists all\n"));
            USAGE
        }
    }
}
