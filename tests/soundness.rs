//! The proof and the prediction against runs: random programs of bindings, aliases, tuples, functions, donations,
//! branches, loops, captures and `clear_caches`.
//!
//! A run is strict: whatever is bound, passed or read must have its buffer. An accepted program runs in every way in
//! which its conditions can turn out, never meets a buffer that was given away, and its ledger after each statement is
//! among the predicted; where the conditions are literals there is one prediction, and ledger and peak are equal to it
//! byte for byte and holder for holder. Of the rejected programs it is counted how many fail in no way at all.
//! `ARR_PROGRAMS=N` runs more and prints the figures.

use arr::base::Sources;
use arr::driver::checked::Checked;
use arr::driver::failure::Failure;
use arr::driver::session::{Session, device};
use arr::driver::stack::on_large_stack;
use arr::proof::predict::{PATIENT, Prediction, predict, rows};
use arr::syntax::ast::Block;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The same numbers on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.below(choices.len())]
    }
}

const FUNCTIONS: &str = "\
jit upd(donate p) = p * 0.5 + 1.0
jit swap(donate p, donate q) = (q + 1.0, p * 2.0)
jit mix(donate p, q) = p + q
jit over(donate p) = p + flip(p)
jit shaped(donate p) = zeros_like(p)
jit lent(p) = p + 1.0
jit same(p) = p
jit caps(p) = p + g
jit capgive(donate p) = p * g
jit capg2(p) = (p + g, g + h)
fn id(p) = p
fn pair(p, q) = (p, q)
fn first(p, q) = p
fn eat(donate p) = upd(p)
fn work(p) { q = p * 2.0; q = upd(q); q + p }
fn useg(p) { p + g }
fn renew(p) { p = p + 1.0; p = upd(p); p }
fn swapped(donate p, donate q) { p, q = q, p; q = upd(q); (p, q) }
fn usecap(p) { q = caps(p); q + 1.0 }
fn train(donate p, n) { for i in 0..n { p = upd(p) }; p }
fn pick(donate p, c) { if c { r = upd(p) } else { r = p }; r }
fn loopy(p, n) { for i in 0..n { p = p + 1.0 }; p }
fn deep(donate p, n) = train(eat(p), n)
fn either(p, q, c) = if c { p } else { q }
fn record(p, donate q) = {x: p, y: upd(q)}
jit rec(donate r) = {x: r.y, y: r.x * 2.0}
";

const NAMES: [&str; 6] = ["a", "b", "c", "d", "g", "h"];

/// How the conditions of a program are written, and how many it has.
struct Generator {
    random: Random,
    conditions: usize,
    counts: usize,
}

