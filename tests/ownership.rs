//! The caller's half of the proof against an interpreter of buffers: every small program is accepted exactly when no
//! path of it fails, and each rule that is left out makes this test fail.
//!
//! A program is up to four steps over three names, straight, in a loop, in a loop or a branch with a step behind, or in a
//! function that borrows. The interpreter knows buffers and nothing else: it runs loops for 0 to 3 rounds and takes both
//! branches; reading or giving a buffer that is gone fails. Programs that differ by the names alone are tried once.
//! `ARR_EXHAUSTIVE=1` tries every program of four steps in place of a sample.

use arr::base::{DType, SourceId};
use arr::driver::stack::on_large_stack;
use arr::ir::array::ArrayType;
use arr::proof::walk::Held;
use arr::proof::{Known, Rule, Rules, check_with};
use arr::sema::value::Value;
use arr::syntax::ast::{Block, Function, Statement, StatementKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

const NAMES: [&str; 3] = ["a", "b", "c"];

/// The functions that steps call.
const FUNCTIONS: &str = "fn same(p) = p
jit jsame(p) = p
jit u(donate p) = p * 0.5
jit two(donate p, q) = p + q
jit both(donate p, donate q) = (p + q, p - q)
jit captured(p) = p + a
jit beside(donate p) = p + a
";

/// A step; numbers are names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    /// `x = zeros([2])`
    New(usize),
    /// `x = y`
    Share(usize, usize),
    /// `x = same(y)`, which returns its argument; of an even step a `fn`, of an odd one a `jit`.
    Same(usize, usize),
    /// `print(x)`
    Use(usize),
    /// `x = u(y)`, which is given `y`
    Give(usize, usize),
    /// `two(x, y)`, which is given `x` and reads `y`
    Two(usize, usize),
    /// `both(x, y)`, which is given both
    Both(usize, usize),
    /// `captured(x)`, which reads `x` and the global `a`
    Captured(usize),
    /// `beside(x)`, which is given `x` and reads the global `a`
    Beside(usize),
}

use Step::{Beside, Both, Captured, Give, New, Same, Share, Two, Use};

impl Step {
    fn text(self, odd: bool) -> String {
        let n = |x: usize| NAMES[x];
        match self {
            New(x) => format!("{} = zeros([2])", n(x)),
            Share(x, y) => format!("{} = {}", n(x), n(y)),
            Same(x, y) => format!("{} = {}({})", n(x), if odd { "jsame" } else { "same" }, n(y)),
            Use(x) => format!("print({})", n(x)),
            Give(x, y) => format!("{} = u({})", n(x), n(y)),
            Two(x, y) => format!("two({}, {})", n(x), n(y)),
            Both(x, y) => format!("both({}, {})", n(x), n(y)),
            Captured(x) => format!("captured({})", n(x)),
            Beside(x) => format!("beside({})", n(x)),
        }
    }

    fn names(self) -> [usize; 2] {
        match self {
            New(x) | Use(x) | Captured(x) | Beside(x) => [x, x],
            Share(x, y) | Same(x, y) | Give(x, y) | Two(x, y) | Both(x, y) => [x, y],
        }
    }
}

/// All steps over the first `names` names.
fn alphabet(names: usize, captures: bool) -> Vec<Step> {
    let mut steps = Vec::new();
    for x in 0..names {
        steps.extend([New(x), Use(x)]);
        if captures {
            steps.extend([Captured(x), Beside(x)]);
        }
        for y in 0..names {
            steps.extend([Give(x, y), Two(x, y)]);
            if x != y {
                steps.extend([Share(x, y), Same(x, y)]);
            }
            if x <= y {
                steps.push(Both(x, y));
            }
        }
    }
    steps
}

/// Where the steps stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Straight,
    /// That many in a loop, the others behind it.
    Loop(usize),
    /// That many on one path, that many on the other, the others behind both.
    Branch(usize, usize),
    /// In a function that borrows `a` and `c` and owns `b`.
    Function,
}

