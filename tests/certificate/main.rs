//! The certificate against corrupted plans: real plans, changed in every small way. A changed plan that is certified
//! computes with shared memory what it computes when every slot has memory of its own.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod corrupt;
mod execute;
#[path = "../cpu_backend/interpreter.rs"]
mod interpreter;

use arr::base::{DType, Literal, Sources};
use arr::certify::{Rule, certify};
use arr::driver::pipeline;
use arr::driver::stack::on_large_stack;
use arr::ir::array::{ParamKind, Program};
use arr::ir::plan::{Plan, PlanParam};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that are called in `main`, for what they do with memory.
const PROGRAMS: [(&str, &str); 17] = [
    ("chain in place", "jit f(donate p, g) = tanh(p - 0.1 * g) * 2.0\nf(ones([6]), ones([6]))"),
    ("centred", "jit f(donate p) = p - mean(p)\nf(ones([6]))"),
    ("softmax", "jit f(donate p) = softmax(p)\nf(ones([3, 4]))"),
    (
        "adam",
        "jit f(donate p, donate m, donate v, g, t) {\n m = m * 0.9 + g * 0.1\n v = v * 0.999 + g * g * 0.001\n \
         p = p - 0.1 * m / (sqrt(v) + 1e-8) * t\n (p, m, v)\n}\nf(ones([5]), ones([5]), ones([5]), ones([5]), 1.0)",
    ),
    ("loop", "jit f(donate x, k) {\n for i in 0..k { x = x * 0.5 + 1.0 }\n x\n}\nf(ones([4]), 3)"),
    ("rotate", "jit f(x, y, k) {\n for i in 0..k { x, y = y, x + y }\n (x, y)\n}\nf(ones([3]), ones([3]), 3)"),
    ("while", "jit f(x) {\n while sum(x) < 40.0 { x = x + x }\n x\n}\nf(ones([4]))"),
    ("branch", "jit f(donate x, c) = if c > 1.0 { x * 2.0 } else { flip(x) }\nf(ones([4]), 2.0)"),
    ("concat", "jit f(x, y) = concat([x[1:], y[:1] * 2.0, x[::-1]])\nf(ones([4]), ones([3]))"),
    ("scatter", "jit f(donate x, i, v) {\n x[i] = v\n x + 1.0\n}\nf(ones([5]), arange(3, i64), ones([3]))"),
    ("shift", "jit f(donate x) {\n x[1:] = x[:-1]\n x\n}\nf(ones([5]))"),
    ("product", "jit f(donate p, q) = (p @ q.T, p + 1.0)\nf(ones([3, 3]), ones([3, 3]))"),
    ("along", "jit f(x) = cumsum(sort(x * 2.0)) + x\nf(ones([5]))"),
    ("gather", "jit f(p, i, j) = p[i + 1] * p[j]\nf(ones([7]), arange(3, i64), arange(3, i64))"),
    ("indexed", "jit f(donate p, k) {\n for i in 0..k { p[i] = p[i] + 1.0 }\n p\n}\nf(ones([5]), 3)"),
    (
        "carried",
        "jit f(donate p, donate m, k) {\n for i in 0..k { m = m * 0.5 + p; p = p - m * 0.1 }\n (p, m)\n}\n\
         f(ones([3]), ones([3]), 3)",
    ),
    ("crossed", "jit f(donate p, donate q) = (q * 2.0, p + 1.0, sum(p))\nf(ones([4]), ones([4]))"),
];

fn plan(text: &str) -> (Program, Plan) {
    let mut sources = Sources::default();
    let source = sources.add("case", text);
    let parsed = arr::syntax::parse(source, text);
    let (report, recorded) = arr::proof::walk::record(&parsed.program);
    assert!(report.accepted(), "{text}\n{:?}", report.diagnostics);
    let called = recorded.iter().find(|item| item.function.is_some()).unwrap();
    let optimised = pipeline::optimise(called.program.clone()).unwrap();
    let plan = pipeline::plan(&called.program).unwrap().plan().clone();
    (optimised, plan)
}

