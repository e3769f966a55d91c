//! Long programs for the scale test and the scale benchmark.

use std::fmt::Write;

/// `n` groups of statements of all kinds over a few names; ten groups are sixteen statements.
pub(crate) fn mixed(n: usize) -> String {
    let mut text = String::from(
        "jit u(donate p) = p * 0.5\njit v(p, q) = p + q * 2.0\nfn same(x) = x\n\
         fn twice(x) { y = v(x, x); v(y, x) }\nx0 = ones([16])\nx1 = ones([16])\nx2 = ones([16])\n",
    );
    for k in 0..n {
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

/// `depth` loops around two statements that swap and give.
pub(crate) fn nested(depth: usize) -> String {
    let mut text = String::from("jit u(donate p) = p * 0.5\na = ones([4])\nb = ones([4])\n");
    (0..depth).for_each(|k| _ = writeln!(text, "for i{k} in 0..2 {{"));
    text + "a, b = b, u(a)\nx = a\n" + &"}\n".repeat(depth)
}

/// `depth` functions of `x`, each with that body, in which `NEXT` is the next one; `last` is the body of the last.
pub(crate) fn chain(depth: usize, keyword: &str, param: &str, last: &str, body: &str) -> String {
    let mut text = format!("c = ones([4])\n{keyword} f{depth}({param}) = {last}\n");
    for k in (0..depth).rev() {
        let body = body.replace("NEXT", &format!("f{}", k + 1));
        let _ = writeln!(text, "{keyword} f{k}({param}) {{ {body} }}");
    }
    text + "a = ones([4])\nb = f0(a)\nprint(b)\n"
}