/// What happened on one path.
struct Machine {
    holds: [usize; 3],
    buffers: usize,
    gone: BTreeSet<usize>,
    /// Buffers that are not ours to give.
    lent: BTreeSet<usize>,
}

struct Failed;

impl Machine {
    fn new(shape: Shape) -> Self {
        let lent = if shape == Shape::Function { BTreeSet::from([0, 2]) } else { BTreeSet::new() };
        Self { holds: [0, 1, 2], buffers: 3, gone: BTreeSet::new(), lent }
    }

    fn read(&self, name: usize) -> Result<usize, Failed> {
        let buffer = self.holds[name];
        if self.gone.contains(&buffer) { Err(Failed) } else { Ok(buffer) }
    }

    fn give(&mut self, buffer: usize) -> Result<(), Failed> {
        if self.lent.contains(&buffer) || !self.gone.insert(buffer) { Err(Failed) } else { Ok(()) }
    }

    fn fresh(&mut self, name: usize) {
        self.holds[name] = self.buffers;
        self.buffers += 1;
    }

    fn step(&mut self, step: Step) -> Result<(), Failed> {
        match step {
            New(x) => self.fresh(x),
            Share(x, y) | Same(x, y) => self.holds[x] = self.read(y)?,
            Use(x) => _ = self.read(x)?,
            Give(x, y) => {
                let given = self.read(y)?;
                self.give(given)?;
                self.fresh(x);
            }
            Two(x, y) | Both(x, y) => {
                let (first, second) = (self.read(x)?, self.read(y)?);
                if first == second {
                    return Err(Failed);
                }
                self.give(first)?;
                if matches!(step, Both(..)) {
                    self.give(second)?;
                }
            }
            Captured(x) => _ = (self.read(x)?, self.read(0)?),
            Beside(x) => {
                let (given, read) = (self.read(x)?, self.read(0)?);
                if given == read {
                    return Err(Failed);
                }
                self.give(given)?;
            }
        }
        Ok(())
    }
}

/// Whether some path fails.
fn fails(shape: Shape, steps: &[Step]) -> bool {
    let run = |parts: &[&[Step]]| {
        let mut machine = Machine::new(shape);
        parts.iter().flat_map(|part| part.iter()).any(|step| machine.step(*step).is_err())
    };
    match shape {
        Shape::Straight | Shape::Function => run(&[steps]),
        Shape::Loop(n) => {
            let (body, rest) = steps.split_at(n);
            (0..=3).any(|rounds| run(&[&body.repeat(rounds), rest]))
        }
        Shape::Branch(n, m) => {
            let (then, rest) = steps.split_at(n);
            let (otherwise, rest) = rest.split_at(m);
            run(&[then, rest]) || run(&[otherwise, rest])
        }
    }
}

/// Steps as trees, each parsed once.
struct Trees {
    known: Vec<Known>,
    steps: BTreeMap<(Step, bool), Statement>,
    frame: Statement,
    branch: Statement,
    function: Rc<Function>,
    call: Statement,
}

fn parsed(source: u32, text: &str) -> Block {
    let parsed = arr::syntax::parse(SourceId(source), text);
    assert!(parsed.diagnostics.is_empty(), "{text}: {:?}", parsed.diagnostics);
    parsed.program
}

