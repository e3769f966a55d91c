//! Statements: what each does to the state; loops to a fixpoint, branches joined.

use super::diagnostics;
use super::predict::explain::What;
use super::rules::{Rule, Rules};
use super::state::{Given, Key, Level, Proved, Slot, State, Tracked, resized, symbol};
use super::summary::{Borrowed, Memo};
use crate::base::{Broken, Diagnostic, Span};
use crate::ir::array::Program;
use crate::sema::elaborate;
use crate::sema::value::{HostKind, HostType, Known as KnownHost, Scalar, Value};
use crate::syntax::ast::{Block, Expr, ExprKind, Function, Name, Statement, StatementKind, Target};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// An array that a session holds already.
#[derive(Clone, Debug)]
pub struct Held {
    /// Its type.
    pub ty: crate::ir::array::ArrayType,
    /// Arrays with one number share a buffer.
    pub buffer: u64,
    /// Where its buffer was given away, if it was.
    pub given: Option<Span>,
}

/// A name that a session has bound already.
#[derive(Clone, Debug)]
pub struct Known {
    /// The name.
    pub name: Name,
    /// Its value, or where it was deleted.
    pub value: Result<Value<Held, Scalar>, Span>,
}

/// What the proof found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Errors and warnings, in the order in which the walk met them.
    pub diagnostics: Vec<Diagnostic>,
    /// A bug of ours.
    pub broken: Option<Broken>,
    /// Statements that the walk went through, each time counted: its work.
    pub walked: usize,
}

impl Report {
    /// Whether the program may run.
    #[must_use]
    pub fn accepted(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// A compiled program that the walk met.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The `jit`, or an expression of the top level.
    pub function: Option<Name>,
    /// The call or expression.
    pub at: Span,
    /// Before any pass.
    pub program: Program,
}

/// Proves a program, keeping every compiled program that it will have.
#[must_use]
pub fn record(program: &Block) -> (Report, Vec<Recorded>) {
    let mut walk = Walk::new(&[], Rules::default());
    walk.recorded = Some(Vec::new());
    walk.block(program);
    (walk.report, walk.recorded.unwrap_or_default())
}

/// After so many rounds without a fixpoint, names that a loop binds are taken to share: a loop that hands arrays on
/// along a long chain of names would otherwise be walked once per name.
const MOST_ROUNDS: usize = 100;

/// The verdicts of a plan, and whether it is one of numbers.
pub(super) type Donations = Rc<(Vec<What>, bool)>;

/// The walk over one program.
pub struct Walk {
    /// What is known here.
    pub state: State,
    /// Where names are bound.
    pub level: Level,
    /// A `jit` is looked at: its free names are those of the top level, whoever calls it.
    pub outside: bool,
    /// Calls around this point, outermost first.
    pub calls: Vec<(Rc<Function>, Span)>,
    /// Values of calls inside the expression under evaluation.
    pub temporaries: BTreeMap<Name, Proved>,
    /// Nothing is reported: a loop looks for its fixpoint, or a body is walked for ownership alone.
    pub quiet: u32,
    pub(super) report: Report,
    pub(super) next: u64,
    pub(super) recorded: Option<Vec<Recorded>>,
    /// Everything that was to be reported so far, quietly or not.
    pub(super) said: usize,
    /// The first error that the search for the fixpoint of the loop under way met.
    hushed: Option<Diagnostic>,
    /// The plan's verdicts on donations by function and types, and whether they are those of numbers.
    pub(super) planned: HashMap<(Span, String), Donations>,
    seen: HashSet<(&'static str, Span)>,
    /// What holds at the head of each loop of this body, over all rounds seen so far: an inner loop is looked at
    /// anew in every round of the outer one, and starts from what it knows.
    pub(super) heads: HashMap<Span, State>,
    /// The names that are bound from here on, where a loop wants to know them.
    bound: Option<BTreeSet<Name>>,
    /// The rules in force.
    pub(super) rules: Rules,
    /// The parameters that the function under way only borrows.
    pub(super) borrowed: Rc<[Borrowed]>,
    /// What is known of functions already.
    pub(super) memo: Memo,
    /// A program was refused for its size: no other one is tried, since each try is long.
    pub(super) exhausted: bool,
}

/// Proves a program that starts with these names bound.
#[must_use]
pub fn check(program: &Block, known: &[Known]) -> Report {
    check_with(program, known, Rules::default())
}

/// Proves a program by some of the rules. Only with all of them is the verdict right: this is for the test that shows
/// that none can be left out.
#[must_use]
pub fn check_with(program: &Block, known: &[Known], rules: Rules) -> Report {
    let mut walk = Walk::new(known, rules);
    walk.block(program);
    walk.judge_definitions(program);
    walk.report
}

impl Walk {
    fn new(known: &[Known], rules: Rules) -> Self {
        let mut walk = Self {
            state: State::new(rules),
            level: Level::Global,
            outside: false,
            calls: Vec::new(),
            temporaries: BTreeMap::new(),
            quiet: 0,
            report: Report::default(),
            next: 0,
            recorded: None,
            planned: HashMap::new(),
            said: 0,
            hushed: None,
            seen: HashSet::new(),
            heads: HashMap::new(),
            bound: None,
            rules,
            borrowed: Rc::default(),
            memo: Memo::default(),
            exhausted: false,
        };
        // Buffers that a session holds are unnamed values that names share.
        let mut buffers: BTreeMap<(u64, bool), Key> = BTreeMap::new();
        for Known { name, value } in known {
            let value = match value {
                Ok(value) => value,
                Err(at) => {
                    walk.state.set(Level::Global, name, Slot::Deleted(*at));
                    continue;
                }
            };
            let mut dead = Vec::new();
            value.each_array(name, &mut |path, held| {
                if let Some(at) = held.given {
                    dead.push((Rc::<str>::from(path), at));
                }
            });
            let proved: Proved = value.map(
                &mut |held| {
                    let key = buffers.entry((held.buffer, held.given.is_some())).or_insert_with(|| {
                        walk.next += 1;
                        Key::Temporary(walk.next)
                    });
                    Tracked { ty: held.ty.clone(), from: BTreeSet::from([key.clone()]) }
                },
                &mut |scalar| host_type(scalar),
            );
            walk.state.bind(Level::Global, name, &proved, &mut walk.next, Span::default());
            for (path, at) in dead {
                let given = Given { at, path: path.clone(), maybe: None };
                walk.state.given.insert(Key::Leaf(Level::Global, path), given);
            }
        }
        walk.state.forget_temporaries(0);
        walk
    }

