//! `arr repl`: the prompt on a terminal (history, completion, several lines), or fed through a pipe.
//!
//! Through a pipe the input is echoed behind the prompt, so that the output reads like the session did.

mod terminal;

use super::options::Repl;
use super::report::{self, DONE, FAILED};
use crate::base::Sources;
use crate::driver::failure::Failure;
use crate::driver::prompt::{Next, Prompt};
use crate::driver::session::{Session, device};
use std::io::{BufRead, IsTerminal, Write};
use std::sync::atomic::Ordering;

/// Before a statement.
pub(super) const PROMPT: &str = "arr> ";
/// Before a further line of one.
const CONTINUED: &str = "...> ";

/// Runs the command and returns the exit status.
#[must_use]
pub fn repl(options: &Repl) -> u8 {
    let device = match device::open(options.device.backend(), options.threads) {
        Ok(device) => device,
        Err(unavailable) => {
            report::failure(&Sources::default(), &Failure::Unavailable(unavailable));
            return FAILED;
        }
    };
    let interrupt = device.interrupt.clone();
    // Without a handler Ctrl-C still ends the program, as it does elsewhere.
    let _ = ctrlc::set_handler(move || interrupt.store(true, Ordering::Relaxed));
    let terminal = std::io::stdin().is_terminal();
    let mut prompt = Prompt::new(Session::new(device, Box::new(std::io::stdout())), report::style());
    if let Some(file) = &options.file {
        let text = match report::read(file) {
            Ok(text) => text,
            Err(status) => return status,
        };
        if prompt.load(&file.display().to_string(), &text, &mut report::say) == Next::Leave {
            return DONE;
        }
    }
    if terminal { terminal::read(prompt) } else { piped(prompt) }
}

fn piped(mut prompt: Prompt) -> u8 {
    // Findings go where the values go: a transcript keeps its order.
    let mut say = |text: &str| {
        let _ = std::io::stdout().write_all(text.as_bytes());
    };
    let mut pending = String::new();
    for line in std::io::stdin().lock().split(b'\n') {
        let Ok(line) = line else { break };
        let line = String::from_utf8_lossy(&line).into_owned();
        say(if pending.is_empty() { PROMPT } else { CONTINUED });
        say(&format!("{}\n", line.trim_end_matches('\r')));
        pending.push_str(&line);
        pending.push('\n');
        if pending.trim().is_empty() {
            pending.clear();
        } else if Prompt::is_complete(&pending) && prompt.submit(&std::mem::take(&mut pending), &mut say) == Next::Leave
        {
            return DONE;
        }
    }
    if !pending.trim().is_empty() {
        prompt.submit(&pending, &mut say);
    }
    DONE
}