impl Trees {
    fn new() -> Self {
        let mut known: Vec<Known> = parsed(0, FUNCTIONS)
            .statements
            .iter()
            .map(|statement| match &statement.kind {
                StatementKind::Function(f) => {
                    Known { name: f.name.name.clone(), value: Ok(Value::Function(f.clone())) }
                }
                other => panic!("{other:?}"),
            })
            .collect();
        for (name, buffer) in NAMES.iter().chain(&["p", "q", "r"]).zip(0..) {
            let ty = ArrayType::new(DType::F32, arr::base::Shape::known(&[2]));
            let held = Value::Array(Held { ty, buffer, given: None });
            known.push(Known { name: (*name).into(), value: Ok(held) });
        }
        let mut steps = BTreeMap::new();
        for step in alphabet(3, true) {
            for odd in [false, true] {
                let block = parsed(steps.len() as u32 + 10, &step.text(odd));
                steps.insert((step, odd), block.statements[0].clone());
            }
        }
        let one = |source, text: &str| parsed(source, text).statements[0].clone();
        let StatementKind::Function(function) = one(3, "fn f(a, donate b, c) { 0 }").kind else { panic!() };
        Self {
            known,
            steps,
            frame: one(1, "for i in 0..3 { print(a) }"),
            branch: one(2, "if true { print(a) } else { print(a) }"),
            function,
            call: one(4, "f(p, q, r)"),
        }
    }

    fn block(&self, steps: &[Step], first: usize) -> Block {
        let tree = |(at, step): (usize, &Step)| self.steps[&(*step, (first + at) % 2 == 1)].clone();
        Block { statements: steps.iter().enumerate().map(tree).collect(), span: self.frame.span }
    }

    fn program(&self, shape: Shape, steps: &[Step]) -> Block {
        match shape {
            Shape::Straight => self.block(steps, 0),
            Shape::Loop(n) => {
                let mut frame = self.frame.clone();
                let StatementKind::For { body, .. } = &mut frame.kind else { panic!() };
                *body = self.block(&steps[..n], 0);
                let mut program = self.block(&steps[n..], n);
                program.statements.insert(0, frame);
                program
            }
            Shape::Branch(n, m) => {
                let mut branch = self.branch.clone();
                let StatementKind::If { then, otherwise, .. } = &mut branch.kind else { panic!() };
                *then = self.block(&steps[..n], 0);
                *otherwise = Some(self.block(&steps[n..n + m], n));
                let mut program = self.block(&steps[n + m..], n + m);
                program.statements.insert(0, branch);
                program
            }
            Shape::Function => {
                let mut function = (*self.function).clone();
                let mut body = self.block(steps, 0);
                body.statements.append(&mut function.body.statements);
                function.body = body;
                let define = Statement { kind: StatementKind::Function(Rc::new(function)), span: self.function.span };
                Block { statements: vec![define, self.call.clone()], span: self.call.span }
            }
        }
    }

    fn accepted(&self, shape: Shape, steps: &[Step], rules: Rules) -> bool {
        check_with(&self.program(shape, steps), &self.known, rules).accepted()
    }
}

/// For messages.
fn text(shape: Shape, steps: &[Step]) -> String {
    let mut text = format!("{shape:?}:");
    for (at, step) in steps.iter().enumerate() {
        let _ = write!(text, " {};", step.text(at % 2 == 1));
    }
    text
}

/// Programs of one shape and length.
struct Family {
    shape: Shape,
    alphabet: Vec<Step>,
    length: usize,
    /// One of so many is tried.
    stride: usize,
}

impl Family {
    fn each(&self, visit: &mut dyn FnMut(Shape, &[Step]) -> bool) -> bool {
        let count = self.alphabet.len().pow(self.length as u32);
        // A function and a capture tell names apart.
        let alike = self.shape != Shape::Function && !self.alphabet.contains(&Captured(0));
        let mut number = 0_u64;
        for code in 0..count {
            let mut rest = code;
            let mut steps = Vec::with_capacity(self.length);
            for _ in 0..self.length {
                steps.push(self.alphabet[rest % self.alphabet.len()]);
                rest /= self.alphabet.len();
            }
            if alike && !in_order(&steps) {
                continue;
            }
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if ((number >> 33) as usize).is_multiple_of(self.stride) && visit(self.shape, &steps) {
                return true;
            }
        }
        false
    }
}