    /// Keeps a compiled program, if programs are kept and it computes anything.
    pub(super) fn keep(&mut self, function: Option<&Name>, at: Span, program: &Program) {
        let Some(recorded) = &mut self.recorded else { return };
        let known = recorded.iter().any(|other| other.function.as_ref() == function && other.program == *program);
        if self.quiet == 0 && !program.body.ops.is_empty() && !(function.is_some() && known) {
            recorded.push(Recorded { function: function.cloned(), at, program: program.clone() });
        }
    }

    /// Reports once per code and place.
    pub(super) fn say(&mut self, mut diagnostic: Diagnostic) {
        self.said += 1;
        if self.quiet > 0 && (self.hushed.is_some() || !diagnostic.is_error()) {
            return;
        }
        for (function, call) in self.calls.iter().rev() {
            if !diagnostic.labels.iter().any(|label| label.span == *call) {
                diagnostic = diagnostic.label(*call, format!("in this call of `{}`", function.name.name));
            }
        }
        if self.quiet > 0 {
            self.hushed = Some(diagnostic);
            return;
        }
        let at = diagnostic.labels.first().map(|label| label.span).unwrap_or_default();
        if self.seen.insert((diagnostic.code.0, at)) {
            self.report.diagnostics.push(diagnostic);
        }
    }

    /// Statements in order.
    pub(super) fn block(&mut self, block: &Block) {
        for statement in &block.statements {
            self.statement(statement);
        }
    }

