//! The command line as scripts meet it: exit statuses, where output goes, plain text through pipes.

use std::process::{Command, Output};

fn arr(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_arr")).args(args).output().expect("the binary starts")
}

fn file(name: &str, text: &str) -> String {
    let path = std::env::temp_dir().join(format!("arr-cli-{}-{name}", std::process::id()));
    std::fs::write(&path, text).expect("writable");
    path.display().to_string()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn exit_statuses_say_how_it_went() {
    let good = file("good.arr", "print(sum(ones([3])))\n");
    let bad = file("bad.arr", "print(\"no\")\nones([2]) + ones([3])\n");
    let fails = file("fails.arr", "print(1)\nx = arange(3)\ni = 5\nprint(x[i])\n");
    let run = arr(&["run", &good]);
    assert_eq!((run.status.code(), out(&run).as_str()), (Some(0), "3.0\n"));
    let run = arr(&["run", &bad]);
    assert_eq!((run.status.code(), out(&run).as_str()), (Some(1), ""), "nothing of a rejected program runs");
    assert!(err(&run).contains("E0210") && !err(&run).contains('\u{1b}'), "{}", err(&run));
    let run = arr(&["run", &fails]);
    assert_eq!((run.status.code(), out(&run).as_str()), (Some(1), "1\n"));
    assert!(err(&run).contains("R0002"));
    assert_eq!(arr(&["check", &good]).status.code(), Some(0));
    assert_eq!(arr(&["check", &good, &bad]).status.code(), Some(1));
    assert_eq!(arr(&["run"]).status.code(), Some(2));
    assert_eq!(arr(&["run", "no-such-file.arr"]).status.code(), Some(2));
    assert_eq!(arr(&["frobnicate"]).status.code(), Some(2));
}

#[test]
fn help_lists_the_commands() {
    let help = out(&arr(&["--help"]));
    for command in ["run", "check", "repl", "emit", "explain", "fmt", "devices"] {
        assert!(help.contains(command), "{command}");
    }
}

#[test]
fn fmt_formats_and_checks() {
    let ugly = file("ugly.arr", "x=ones( [2,3] )   # why\n");
    assert_eq!(arr(&["fmt", "--check", &ugly]).status.code(), Some(1));
    assert_eq!(arr(&["fmt", &ugly]).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(&ugly).expect("there"), "x = ones([2, 3])  # why\n");
    assert_eq!(arr(&["fmt", "--check", &ugly]).status.code(), Some(0));
}

#[test]
fn emit_shows_every_stage() {
    for stage in ["tokens", "ast", "ir", "plan", "kernels", "clif", "asm"] {
        let dump = arr(&["emit", "examples/rotate.arr", "--stage", stage]);
        assert_eq!(dump.status.code(), Some(0), "{stage}: {}", err(&dump));
        assert!(out(&dump).lines().count() > 3, "{stage}: {}", out(&dump));
    }
    let one = arr(&["emit", "examples/rotate.arr", "--stage", "ir", "--function", "update"]);
    assert!(out(&one).contains("mul"), "{}", out(&one));
    assert_eq!(arr(&["emit", "examples/rotate.arr", "--stage", "ir", "--function", "none"]).status.code(), Some(1));
    assert_eq!(arr(&["emit", "examples/rotate.arr", "--stage", "soup"]).status.code(), Some(2));
}

#[test]
fn codes_are_explained() {
    let page = arr(&["explain", "e0301"]);
    assert_eq!(page.status.code(), Some(0));
    assert!(out(&page).contains("given away"));
    assert_eq!(arr(&["explain", "E9999"]).status.code(), Some(2));
    assert_eq!(arr(&["devices"]).status.code(), Some(0));
}

#[test]
fn the_ledger_is_printed_after_each_statement() {
    let run = arr(&["run", "--ledger", "examples/rotate.arr"]);
    assert!(out(&run).contains("+ p  f32[4]  16 B"), "{}", out(&run));
}

#[test]
fn results_do_not_depend_on_threads_or_device() {
    let text = "x = arange(200000, f32) * 0.001\nprint(sum(x), sum(sin(x)), softmax(x)[5:8], x @ x)\n";
    let program = file("threads.arr", text);
    let one = out(&arr(&["run", "--threads", "1", &program]));
    assert_eq!(one, out(&arr(&["run", "--threads", "2", &program])));
    assert!(!one.is_empty());
}
