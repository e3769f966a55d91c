//! The prompt on a terminal, with rustyline.

use super::PROMPT;
use crate::cli::report::{self, DONE, FAILED};
use crate::driver::prompt::{Next, Prompt};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Editor, Helper};
use std::path::PathBuf;

/// What rustyline asks while a statement is typed.
struct Assistant {
    words: Vec<String>,
}

impl Completer for Assistant {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let before = line.get(..at).unwrap_or(line);
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let start =
            before.rfind(|c: char| !is_word(c)).map_or(0, |k| k + before[k..].chars().next().map_or(1, char::len_utf8));
        let word = before.get(start..).unwrap_or_default();
        let fits = |candidate: &&String| !word.is_empty() && candidate.starts_with(word);
        Ok((start, self.words.iter().filter(fits).cloned().collect()))
    }
}

impl Validator for Assistant {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let complete = context.input().trim().is_empty() || Prompt::is_complete(context.input());
        Ok(if complete { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Hinter for Assistant {
    type Hint = String;
}

impl Highlighter for Assistant {}

impl Helper for Assistant {}

/// Where earlier sessions' lines are kept.
fn history() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let state = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(state.join("arr").join("history"))
}

/// Reads statements until Ctrl-D and returns the exit status.
pub(super) fn read(mut prompt: Prompt) -> u8 {
    let mut editor: Editor<Assistant, FileHistory> = match Editor::new() {
        Ok(editor) => editor,
        Err(error) => {
            report::say(&format!("error: no line editing here: {error}\nhelp: feed the session through a pipe\n"));
            return FAILED;
        }
    };
    let file = history();
    if let Some(file) = &file {
        // No history yet is no error.
        let _ = editor.load_history(file);
    }
    report::say("arr: :help lists the commands, Ctrl-D leaves\n");
    loop {
        editor.set_helper(Some(Assistant { words: prompt.words() }));
        match editor.readline(PROMPT) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => {
                let _ = editor.add_history_entry(&text);
                if prompt.submit(&text, &mut report::say) == Next::Leave {
                    break;
                }
            }
            Err(ReadlineError::Interrupted) => report::say("(Ctrl-D leaves)\n"),
            Err(_) => break,
        }
    }
    if let Some(file) = &file {
        // A history that cannot be kept is no reason to fail.
        let kept = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        if kept.is_ok() {
            let _ = editor.save_history(file);
        }
    }
    DONE
}