/// Different numbers everywhere, none of them out of range as an index.
fn argument(at: usize, param: &PlanParam) -> Vec<u8> {
    if param.kind == ParamKind::Scalar {
        let value = if param.dtype.is_float() { 1.5 } else { 3.0 };
        let mut bytes = Literal::from_f64(param.dtype, value).bits.to_le_bytes().to_vec();
        bytes.resize(param.bytes as usize, 0);
        return bytes;
    }
    let count = param.bytes as usize / param.dtype.bytes();
    let value = |element: usize| match param.dtype {
        DType::Bool => 1.0,
        dtype if dtype.is_float() => ((element * 7 + at * 3) % 11) as f64 * 0.25 - 1.0 + at as f64,
        _ => ((element * 2 + 1) % 5) as f64,
    };
    let elements = (0..count).map(|element| Literal::from_f64(param.dtype, value(element)));
    elements.flat_map(|element| element.bits.to_le_bytes()[..param.dtype.bytes()].to_vec()).collect()
}

/// What became of the changes of one kind.
#[derive(Default)]
struct Tally {
    /// For what it does with memory.
    rejected: usize,
    /// Memory is right, but it is the plan of another program. Rejected for that.
    other: usize,
    /// Likewise, and with these arguments the results are the same all the same.
    alike: usize,
    /// Of another program, and not run, for it may use an index that nothing checks.
    trusting: usize,
    /// Accepted.
    harmless: usize,
}

#[test]
fn what_is_certified_computes_as_if_nothing_were_shared() {
    on_large_stack(|| {
        let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
        let mut rules = BTreeSet::new();
        for (name, text) in PROGRAMS {
            let (program, plan) = plan(text);
            certify(&plan).unwrap_or_else(|violation| panic!("{name}: {violation}\n{plan}"));
            let args: Vec<Vec<u8>> = plan.params.iter().enumerate().map(|(at, param)| argument(at, param)).collect();
            let expected = execute::apart(&plan, &args);
            assert_eq!(execute::shared(&plan, &args), expected, "{name}\n{plan}");
            for corrupt::Corrupt { kind, what, plan: changed } in corrupt::all(&plan) {
                let tally = tallies.entry(kind).or_default();
                let certificate = match certify(&changed) {
                    Ok(certificate) => certificate,
                    Err(violation) => {
                        assert!(!violation.witness.is_empty());
                        rules.insert(violation.rule);
                        tally.rejected += 1;
                        continue;
                    }
                };
                let same = pipeline::certificate(&program, &changed).is_ok();
                // An index from memory is trusted as far as memory goes: it would lead anywhere.
                if !same && certificate.launches.iter().any(|launch| launch.trusted > 0) {
                    tally.trusting += 1;
                    continue;
                }
                let found = execute::shared(&changed, &args);
                let meant = execute::apart(&changed, &args);
                assert_eq!(found, meant, "{name}, {kind}: {what}\n{changed}");
                assert!(!same || found == expected, "{name}, {kind}: {what}\n{changed}");
                *if same {
                    &mut tally.harmless
                } else if found == expected {
                    &mut tally.alike
                } else {
                    &mut tally.other
                } += 1;
            }
        }
        for (kind, Tally { rejected, other, alike, trusting, harmless }) in &tallies {
            let others = other + alike + trusting;
            println!("{kind}: {rejected} rejected, {others} of another program ({alike} alike), {harmless} harmless");
        }
        let all = [
            Rule::Bounds,
            Rule::Once,
            Rule::Overwritten,
            Rule::Conflict,
            Rule::Lent,
            Rule::Pointers,
            Rule::Output,
            Rule::Allocation,
            Rule::Donation,
            Rule::Fault,
        ];
        assert!(all.iter().all(|rule| rules.contains(rule)), "{rules:?}");
        // What does no harm: independent steps in another order, one more of a step that changes nothing the second
        // time, a slot in memory that nobody else uses by then.
        for (kind, Tally { harmless, .. }) in &tallies {
            let may = ["double step", "last step", "swap steps", "offset", "storage"].contains(kind);
            assert!(may || *harmless == 0, "{kind}: {harmless}");
        }
        // What is announced is a matter of memory alone.
        for kind in ["arena", "fresh", "verdict", "source", "output size"] {
            let Tally { rejected, other, alike, trusting, .. } = &tallies[kind];
            assert_eq!((*alike, *other, *trusting), (0, 0, 0), "{kind}: {rejected} rejected");
        }
    });
}
