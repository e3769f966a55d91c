//! Whatever the text, checking it ends with findings: no panic, no hang, no exhausted stack.

use arr::base::Sources;
use arr::driver::examine::{Asked, Examined, denied, json, text};
use arr::driver::stack::on_large_stack;
use proptest::prelude::*;

/// Words from which programs are made that get past the parser now and then.
const WORDS: &[&str] = &[
    "x",
    "y",
    "f",
    "g",
    "p",
    "n",
    "1",
    "0",
    "-1",
    "2.5",
    "true",
    "\"s\"",
    "f32",
    "i32",
    "ones([2, 3])",
    "zeros([0])",
    "arange(4)",
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "@",
    "**",
    "==",
    "<",
    "and",
    "or",
    "not",
    "~",
    "<<",
    "=",
    "+=",
    ",",
    ";",
    "\n",
    "\n",
    "\n",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ".",
    ".shape",
    ".T",
    "[0]",
    "[1:]",
    "[-1]",
    "[...]",
    "jit f(donate p) = p * 0.5\n",
    "fn g(x, y) = (x, y)\n",
    "x = ones([4])\n",
    "y = x\n",
    "x = f(x)\n",
    "print(x)\n",
    "del x\n",
    "for i in 0..3 { x = x + 1.0 }\n",
    "while x < 3 { x = x + 1 }\n",
    "if n > 0 { y = x } else { y = f(x) }\n",
    "sum(x)",
    "softmax(x)",
    "reshape(x, [2, 2])",
    "concat([x, y])",
    "live()",
    "memory(f, x)",
    "einsum(\"ij,jk\", x, y)",
    "{w: x, b: y}",
    "r = {w: x}\n",
    "r.w = x\n",
    "x[0] = 1\n",
    "assert",
    "bench \"b\" 2 { x = f(x) }\n",
    "donate",
    "jit",
    "fn",
    "for",
    "in",
    "..",
    "if",
    "else",
    "->",
    "map(f, r)",
    "item(x)",
    "int(x)",
    "full([n], x)",
    "take(x, 7)",
];

fn check(text: &str) {
    on_large_stack(|| {
        let asked = Asked {
            ledger: true,
            explain: true,
            suggest: true,
            certify: true,
            budget: Some(64),
            deny: denied("all").expect("a kind"),
        };
        let mut sources = Sources::default();
        let examined = Examined::new(&mut sources, "random", text, &asked);
        for diagnostic in &examined.checked.diagnostics {
            assert!(!diagnostic.message.is_empty());
        }
        assert!(examined.checked.broken.is_none(), "{text}\n{:?}", examined.checked.broken);
        let _ = (text::answers(&sources, &examined, &asked), json::file(&sources, "random", &examined));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn checking_random_words_ends_with_findings(words in prop::collection::vec(prop::sample::select(WORDS), 0..40)) {
        check(&words.join(" "));
    }

    #[test]
    fn checking_random_statements_ends_with_findings(words in prop::collection::vec(prop::sample::select(WORDS), 0..12)) {
        let statements: Vec<String> = words.chunks(2).map(|pair| format!("z = {}\n", pair.join(""))).collect();
        check(&format!("x = ones([4])\ny = arange(4)\nn = 3\nr = {{w: x}}\njit f(donate p) = p * 0.5\nfn g(x, y) = (x, y)\n{}", statements.concat()));
    }

    #[test]
    fn checking_random_bytes_ends_with_findings(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("(", ")"), ("[", "]"), ("-", ""), ("not ", ""), ("f(", ")"), ("x = {a: ", "}")] {
        check(&format!("{}1{}", open.repeat(100_000), close.repeat(100_000)));
    }
    check(&"if 1 > 0 { ".repeat(100_000));
}