impl Generator {
    fn name(&mut self) -> &'static str {
        self.random.pick(&NAMES)
    }

    fn condition(&mut self) -> String {
        self.conditions += 1;
        format!("c{}", self.conditions - 1)
    }

    fn count(&mut self) -> String {
        self.counts += 1;
        format!("k{}", self.counts - 1)
    }

    fn value(&mut self) -> String {
        let (x, y) = (self.name(), self.name());
        match self.random.below(30) {
            0 | 1 => format!("full([4], {}.0)", self.random.below(9)),
            2 | 3 => x.to_owned(),
            4 => format!("{x} + {y}"),
            5 => format!("upd({x}) + {y}"),
            6..=8 => format!("upd({x})"),
            9 => format!("mix({x}, {y})"),
            10 => format!("over({x})"),
            11 => format!("shaped({x})"),
            12 => format!("lent({x})"),
            13 => format!("same({x})"),
            14 => format!("caps({x})"),
            15 => format!("capgive({x})"),
            16 => format!("id({x})"),
            17 => format!("first({x}, {y})"),
            18 => format!("eat({x})"),
            19 => format!("work({x})"),
            20 => format!("useg(upd({x}))"),
            21 => format!("renew({x})"),
            22 if self.conditions < 3 => {
                let condition = self.condition();
                let (then, otherwise) = (self.value(), self.value());
                format!("if {condition} {{ {then} }} else {{ {otherwise} }}")
            }
            23 if self.counts < 2 => format!("train({x}, {})", self.count()),
            24 if self.conditions < 3 => format!("pick({x}, {})", self.condition()),
            25 if self.counts < 2 => format!("loopy({x}, {})", self.count()),
            26 if self.counts < 2 => format!("deep({x}, {})", self.count()),
            27 if self.conditions < 3 => format!("either({x}, {y}, {})", self.condition()),
            _ => format!("usecap({x})"),
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        let (x, y, z) = (self.name(), self.name(), self.name());
        match self.random.below(if depth > 0 { 22 } else { 17 }) {
            0..=5 => format!("{x} = {}", self.value()),
            6 => format!("{x}, {y} = swap({z}, {})", self.name()),
            7 => format!("t = pair({x}, {y})"),
            8 => format!("{x}, {y} = t"),
            9 => format!("{x} = t[{}]", self.random.below(2)),
            10 => format!("{x}, {y} = swapped({z}, {})", self.name()),
            11 => format!("del {x}; {x} = full([4], 2.0)"),
            12 => "clear_caches()".to_owned(),
            13 => format!("{x}[{}] = 3.0", self.random.below(4)),
            14 => format!("{x} += {y}"),
            15 => format!("t = capg2({x})"),
            16 => match self.random.below(3) {
                0 => format!("upd({x}); {x} = ones([4])"),
                1 => format!("r = record({x}, {y}); {y} = r.y"),
                _ => format!("r = rec({{x: {x}, y: {y}}}); {x} = r.x; {y} = r.y"),
            },
            17 | 18 if self.conditions < 3 => {
                let condition = self.condition();
                let (then, otherwise) = (self.block(depth - 1), self.block(depth - 1));
                format!("if {condition} {{ {then} }} else {{ {otherwise} }}")
            }
            19 if self.counts < 2 => {
                let count = self.count();
                format!("for i in 0..{count} {{ {} }}", self.block(depth - 1))
            }
            20 => format!("w = 0; while w < 2 {{ {}; w = w + 1 }}", self.block(depth - 1)),
            _ => format!("r = {{x: {x}, y: {y}}}; {z} = r.x"),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join("; ")
    }

    /// The statements of a program; conditions are `c0`..., counts of rounds `k0`...
    fn body(&mut self) -> String {
        (self.conditions, self.counts) = (0, 0);
        let count = 2 + self.random.below(7);
        (0..count).map(|_| self.statement(2)).collect::<Vec<_>>().join("\n")
    }
}

/// One way in which conditions turn out.
#[derive(Clone, Copy)]
struct Way {
    conditions: usize,
    counts: [usize; 2],
}

/// The program with conditions as literals, or as values that are read from arrays.
fn program(body: &str, way: Way, known: bool) -> String {
    let mut text = String::from(FUNCTIONS);
    for at in 0..3 {
        let value = way.conditions >> at & 1 == 1;
        text += &if known {
            format!("c{at} = {value}\n")
        } else {
            format!("c{at} = item(full([], {}.0)) > 0.5\n", u8::from(value))
        };
    }
    for (at, count) in way.counts.iter().enumerate() {
        text += &if known { format!("k{at} = {count}\n") } else { format!("k{at} = int(full([], {count}.0))\n") };
    }
    for (at, name) in NAMES.iter().enumerate() {
        text += &format!("{name} = full([4], {at}.5)\n");
    }
    format!("{text}t = (full([4], 7.0), full([4], 8.0))\n{body}\n")
}

/// What a run leaves after each statement, and its peak.
struct Ran {
    ledgers: Vec<Vec<String>>,
    peak: u64,
    failure: Option<Failure>,
}

fn run(program: &Rc<Block>) -> Ran {
    let device = device::open("reference", Some(1)).expect("the device is here");
    let mut session = Session::new(device, Box::new(std::io::sink()));
    let mut ledgers = Vec::new();
    let done = session.run(program, &mut |session, _| {
        ledgers.push(rows(&session.ledger));
        session.balanced()
    });
    Ran { ledgers, peak: session.device.peak(), failure: done.err() }
}

fn parsed(text: &str) -> Rc<Block> {
    let source = Sources::default().add("random", text);
    Rc::new(arr::syntax::parse(source, text).program)
}

/// At most eight of the ways, the first and the last among them.
fn chosen(ways: &[Way], random: &mut Random) -> Vec<Way> {
    if ways.len() <= 8 {
        return ways.to_vec();
    }
    let mut chosen = vec![ways[0], ways[ways.len() - 1]];
    chosen.extend((0..6).map(|_| ways[random.below(ways.len())]));
    chosen
}

fn checked(text: &str) -> Checked {
    Checked::new(&mut Sources::default(), "random", text, &[])
}

/// Fails unless the run is as predicted; `exact`: every condition was a literal.
fn compare(text: &str, prediction: &Prediction, ran: &Ran, exact: bool) {
    assert!(prediction.broken.is_none(), "{text}\n{:?}", prediction.broken);
    assert!(ran.failure.is_none(), "{text}\n{:?}", ran.failure);
    assert!(!exact || prediction.exact, "not exact:\n{text}");
    for (at, (real, moment)) in ran.ledgers.iter().zip(&prediction.moments).enumerate() {
        let predicted: Vec<Vec<String>> = moment.ledgers.iter().map(rows).collect();
        assert!(predicted.contains(real), "statement {at} of\n{text}\npredicted {predicted:#?}\nfound {real:#?}");
        assert!(!exact || predicted.len() == 1, "several ledgers after statement {at} of\n{text}");
    }
    if prediction.stopped.is_some() {
        return;
    }
    let peak = prediction.peaks.iter().map(|peak| peak.bytes.known().expect("numbers alone")).max().unwrap_or(0);
    if prediction.exact {
        assert_eq!(peak, ran.peak, "the peak of\n{text}");
    } else {
        assert!(peak >= ran.peak, "predicted at most {peak}, found {} in\n{text}", ran.peak);
    }
}

#[derive(Default, Debug)]
struct Figures {
    accepted: usize,
    ways: usize,
    exact: usize,
    rejected: BTreeMap<String, usize>,
    false_alarms: BTreeMap<String, usize>,
    stopped: usize,
}

fn ways(generator: &Generator) -> Vec<Way> {
    let mut all = Vec::new();
    for conditions in 0..1 << generator.conditions {
        for first in 0..if generator.counts > 0 { 4 } else { 1 } {
            for second in 0..if generator.counts > 1 { 4 } else { 1 } {
                all.push(Way { conditions, counts: [first, second] });
            }
        }
    }
    all
}

fn examine(generator: &mut Generator, figures: &mut Figures) {
    let body = generator.body();
    let ways = ways(generator);
    let unknown = checked(&program(&body, ways[0], false));
    if unknown.accepted() {
        figures.accepted += 1;
        let prediction = predict(&unknown.program, PATIENT);
        figures.stopped += usize::from(prediction.stopped.is_some());
        // The text of another way differs in numbers alone, so that its verdict and prediction are the same.
        for way in chosen(&ways, &mut generator.random) {
            let text = program(&body, way, false);
            compare(&text, &prediction, &run(&parsed(&text)), false);
            figures.ways += 1;
        }
        let text = program(&body, ways[generator.random.below(ways.len())], true);
        let known = checked(&text);
        assert!(known.accepted(), "{text}");
        let prediction = predict(&known.program, PATIENT);
        compare(&text, &prediction, &run(&known.program), true);
        figures.exact += 1;
        return;
    }
    let errors = unknown.diagnostics.iter().filter(|one| one.is_error());
    let codes: Vec<String> = errors.map(|one| one.code.0.to_owned()).collect();
    if !codes.iter().all(|code| ("E0301".."E0307").contains(&code.as_str())) {
        return;
    }
    *figures.rejected.entry(codes[0].clone()).or_default() += 1;
    let fails = |way: &Way| run(&parsed(&program(&body, *way, true))).failure.is_some();
    if !ways.iter().any(fails) {
        *figures.false_alarms.entry(codes[0].clone()).or_default() += 1;
        if std::env::var_os("ARR_SHOW").is_some() {
            eprintln!("false alarm {codes:?}:\n{body}\n");
        }
    }
}

#[test]
fn accepted_programs_run_as_predicted() {
    let wanted: Option<usize> = std::env::var("ARR_PROGRAMS").ok().and_then(|n| n.parse().ok());
    let seed = std::env::var("ARR_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(11);
    on_large_stack(move || {
        let mut generator = Generator { random: Random(seed), conditions: 0, counts: 0 };
        let mut figures = Figures::default();
        for _ in 0..wanted.unwrap_or(2000) {
            let before = generator.random.0;
            let start = std::time::Instant::now();
            examine(&mut generator, &mut figures);
            // A program of a few lines that takes seconds has found a loop without an end, or nearly one.
            let seconds = start.elapsed().as_secs();
            assert!(seconds < 120, "the program after {before} took {seconds} s");
        }
        if wanted.is_some() {
            eprintln!("{figures:#?}");
        }
        let (rejected, false_alarms) =
            (figures.rejected.values().sum::<usize>(), figures.false_alarms.values().sum::<usize>());
        assert!(figures.accepted > wanted.unwrap_or(2000) / 20, "{figures:?}");
        assert!(false_alarms * 20 <= rejected, "more than 5 % false alarms: {figures:?}");
    });
}