    /// One statement. After an error in it, what it binds has no known type and is not reported again.
    pub(super) fn statement(&mut self, statement: &Statement) {
        let first = self.next;
        self.report.walked += 1;
        match &statement.kind {
            StatementKind::Bind { targets, annotation, value } => {
                if let [target] = targets.as_slice() {
                    if target.index.is_some() {
                        self.assign_elements(target, value);
                    } else {
                        let value = self.evaluate(value).and_then(|value| match annotation {
                            Some(annotation) => {
                                let ty = super::evaluate::type_of(&value);
                                match elaborate::bind::annotation(self, annotation, &ty, statement.span) {
                                    Ok(annotated) => {
                                        for (name, n) in annotated.dims {
                                            let known = Some(KnownHost::Int(n));
                                            let host = Value::Host(HostType { kind: HostKind::Int, known });
                                            self.state.bind(self.level, &name, &host, &mut self.next, statement.span);
                                        }
                                        let mut value = value;
                                        for (symbol, size) in &annotated.equal {
                                            self.state.assume(symbol, size);
                                            value = resized(&value, symbol, size);
                                        }
                                        Some(value)
                                    }
                                    Err(diagnostic) => {
                                        self.say(diagnostic);
                                        None
                                    }
                                }
                            }
                            None => Some(value),
                        });
                        self.assign(target, value, statement.span);
                    }
                } else {
                    self.destructure(targets, value, statement.span);
                }
            }
            StatementKind::Augment { target, op, value } => {
                let whole = target.augmented(*op, value, statement.span);
                if target.index.is_some() {
                    self.assign_elements(target, &whole);
                } else {
                    let value = self.evaluate(&whole);
                    self.assign(target, value, statement.span);
                }
            }
            StatementKind::Del(names) => {
                for name in names {
                    match self.state.slot(self.level, &name.name) {
                        Some(Slot::Bound { .. }) => {
                            self.state.unbind(self.level, &name.name);
                            let slot = Slot::Deleted(statement.span);
                            self.state.set(self.level, &name.name, slot);
                        }
                        Some(Slot::Unclear { why, at }) => {
                            let (why, at) = (*why, *at);
                            self.say(diagnostics::unclear(&name.name, name.span, why, at));
                        }
                        Some(Slot::Deleted(at)) => {
                            let at = *at;
                            self.say(diagnostics::deleted(&name.name, name.span, at));
                        }
                        None => self.say(diagnostics::nothing_to_delete(&name.name, name.span)),
                    }
                }
            }
            StatementKind::For { index, start, end, step, body } => {
                for bound in [Some(start), Some(end), step.as_ref()].into_iter().flatten() {
                    let _ = self.condition(bound);
                }
                let known = Some(KnownHost::Int(symbol(&index.name, index.span)));
                let round = Value::Host(HostType { kind: HostKind::Int, known });
                self.repeat(header(statement), |walk| {
                    walk.state.bind(walk.level, &index.name, &round, &mut walk.next, index.span);
                    walk.block(body);
                });
            }
            StatementKind::While { condition, body } => {
                let _ = self.condition(condition);
                self.repeat(header(statement), |walk| {
                    walk.block(body);
                    let _ = walk.condition(condition);
                });
            }
            StatementKind::If { condition, then, otherwise } => {
                let _ = self.condition(condition);
                let before = self.state.clone();
                self.block(then);
                let after = std::mem::replace(&mut self.state, before);
                if let Some(otherwise) = otherwise {
                    self.block(otherwise);
                }
                if self.rules.has(Rule::EitherPath) {
                    self.state = after.join(&self.state, header(statement));
                }
            }
            StatementKind::Bench { label, count, body } => {
                for part in [label.as_ref(), Some(count)].into_iter().flatten() {
                    let _ = self.condition(part);
                }
                self.repeat(header(statement), |walk| walk.block(body));
            }
            StatementKind::Assert { condition, message } => {
                if let Some(message) = message {
                    let _ = self.evaluate(message);
                }
                if let Some(value) = self.condition(condition)
                    && let Value::Host(HostType { known: Some(KnownHost::Bool(false)), .. }) = value
                {
                    self.say(crate::sema::diagnostics::refuted(None, condition.span));
                }
            }
            StatementKind::Function(function) => {
                let value = Value::Function(function.clone());
                self.state.bind(self.level, &function.name.name, &value, &mut self.next, function.name.span);
            }
            StatementKind::Expr(expr) => {
                if let Some(value) = self.evaluate(expr) {
                    self.use_value(&value, expr.span);
                }
            }
            StatementKind::Error => {}
        }
        // What is under way around this statement is older.
        self.state.forget_temporaries(first + 1);
    }

    /// A body that runs any number of times: the state at its head covers all rounds.
    fn repeat(&mut self, at: Span, mut round: impl FnMut(&mut Self)) {
        let before = self.state.clone();
        let mut head = match self.heads.remove(&at) {
            Some(known) if self.quiet > 0 => known.join(&before, at),
            _ => before,
        };
        let mut rounds = 0;
        if self.quiet == 0 {
            self.hushed = None;
        }
        self.quiet += 1;
        while self.rules.has(Rule::Rounds) {
            self.state = head.clone();
            let first = self.next;
            rounds += 1;
            let around = self.bound.take();
            self.bound = (around.is_some() || rounds % MOST_ROUNDS == 0).then(BTreeSet::new);
            round(self);
            let bound = std::mem::replace(&mut self.bound, around);
            if let (Some(around), Some(bound)) = (&mut self.bound, &bound) {
                around.extend(bound.iter().cloned());
            }
            // Unnamed values of one round are not those of the next: the fixpoint is over names.
            self.state.forget_temporaries(first + 1);
            let next = head.join(&self.state, at);
            if next == head {
                break;
            }
            head = next;
            if let Some(bound) = bound {
                head.widen(self.level, &bound);
            }
        }
        self.quiet -= 1;
        self.state = head.clone();
        if self.quiet == 0 || !self.rules.has(Rule::Rounds) {
            let (before, hushed) = (self.report.accepted(), self.hushed.take());
            round(self);
            self.state = head.join(&self.state, at);
            // After an error a name has no known type, and what follows from it is not reported: the error itself is.
            if let (true, true, Some(first)) = (before, self.report.accepted(), hushed) {
                self.say(first);
            }
        } else {
            self.heads.insert(at, head);
        }
    }

