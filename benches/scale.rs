//! How long the proof takes: `cargo bench --bench scale`. `tests/scale.rs` holds its work to the size of the program; here
//! are the seconds, parsing left out, and the ratio of twice a program to once.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use arr::base::SourceId;
use arr::driver::stack::on_large_stack;
use arr::proof::check;
use std::fmt::Write;
use std::time::Instant;

mod programs;
use programs::{chain, mixed, nested};

/// Seconds to parse, seconds to prove, statements walked: the fastest of three.
fn timed(text: &str) -> (f64, f64, usize) {
    on_large_stack(|| {
        let start = Instant::now();
        let parsed = arr::syntax::parse(SourceId(0), text);
        let parsing = start.elapsed().as_secs_f64();
        let mut best = (parsing, f64::INFINITY, 0);
        for _ in 0..3 {
            let start = Instant::now();
            let report = check(&parsed.program, &[]);
            assert!(report.accepted(), "{:?}", report.diagnostics.first());
            best = (parsing, best.1.min(start.elapsed().as_secs_f64()), report.walked);
        }
        best
    })
}

fn shares(n: usize) -> String {
    let mut text = String::from("x = ones([4])\n");
    (0..n).for_each(|k| _ = writeln!(text, "y{k} = x"));
    text
}

fn main() {
    let show = |what: &str, text: &str| {
        let (parsing, proving, walked) = timed(text);
        println!("{what:<44} {proving:>7.3} s  ({walked} walked, parsed in {parsing:.3} s)");
        proving
    };
    let once = show("100,000 statements", &mixed(62_500));
    let twice = show("200,000 statements", &mixed(125_000));
    println!("{:<44} {:>7.2}", "ratio", twice / once);
    show("100,000 names of one array", &shares(100_000));
    show("loops nested 50 deep", &nested(50));
    show("fn 1,000 deep, each calls the next twice", &chain(1000, "fn", "x", "x * 2.0", "y = NEXT(x); NEXT(y)"));
    show("jit 900 deep", &chain(900, "jit", "donate x", "x * 2.0", "NEXT(x)"));
    show("jit 300 deep, annotated", &chain(300, "jit", "donate x: f32[n]", "x * 2.0", "NEXT(x)"));
}
