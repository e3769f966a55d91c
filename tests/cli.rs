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

#[test]
fn check_answers_in_json() {
    let good = file("json.arr", "x = ones([4])\ny = x * 2.0\njit f(donate p) = p @ p\nz = f(ones([2, 2]))\n");
    let bad = file("json-bad.arr", "jit f(donate p) = p * 0.5\np = ones([2])\nq = f(p)\nprint(p)\n");
    let check = arr(&["check", "--format", "json", "--suggest", "--certify", &good, &bad]);
    assert_eq!((check.status.code(), err(&check).as_str()), (Some(1), ""));
    let answer: serde_json::Value = serde_json::from_str(&out(&check)).expect("one JSON object");
    assert_eq!(answer["version"], 1);
    let (good, bad) = (&answer["files"][0], &answer["files"][1]);
    assert_eq!((&good["accepted"], &bad["accepted"]), (&true.into(), &false.into()));
    let second = &good["ledger"]["statements"][1]["ledgers"][0];
    assert_eq!((&second["count"], &second["bytes"]), (&2.into(), &32.into()));
    assert_eq!(second["arrays"][1]["holders"][0], "y");
    assert_eq!(good["verdicts"][0]["verdict"], "handed over");
    assert_eq!(good["verdicts"][0]["extra_bytes"], 16);
    assert_eq!(good["diagnostics"][0]["code"], "W0302");
    assert!(
        good["certificates"]
            .as_array()
            .is_some_and(|all| all.len() == 4 && all.iter().all(|one| one["accepted"] == true))
    );
    assert_eq!(bad["diagnostics"][0]["code"], "E0301");
    let span = &bad["diagnostics"][0]["labels"][0]["span"];
    assert_eq!((&span["line"], &span["column"], &span["start"]), (&4.into(), &7.into(), &55.into()));
    assert!(bad["ledger"].is_null());
}

#[test]
fn budgets_and_denials_decide_the_exit_status() {
    let program = file("budget.arr", "x = ones([1024])\njit f(donate p) = p + flip(p)\nx = f(x)\nprint(x[0])\n");
    let status = |args: &[&str]| arr(args).status.code();
    assert_eq!(status(&["check", "--budget", "8KiB", &program]), Some(0));
    assert_eq!(status(&["check", "--budget", "8191", &program]), Some(1));
    assert_eq!(status(&["check", "--budget", "lots", &program]), Some(2));
    assert_eq!(status(&["check", "--deny", "capture", &program]), Some(0));
    assert_eq!(status(&["check", "--deny", "capture,handed-over", &program]), Some(1));
    assert_eq!(status(&["check", "--deny", "W0302", &program]), Some(1));
    assert_eq!(status(&["check", "--deny", "wings", &program]), Some(2));
    let run = arr(&["run", "--budget", "8KiB", "--verify", &program]);
    assert_eq!((run.status.code(), out(&run).as_str()), (Some(0), "2.0\n"), "{}", err(&run));
    let run = arr(&["run", "--budget", "4KiB", &program]);
    assert_eq!((run.status.code(), out(&run).as_str()), (Some(1), ""), "nothing runs");
}

#[test]
fn the_predicted_ledger_is_that_of_the_run() {
    let program =
        file("same.arr", "x = ones([1024])\njit f(p) = p + x\ny = f(x)\nfor i in 0..3 { y = y * 0.5 }\ndel x\n");
    let (check, run) = (arr(&["check", "--ledger", &program]), arr(&["run", "--ledger", &program]));
    let check = out(&check);
    let end = check.find("at the end").expect("the ledger at the end");
    let lines = check[..end].lines().filter(|line| !line.starts_with(&program));
    assert_eq!(lines.collect::<Vec<_>>(), out(&run).lines().collect::<Vec<_>>());
}