    fn destructure(&mut self, targets: &[Target], value: &Expr, at: Span) {
        let span = value.span;
        match self.evaluate(value) {
            Some(Value::Tuple(parts)) if parts.len() == targets.len() => {
                // All at once: `a, b = b, a` must not lose what `a` was when it is bound anew.
                let parts: Vec<Proved> = parts.iter().map(|part| self.unnamed(part)).collect();
                for (target, part) in targets.iter().zip(parts) {
                    self.assign(target, Some(part), at);
                }
            }
            Some(other) => {
                let found = match &other {
                    Value::Tuple(parts) => format!("a tuple of {}", parts.len()),
                    other => other.kind().to_owned(),
                };
                self.say(diagnostics::counts_differ(targets.len(), &found, span));
                targets.iter().for_each(|target| self.assign(target, None, at));
            }
            None => targets.iter().for_each(|target| self.assign(target, None, at)),
        }
    }

    /// The value under unnamed leaves, so that it does not depend on what names mean next.
    pub(super) fn unnamed(&mut self, value: &Proved) -> Proved {
        let (state, next) = (&mut self.state, &mut self.next);
        value.map(
            &mut |array| {
                *next += 1;
                let key = Key::Temporary(*next);
                state.shares.alias(&key, &array.from);
                if let Some(given) = array.from.iter().find_map(|key| state.given.get(key)).cloned() {
                    state.given.insert(key.clone(), given);
                }
                Tracked { ty: array.ty.clone(), from: BTreeSet::from([key]) }
            },
            &mut |host| host.clone(),
        )
    }

    /// Binds a name or a field; `None` is the value of an expression with an error.
    pub(super) fn assign(&mut self, target: &Target, value: Option<Proved>, at: Span) {
        let name = &target.root.name;
        let Some(value) = value else {
            if target.fields.is_empty() && target.index.is_none() {
                self.state.unbind(self.level, name);
                let slot = Slot::Unclear { why: "", at: target.span };
                self.state.set(self.level, name, slot);
            }
            return;
        };
        if target.index.is_some() {
            let temporary: Name = "%assigned".into();
            self.temporaries.insert(temporary.clone(), value);
            let expr = Expr { kind: ExprKind::Name(temporary.clone()), span: target.span };
            self.assign_elements(target, &expr);
            self.temporaries.remove(&temporary);
            return;
        }
        self.use_value(&value, at);
        if let Some(bound) = &mut self.bound {
            bound.insert(name.clone());
        }
        if target.fields.is_empty() {
            self.state.bind(self.level, name, &value, &mut self.next, at);
            return;
        }
        let Some(root) = self.read_name(name, target.root.span) else { return };
        let mut record = root;
        let mut slot = &mut record;
        for field in &target.fields {
            let Value::Record(fields) = slot else {
                return self.say(diagnostics::no_field(field));
            };
            match fields.iter_mut().find(|(name, _)| *name == field.name) {
                Some((_, inner)) => slot = inner,
                None => return self.say(diagnostics::no_field(field)),
            }
        }
        *slot = value;
        self.state.bind(self.level, name, &record, &mut self.next, at);
    }
}

/// The type of a host value that is known.
#[must_use]
pub fn host_type(scalar: &Scalar) -> HostType {
    let known = match scalar {
        Scalar::Int(n) => KnownHost::Int((*n).into()),
        Scalar::Float(x) => KnownHost::Float(*x),
        Scalar::Bool(b) => KnownHost::Bool(*b),
        Scalar::Str(s) => KnownHost::Str(s.clone()),
    };
    HostType { kind: scalar.kind(), known: Some(known) }
}

/// A loop or branch without its body.
fn header(statement: &Statement) -> Span {
    let last = match &statement.kind {
        StatementKind::For { end, step, .. } => step.as_ref().unwrap_or(end).span,
        StatementKind::While { condition, .. } | StatementKind::If { condition, .. } => condition.span,
        StatementKind::Bench { count, .. } => count.span,
        _ => statement.span,
    };
    Span { end: last.end, ..statement.span }
}
