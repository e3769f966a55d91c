//! The front end under inputs that nobody would write: noise, broken brackets, nestings without end.
//!
//! Nothing may panic or exhaust a small stack; the formatter must keep every meaning and reach its end in one step.

use arr::base::SourceId;
use arr::syntax::{dump_ast, dump_tokens, format, is_complete, parse};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// Runs everything that takes a text; returns how many findings there were.
fn survive(text: &str) -> usize {
    let parsed = parse(SourceId::default(), text);
    let dump = dump_ast(&parsed.program);
    assert_eq!(dump_tokens(text).is_empty(), dump_tokens(text).lines().next().is_none());
    let _ = is_complete(text);
    assert_eq!(
        parsed.diagnostics.is_empty(),
        !dump.lines().any(|line| line.trim() == "error"),
        "findings and error statements go together:\n{text}\n{dump}\n{:#?}",
        parsed.diagnostics
    );
    for finding in &parsed.diagnostics {
        for label in &finding.labels {
            let range = label.span.start as usize..label.span.end as usize;
            assert!(text.get(range).is_some(), "{finding:?} points outside {text:?}");
        }
    }
    match format(text) {
        Ok(_) => assert_format_keeps(text),
        Err(findings) => assert!(!findings.is_empty()),
    }
    parsed.diagnostics.len()
}

fn assert_format_keeps(text: &str) {
    let once = format(text).unwrap_or_else(|findings| panic!("{text}\n{findings:#?}"));
    let twice = format(&once).unwrap_or_else(|findings| panic!("from\n{text}\nto\n{once}\n{findings:#?}"));
    assert_eq!(once, twice, "formatting twice differs from formatting once, for\n{text}");
    let (before, after) = (parse(SourceId::default(), text), parse(SourceId::default(), &once));
    assert_eq!(dump_ast(&before.program), dump_ast(&after.program), "the meaning changed from\n{text}\nto\n{once}");
    let comments = |text: &str| {
        let tokens = dump_tokens(text);
        tokens.lines().filter_map(|line| line.split_once(" Comment ")).map(|(_, c)| c.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(comments(text), comments(&once), "a comment was lost or moved");
}

const WORDS: &[&str] = &[
    "x",
    "f",
    "step",
    "newaxis",
    "f32",
    "1",
    "0",
    "2.5",
    "1.",
    ".5",
    "1e-8",
    "\"s\"",
    "true",
    "jit",
    "fn",
    "donate",
    "del",
    "for",
    "in",
    "while",
    "if",
    "else",
    "and",
    "or",
    "not",
    "bench",
    "assert",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ":",
    ".",
    "..",
    "...",
    "->",
    "=",
    "+=",
    "**=",
    "<",
    "==",
    "|",
    "<<",
    "+",
    "-",
    "*",
    "//",
    "@",
    "**",
    "~",
    "\n",
    "\n",
    "# c\n",
    " ",
    "\"",
    "\\",
    "é",
    "$",
    "{ x }",
    "x: f32[n]",
];

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "x", "y", "step", "1", "0.5", "1.", ".5", "\"a\\n\"", "true", "p.w", "f32", "()", "{}", "[]", "1 .e5",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(5, 40, 4, |inner| {
        let operator = prop::sample::select(vec![
            "+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|", "^", "and", "or",
        ]);
        let space = prop::sample::select(vec!["", " ", "\n", "  # why\n", "\n\n# own\n"]);
        prop_oneof![
            (inner.clone(), operator, inner.clone()).prop_map(|(a, op, b)| format!("({a}) {op} {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(({a}) < ({b}))")),
            inner.clone().prop_map(|a| format!("(-{a})")),
            inner.clone().prop_map(|a| format!("(not {a})")),
            (prop::collection::vec(inner.clone(), 0..5), space)
                .prop_map(|(items, space)| format!("f({space}{})", items.join(&format!(",{space}")))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("g({a}, axis = {b},)")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("x[{a} : {b}, ..., ::-1, newaxis]")),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|items| format!("[{}]", items.join(" ,"))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|items| format!("({})", items.join(","))),
            inner.clone().prop_map(|a| format!("({a},)")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{w: {a}, b:{b}}}.w")),
            (inner.clone(), inner.clone(), inner)
                .prop_map(|(c, a, b)| format!("(if {c} {{ {a} }} else {{ y = 1; {b} }})")),
        ]
    })
}

