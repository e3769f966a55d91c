//! How long the proof takes: `cargo bench --bench scale`. `tests/scale.rs` holds its work to the size of the program; here
//! are the seconds, parsing left out, and the ratio of twice a program to once.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use arr::base::SourceId;
use arr::driver::stack::on_large_stack;
use arr::proof::check;
use std::fmt::Write;
use std::time::Instant;

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

/// `n` statements of all kinds over a few names.
fn mixed(n: usize) -> String {
    let mut text = String::from(
        "jit u(donate p) = p * 0.5\njit v(p, q) = p + q * 2.0\nfn same(x) = x\n\
         fn twice(x) { y = v(x, x); v(y, x) }\nx0 = ones([16])\nx1 = ones([16])\nx2 = ones([16])\n",
    );
    // Ten groups of sixteen statements in all.
    for k in 0..n * 10 / 16 {
        let (i, j) = (k % 3, (k + 1) % 3);
        let _ = match k % 10 {
            0 => writeln!(text, "x{i} = x{j} * 2.0 + x{i}"),
            1 => writeln!(text, "x{i} = copy(x{i})\nx{i} = u(x{i})"),
            2 => writeln!(text, "y{k} = v(x{i}, x{j})"),
            3 => writeln!(text, "z{k} = same(x{i})"),
            4 => writeln!(text, "if sum(x{i}) > 1.0 {{ x{j} = x{j} + 1.0 }} else {{ x{j} = v(x{i}, x{j}) }}"),
            5 => writeln!(text, "for i in 0..3 {{ x{i} = x{i} * 0.5\nx{j} = twice(x{i}) }}"),
            6 => writeln!(text, "x{i}[0:4] = 0.0"),
            7 => writeln!(text, "r = {{w: x{i}, b: x{j}}}"),
            8 => writeln!(text, "print(sum(x{i}))"),
            _ => writeln!(text, "x{i} = x{j}\nw{k} = x{i}"),
        };
    }
    text
}

fn nested(depth: usize) -> String {
    let mut text = String::from("jit u(donate p) = p * 0.5\na = ones([4])\nb = ones([4])\n");
    (0..depth).for_each(|k| _ = writeln!(text, "for i{k} in 0..2 {{"));
    text + "a, b = b, u(a)\nx = a\n" + &"}\n".repeat(depth)
}

fn chain(depth: usize, keyword: &str, param: &str, body: &str) -> String {
    let mut text = format!("{keyword} f{depth}({param}) = x * 2.0\n");
    for k in (0..depth).rev() {
        let body = body.replace("NEXT", &format!("f{}", k + 1));
        let _ = writeln!(text, "{keyword} f{k}({param}) {{ {body} }}");
    }
    text + "a = ones([4])\nb = f0(a)\n"
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
    let once = show("100,000 statements", &mixed(100_000));
    let twice = show("200,000 statements", &mixed(200_000));
    println!("{:<44} {:>7.2}", "ratio", twice / once);
    show("100,000 names of one array", &shares(100_000));
    show("loops nested 50 deep", &nested(50));
    show("fn 1,000 deep, each calls the next twice", &chain(1000, "fn", "x", "y = NEXT(x); NEXT(y)"));
    show("jit 900 deep", &chain(900, "jit", "donate x", "NEXT(x)"));
    show("jit 300 deep, annotated", &chain(300, "jit", "donate x: f32[n]", "NEXT(x)"));
}
