//! The proof is linear in the program: counted in statements walked, not in time. `cargo bench --bench scale` has times.

use arr::base::SourceId;
use arr::driver::stack::on_large_stack;
use arr::proof::{Report, check};
use std::fmt::Write;

#[path = "../benches/programs/mod.rs"]
mod programs;
use programs::{chain, mixed, nested};

fn checked(text: &str) -> Report {
    on_large_stack(|| {
        let parsed = arr::syntax::parse(SourceId(0), text);
        assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics.first());
        check(&parsed.program, &[])
    })
}

/// Statements walked in a program that passes.
fn walked(text: &str) -> usize {
    let report = checked(text);
    assert!(report.accepted(), "{:?}", report.diagnostics.first());
    report.walked
}

#[test]
fn twice_the_program_is_twice_the_work() {
    let (one, two) = (walked(&mixed(1000)), walked(&mixed(2000)));
    assert!(two * 10 <= one * 23, "{one} statements walked, and {two} in twice the program");
    assert!(one <= 5 * 1600, "{one} statements walked");
}

#[test]
fn nested_loops_take_the_square_of_their_depth() {
    let (shallow, deep) = (walked(&nested(25)), walked(&nested(50)));
    assert!(deep <= 5 * shallow, "{shallow} statements walked at depth 25, and {deep} at 50");
    assert!(deep <= 20 * 50 * 50, "{deep} statements walked");
}

#[test]
fn functions_are_walked_once_per_question() {
    let bodies = ["y = NEXT(x); NEXT(y)", "y = NEXT(x); z = NEXT(x); NEXT(y) + NEXT(c) + z", "NEXT(NEXT(x)) + c"];
    let cases = bodies.iter().flat_map(|body| [(*body, ""), (*body, ": f32[4]")]).chain([(bodies[0], ": f32[n]")]);
    for (body, annotation) in cases {
        for last in ["x * 2.0", "x"] {
            let program = |depth| chain(depth, "fn", &format!("x{annotation}"), last, body);
            let (one, two) = (walked(&program(500)), walked(&program(1000)));
            assert!(two * 10 <= one * 23, "{body}: {one} statements walked, and {two} at twice the depth");
            assert!(two <= 20_000, "{body}: {two} statements walked");
        }
    }
}

#[test]
fn functions_that_call_in_circles_end() {
    let mut text = String::new();
    for k in 0..60 {
        let _ =
            writeln!(text, "fn f{k}(x) {{ y = f{}(x); z = f{}(y); f{}(z) }}", (k + 1) % 60, (k + 7) % 60, (k * 3) % 60);
    }
    let report = checked(&(text + "a = f0(ones([2]))\n"));
    assert!(report.diagnostics.iter().any(|diagnostic| diagnostic.code.0 == "E0208"));
    assert!(report.walked < 10_000, "{} statements walked", report.walked);
}

#[test]
fn many_names_of_one_array_are_one_group() {
    let shares = |n: usize| {
        let lines: String = (0..n).map(|k| format!("y{k} = x\n")).collect();
        format!("jit u(donate p) = p * 0.5\nx = ones([4])\n{lines}z = u(x)\n")
    };
    assert_eq!(walked(&shares(20_000)), 20_003);
    let report = checked(&(shares(20_000) + "print(y7)\n"));
    assert_eq!(report.diagnostics.first().map(|first| first.code.0), Some("E0301"));
}

#[test]
fn a_loop_that_hands_arrays_on_is_not_walked_once_per_name() {
    let names: String = (0..=400).map(|k| format!("x{k} = ones([4]) * {k}.0\n")).collect();
    let moves: String = (0..400).map(|k| format!("x{k} = x{}\n", k + 1)).collect();
    let text = format!("jit u(donate p) = p * 0.5\n{names}for i in 0..9 {{ {moves} }}\nz = u(x0)\n");
    let most = 110 * 400;
    assert!(walked(&text) < most);
    let report = checked(&(text + "print(x400)\n"));
    assert_eq!(report.diagnostics.first().map(|first| first.code.0), Some("E0301"));
}

/// A summary is used where its body would say the same, and nowhere else.
#[test]
fn summaries_know_what_they_depend_on() {
    let refused = |text: &str| {
        let report = checked(&format!(
            "jit u(donate p) = p * 0.5\njit two(donate p, q) = p + q\nc = ones([4])\nx = ones([4])\n{text}"
        ));
        let codes: Vec<&str> = report.diagnostics.iter().map(|diagnostic| diagnostic.code.0).collect();
        codes.join(" ")
    };
    // The global is alive at the first call and given away at the second.
    assert_eq!(refused("fn f(p) = p + c\nf(x)\nd = u(c)\nf(x)"), "E0301");
    // The first call gives it away itself.
    assert_eq!(refused("fn f() = u(c)\nf()\nprint(c)"), "E0301");
    assert_eq!(refused("d = c\nfn f() = u(c)\nf()\nprint(d)"), "E0301");
    assert_eq!(refused("fn f() = u(c)\nf()\nc = ones([4])\nf()\nc = x + 1.0\nprint(c)"), "");
    // The arguments are one buffer at the second call only.
    assert_eq!(refused("fn f(donate p, q) = two(p, q)\nf(x + 0.0, c)\nf(x, c)"), "");
    assert_eq!(refused("fn f(p) { q = two(copy(c), p); q }\nf(x)\nf(c)"), "");
    assert_eq!(refused("fn f(p) { q = u(c); p + q }\nf(x)\nc = ones([4])\nf(c)"), "E0301");
    // A function that it calls means something else by then.
    assert_eq!(refused("fn g(p) = p * 2.0\nfn f(p) = g(p)\ny = f(x)\nfn g(p) = p\nz = f(x)\nu(x)\nprint(y)"), "");
    assert_eq!(refused("fn g(p) = p * 2.0\nfn f(p) = g(p)\ny = f(x)\nfn g(p) = p\nz = f(x)\nu(x)\nprint(z)"), "E0301");
    // On one path only.
    let branch = "fn g(p) = p * 2.0\nfn f(p) = g(p)\nif 1 > 0 { fn g(p) = p\ny = f(x) } else { y = f(x) }\n";
    assert_eq!(refused(&format!("{branch}u(x)\nprint(y)")), "E0301");
    // What was found while a loop looked for its fixpoint is reported.
    assert_eq!(refused("fn f(p) { d = u(p); p }\nfor i in 0..2 { f(x) }"), "E0305");
}