fn program() -> impl Strategy<Value = String> {
    let simple = (expression(), 0..8).prop_map(|(e, form)| match form {
        0 => format!("x = {e}"),
        1 => format!("a, b = {e}, 1"),
        2 => format!("x: f32[n, 2*m] = {e}"),
        3 => format!("x.w[0, 1:] += {e}"),
        4 => "del x, y".to_owned(),
        5 => format!("assert {e}, \"m\""),
        6 => format!("jit h(donate p: f32[n], q: (int, {{w: f32[]}}) = ({e})) -> f32[n] = {e}"),
        _ => e,
    });
    let gap = prop::sample::select(vec!["\n", ";", "\n\n\n", "  # note\n", "\n# own line\n", "\n\n  # apart\n\n"]);
    let lines = move |statement: BoxedStrategy<String>| {
        prop::collection::vec((statement, gap.clone()), 0..5)
            .prop_map(|all| all.into_iter().flat_map(|(line, gap)| [line, gap.to_owned()]).collect::<String>())
    };
    let block = simple.boxed().prop_recursive(3, 24, 4, move |inner| {
        (expression(), lines(inner.clone()), lines(inner), 0..6)
            .prop_map(|(e, a, b, form)| match form {
                0 => format!("for i in 0..({e}) step k {{{a}}}"),
                1 => format!("while {e} {{ {a} }}"),
                2 => format!("if {e} {{\n{a}}} else if y {{ {b}}} else {{{b}\n}}"),
                3 => format!("bench \"l\" ({e}) {{ {a} }}"),
                4 => format!("fn  k( a,b=1 ) {{ {a} {e} }}"),
                _ => format!("if {e} {{ {a} }}\n\n# between\nelse {{ {b} }}"),
            })
            .boxed()
    });
    prop::collection::vec((block, prop::sample::select(vec!["\n", "\n\n\n", " # t\n", "\n# o\n"])), 0..4)
        .prop_map(|all| all.into_iter().flat_map(|(line, gap)| [line, gap.to_owned()]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        survive(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_characters_never_panic(text in "\\PC{0,100}") {
        survive(&text);
    }

    #[test]
    fn random_tokens_never_panic(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        survive(&words.join(" "));
        survive(&words.concat());
    }

    #[test]
    fn formatting_keeps_the_meaning_of_generated_programs(text in program()) {
        let parsed = parse(SourceId::default(), &text);
        prop_assert!(parsed.diagnostics.is_empty(), "{}\n{:#?}", text, parsed.diagnostics);
        assert_format_keeps(&text);
        assert_format_keeps(&text.replace('\n', "\r\n"));
    }
}

#[test]
fn formatting_keeps_every_program_of_the_tree() {
    fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                collect(&path, found);
            } else if path.extension().is_some_and(|ext| ext == "arr") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(Path::new("examples"), &mut found);
    collect(Path::new("tests/golden"), &mut found);
    for path in found {
        if let Ok(text) = std::fs::read_to_string(&path)
            && parse(SourceId::default(), &text).diagnostics.is_empty()
        {
            assert_format_keeps(&text);
        }
    }
}

#[test]
fn allowed_nestings_are_formatted_in_bounded_time() {
    for (open, inner, close) in [
        ("if c { ", "x", " }"),
        ("fn f() { ", "x", " } "),
        ("x = f(if c { ", "1", " } else { 2 })"),
        ("f(a, ", "x", ", b)"),
        ("[{w: x[", "0", "]}]"),
    ] {
        for depth in [20, 90] {
            survive(&format!("{}{inner}{}", open.repeat(depth), close.repeat(depth)));
        }
    }
}

#[test]
fn endless_nestings_are_findings_and_spare_the_stack() {
    const N: usize = 100_000;
    let twice = |open: &str, inner: &str, close: &str| format!("{}{inner}{}", open.repeat(N), close.repeat(N));
    let texts = vec![
        twice("(", "x", ")"),
        twice("[", "x", "]"),
        twice("{", "x", "}"),
        twice("{a: ", "x", "}"),
        twice("f(", "x", ")"),
        twice("x[", "0", "]"),
        twice("if c { ", "x", " }"),
        twice("if c {\n", "x", "\n}"),
        twice("fn f() { ", "x", " }"),
        twice("x = if c { ", "1", " } else { 2 }"),
        twice("f(if c { ", "1", " } else { 2 })"),
        "(".repeat(N),
        "[(".repeat(N),
        "{".repeat(N),
        "{a: ".repeat(N),
        "if c {".repeat(N),
        "f(f(\n".repeat(N),
        ")".repeat(N),
        "}".repeat(N),
        format!("{}x", "-".repeat(N)),
        format!("{}x", "not ".repeat(N)),
        format!("{}2", "2 ** ".repeat(N)),
        format!("1{}", "+1".repeat(N)),
        format!("a{}", " and a".repeat(N)),
        format!("x{}", ".a".repeat(N)),
        format!("x{} = 1", ".a".repeat(N)),
        format!("f{}", "()".repeat(N)),
        format!("x{}", "[0]".repeat(N)),
        format!("if c {{ }}{}", " else if c { }".repeat(N)),
        format!("x: {}int{} = 1", "(".repeat(N), ")".repeat(N)),
        format!("if c {{ x = {}1{} }}", "(".repeat(390), ")".repeat(390)),
    ];
    let small = std::thread::Builder::new().stack_size(8 << 20);
    let run = small.spawn(move || {
        for text in texts {
            let findings = survive(&text);
            let shown: String = text.chars().take(40).collect();
            if shown.starts_with(")") || shown.starts_with("}") || shown.starts_with("if c { x = ") {
                continue;
            }
            assert_eq!(findings, 1, "{shown}");
        }
    });
    run.expect("a thread starts").join().expect("no nesting panics");
}