/// Whether the names appear in the order `a`, `b`, `c`: one program of each class.
fn in_order(steps: &[Step]) -> bool {
    let mut next = 0;
    for name in steps.iter().flat_map(|step| step.names()) {
        if name > next {
            return false;
        }
        next = next.max(name + 1);
    }
    true
}

fn exhaustive() -> bool {
    std::env::var("ARR_EXHAUSTIVE").is_ok_and(|value| value == "1")
}

/// All families; `full` with every program of four steps.
fn families(full: bool) -> Vec<Family> {
    let mut families = Vec::new();
    let mut add = |shape, captures: bool, length: usize, stride: usize| {
        let alphabet = if captures { alphabet(2, true) } else { alphabet(3, false) };
        families.push(Family { shape, alphabet, length, stride: if full { 1 } else { stride } });
    };
    for length in 1..=2 {
        add(Shape::Straight, false, length, 1);
        add(Shape::Loop(length), false, length, 1);
        add(Shape::Function, false, length, 1);
        add(Shape::Straight, true, length, 1);
    }
    add(Shape::Loop(1), false, 2, 1);
    add(Shape::Branch(1, 0), false, 2, 1);
    add(Shape::Straight, false, 3, 1);
    add(Shape::Branch(1, 1), false, 3, 16);
    add(Shape::Branch(2, 0), false, 3, 16);
    add(Shape::Loop(2), false, 3, 16);
    add(Shape::Loop(3), false, 3, 16);
    add(Shape::Loop(1), false, 3, 24);
    add(Shape::Branch(1, 0), false, 3, 24);
    add(Shape::Straight, true, 3, 16);
    add(Shape::Loop(2), true, 3, 24);
    add(Shape::Function, false, 3, 100);
    for shape in [Shape::Straight, Shape::Loop(4), Shape::Loop(3), Shape::Loop(2)] {
        add(shape, false, 4, 1500);
    }
    for shape in [Shape::Branch(2, 1), Shape::Branch(1, 1), Shape::Branch(3, 0), Shape::Branch(2, 0)] {
        add(shape, false, 4, 1500);
    }
    families
}

#[test]
fn accepted_exactly_when_no_path_fails() {
    on_large_stack(|| {
        let trees = Trees::new();
        let (mut tried, mut accepted, mut alarms, mut unsound) = (0_u64, 0_u64, Vec::new(), Vec::new());
        for family in families(exhaustive()) {
            family.each(&mut |shape, steps| {
                let (right, verdict) = (!fails(shape, steps), trees.accepted(shape, steps, Rules::default()));
                tried += 1;
                accepted += u64::from(verdict);
                match (right, verdict) {
                    (true, false) => alarms.push(text(shape, steps)),
                    (false, true) => unsound.push(text(shape, steps)),
                    _ => {}
                }
                false
            });
        }
        eprintln!("{tried} programs, {accepted} accepted, {} false alarms, {} unsound", alarms.len(), unsound.len());
        unsound.truncate(20);
        alarms.truncate(20);
        assert!(unsound.is_empty(), "accepted, but a path fails:\n{}", unsound.join("\n"));
        assert!(alarms.is_empty(), "refused, but no path fails:\n{}", alarms.join("\n"));
        assert!(accepted * 20 > tried, "nearly all programs were refused");
    });
}

#[test]
fn no_rule_can_be_left_out() {
    on_large_stack(|| {
        let trees = Trees::new();
        let families = families(false);
        for rule in Rule::ALL {
            let mut found = None;
            let wrong = &mut |shape: Shape, steps: &[Step]| {
                let wrong = trees.accepted(shape, steps, Rules::without(rule)) && fails(shape, steps);
                if wrong {
                    found = Some(text(shape, steps));
                }
                wrong
            };
            assert!(families.iter().any(|family| family.each(wrong)), "{rule:?} can be left out unnoticed");
            eprintln!("without {rule:?}: {}", found.unwrap_or_default());
        }
    });
}
