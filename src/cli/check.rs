//! `arr check FILE...`: everything is proved, nothing runs. Answers go to stdout, findings to stderr.

use super::options::{Check, Format};
use super::report::{self, DONE, FAILED};
use crate::base::Sources;
use crate::driver::examine::{Asked, Examined, json, text};
use std::io::Write;

/// Runs the command and returns the exit status.
#[must_use]
pub fn check(options: &Check) -> u8 {
    let asked = Asked {
        ledger: options.ledger,
        explain: options.explain,
        suggest: options.suggest,
        certify: options.certify,
        budget: options.budget,
        deny: options.deny.iter().flat_map(|codes| codes.0.clone()).collect(),
    };
    let json = options.format == Format::Json;
    let asked = if json { Asked { ledger: true, ..asked } } else { asked };
    let mut status = DONE;
    let mut answers = Vec::new();
    for file in &options.files {
        let program = match report::read(file) {
            Ok(program) => program,
            Err(failed) => {
                status = status.max(failed);
                continue;
            }
        };
        let mut sources = Sources::default();
        let name = file.display().to_string();
        let examined = Examined::new(&mut sources, &name, &program, &asked);
        if !examined.accepted() {
            status = status.max(FAILED);
        }
        if json {
            answers.push(json::file(&sources, &name, &examined));
        } else {
            report::findings(&sources, &examined.checked);
            let _ = std::io::stdout().write_all(text::answers(&sources, &examined, &asked).as_bytes());
        }
    }
    if json {
        let _ = writeln!(std::io::stdout(), "{:#}", json::answer(answers));
    }
    status
}
