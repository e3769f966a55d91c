//! Transcripts of the prompt: `tests/repl/*.txt` hold sessions as they print through a pipe. The lines behind `arr> ` and
//! `...> ` are fed in, the whole must come out again. `BLESS=1 cargo test --test repl` rewrites them for review.

use std::io::Write;
use std::process::{Command, Stdio};

fn session(input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_arr"))
        .arg("repl")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn transcripts_come_out_as_they_stand() {
    let mut files: Vec<_> = std::fs::read_dir("tests/repl").expect("there").flatten().map(|e| e.path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let mut wrong = String::new();
    for file in files {
        let written = std::fs::read_to_string(&file).expect("readable");
        let typed = |line: &str| line.strip_prefix("arr> ").or_else(|| line.strip_prefix("...> ")).map(str::to_owned);
        let input: String = written.lines().filter_map(typed).map(|line| line + "\n").collect();
        let actual = session(&input);
        if actual == written {
            continue;
        }
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &actual).expect("writable");
        } else {
            let diff = similar::TextDiff::from_lines(&written, &actual);
            wrong += &diff.unified_diff().header(&file.display().to_string(), "actual").to_string();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
