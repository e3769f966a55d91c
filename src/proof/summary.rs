//! What a call of a function does to its caller, computed once: what its result may be, what it gives away, whether it
//! found anything to report.
//!
//! A body is walked in a state of its own. Of the caller it knows what its footprint can look at: which of the arguments
//! and global leaves may share a buffer, and which of the globals are given away. Two calls that agree in these have the
//! same effect, so functions that call each other cost the sum of their bodies and not the number of paths through them.
//!
//! ```text
//! fn both(x, y) = (x, y, x * 2.0)     # result: argument 0, argument 1, something new; gives nothing away
//! ```
//! Each argument and global leaf has a tag in the body's state, which shares with it alone. What a value of the body
//! shares with the outside is read off the tags among its aliases. Invariant: a summary is used only where its body
//! would be walked with the same findings, or with fewer that are new.

use super::footprint::{Footprint, Footprints, functions_in};
use super::rules::Rule;
use super::state::{Given, Key, Level, Proved, Slot, State, Tracked};
use super::walk::Walk;
use crate::base::{Size, Span};
use crate::ir::array::ArrayType;
use crate::sema::elaborate::{self, Elaborated};
use crate::sema::value::{HostKind, HostType, Known, Type, Value};
use crate::syntax::ast::{Function, Name};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;
use std::rc::Rc;

/// Elaborated programs that are kept; more are forgotten, since each call with a new number has its own.
const KEPT: usize = 4096;

/// A parameter that is only borrowed.
#[derive(Clone, Debug)]
pub struct Borrowed {
    /// Which parameter.
    pub index: usize,
    /// What stands for the caller's buffer.
    pub tag: BTreeSet<Key>,
}

/// What is known of functions.
#[derive(Debug, Default)]
pub struct Memo {
    footprints: Footprints,
    summaries: HashMap<String, Rc<Summary>>,
    elaborated: HashMap<String, Rc<Elaborated>>,
    /// How deep the calls of the body under way go so far.
    deepest: usize,
}

/// The effect of a call.
#[derive(Debug)]
struct Summary {
    /// The result: each leaf with the items whose buffer it may be. `None` after an error in it.
    result: Option<Value<(ArrayType, BTreeSet<usize>), HostType>>,
    /// Leaves of the result that may share a buffer.
    pairs: Vec<(usize, usize)>,
    /// Items that are given away.
    given: Vec<(usize, Given)>,
    /// Something was to be reported.
    said: bool,
    /// It was reported.
    loud: bool,
    /// Calls inside one another, this one included.
    depth: usize,
}

/// A leaf that a body can reach: of an argument, or of a global name.
struct Item {
    /// Its leaf inside the body.
    inside: Key,
    /// The caller's leaves.
    from: BTreeSet<Key>,
    /// How a global was given away before.
    given: Option<Given>,
}

/// A value's type as text: equal texts, equal types.
fn write_type<A>(text: &mut String, value: &Value<A, HostType>, array: &dyn Fn(&A) -> &ArrayType) {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Array(leaf) => write!(text, "{};", array(leaf)),
        Value::Host(host) => match &host.known {
            Some(Known::Int(Size::Known(n))) => write!(text, "int {n};"),
            Some(Known::Int(size)) => write!(text, "int {size};"),
            Some(Known::Float(x)) => write!(text, "float {:x};", x.to_bits()),
            Some(Known::Bool(b)) => write!(text, "bool {b};"),
            Some(Known::Str(s)) => write!(text, "str {s:?};"),
            None => write!(text, "{};", host.kind.name()),
        },
        Value::DType(dtype) => write!(text, "dtype {dtype};"),
        Value::Tuple(items) => {
            text.push('(');
            items.iter().for_each(|item| write_type(text, item, array));
            write!(text, ")")
        }
        Value::Record(fields) => {
            text.push('{');
            for (name, item) in fields {
                let _ = write!(text, "{name}:");
                write_type(text, item, array);
            }
            write!(text, "}}")
        }
        Value::Function(function) => write!(text, "function {:p};", Rc::as_ptr(function)),
        Value::Builtin(name) => write!(text, "builtin {name};"),
        Value::Unit => write!(text, "unit;"),
    };
}

fn write_slot(text: &mut String, slot: Option<&Slot>) {
    match slot {
        Some(Slot::Bound { value, .. }) => write_type(text, value, &|array: &Tracked| &array.ty),
        Some(Slot::Unclear { why, .. }) => text.push_str(if why.is_empty() { "wrong;" } else { "unclear;" }),
        Some(Slot::Deleted(_)) => text.push_str("deleted;"),
        None => text.push_str("none;"),
    }
}

impl Walk {
    /// Walks the body of a function whose parameters have these values, or does what that walk would do.
    pub(super) fn body(
        &mut self,
        function: &Rc<Function>,
        values: &[Proved],
        dims: &[(Name, Size)],
        at: Span,
    ) -> Option<Proved> {
        let footprint = self.footprint(function, values);
        let items = self.items(function, values, &footprint);
        let (key, pairs) = self.question(function, values, &footprint, &items);
        let known = self.memo.summaries.get(&key).filter(|known| {
            // What was found quietly has still to be reported, and programs to be kept.
            known.loud || self.quiet > 0 || (!known.said && self.recorded.is_none())
        });
        let summary = match known {
            Some(known) => known.clone(),
            None => {
                let summary = Rc::new(self.walk_body(function, values, dims, (&items, &pairs), at));
                self.memo.summaries.insert(key, summary.clone());
                summary
            }
        };
        self.memo.deepest = self.memo.deepest.max(summary.depth);
        self.said += usize::from(summary.said);
        self.replay(&summary, &items)
    }

    fn footprint(&mut self, function: &Rc<Function>, values: &[Proved]) -> Rc<Footprint> {
        let mut roots = vec![function.clone()];
        values.iter().for_each(|value| functions_in(value, &mut roots));
        self.memo.footprints.of(&roots, &mut self.state)
    }

    /// The leaves that the body can reach.
    fn items(&self, function: &Function, values: &[Proved], footprint: &Footprint) -> Vec<Item> {
        let mut items = Vec::new();
        for (param, value) in function.params.iter().zip(values) {
            value.each_array(&param.name.name, &mut |path, array| {
                let inside = Key::Leaf(Level::Local, path.into());
                items.push(Item { inside, from: array.from.clone(), given: None });
            });
        }
        for name in &footprint.others {
            let Some(Slot::Bound { value, .. }) = self.state.slot(Level::Global, name) else { continue };
            value.each_array(name, &mut |_, array| {
                for inside in &array.from {
                    let given = self.state.given.get(inside).cloned();
                    items.push(Item { inside: inside.clone(), from: BTreeSet::from([inside.clone()]), given });
                }
            });
        }
        items
    }

    /// Everything that the effect of the call depends on, as text; and which items may share a buffer.
    fn question(
        &self,
        function: &Rc<Function>,
        values: &[Proved],
        footprint: &Footprint,
        items: &[Item],
    ) -> (String, Vec<(usize, usize)>) {
        let mut text = format!("{:p} {}:", Rc::as_ptr(function), footprint.number);
        values.iter().for_each(|value| write_type(&mut text, value, &|array: &Tracked| &array.ty));
        for name in &footprint.others {
            write_slot(&mut text, self.state.slot(Level::Global, name));
        }
        let mut by_key: BTreeMap<&Key, Vec<usize>> = BTreeMap::new();
        let mut by_group: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (at, item) in items.iter().enumerate() {
            item.from.iter().for_each(|key| by_key.entry(key).or_default().push(at));
            let groups = self.state.shares.groups_of(&item.from);
            groups.into_iter().for_each(|group| by_group.entry(group).or_default().push(at));
        }
        let mut pairs = BTreeSet::new();
        for same in by_key.values().chain(by_group.values()) {
            for (k, a) in same.iter().enumerate() {
                pairs.extend(same.iter().skip(k + 1).map(|b| (*a, *b)));
            }
        }
        for (a, b) in &pairs {
            let _ = write!(text, "{a}={b},");
        }
        for (at, item) in items.iter().enumerate() {
            if let Some(given) = &item.given {
                let _ = write!(text, "{at}{}", if given.maybe.is_some() { "?" } else { "!" });
            }
        }
        (text, pairs.into_iter().collect())
    }

    /// The walk itself, in a state that knows the items and no more.
    fn walk_body(
        &mut self,
        function: &Rc<Function>,
        values: &[Proved],
        dims: &[(Name, Size)],
        (items, pairs): (&[Item], &[(usize, usize)]),
        at: Span,
    ) -> Summary {
        let mut inner = self.state.outside();
        for (name, size) in dims {
            let host = Value::Host(HostType { kind: HostKind::Int, known: Some(Known::Int(size.clone())) });
            inner.bind(Level::Local, name, &host, &mut self.next, at);
        }
        let first = self.next;
        let mut borrowed = Vec::new();
        for (index, (param, value)) in function.params.iter().zip(values).enumerate() {
            let tagged = self.fresh_leaves(value);
            if !param.donate {
                tagged.each_array("", &mut |_, array| {
                    borrowed.push(Borrowed { index, tag: array.from.clone() });
                });
            }
            inner.bind(Level::Local, &param.name.name, &tagged, &mut self.next, param.span);
        }
        let arguments = (self.next - first) as usize;
        let tags: Vec<Key> = (0..items.len() as u64).map(|at| Key::Temporary(first + 1 + at)).collect();
        self.next = first + items.len() as u64;
        for (item, tag) in items.iter().zip(&tags).skip(arguments) {
            inner.shares.pair(tag, &item.inside);
            if let Some(given) = &item.given {
                inner.given.insert(item.inside.clone(), given.clone());
            }
        }
        for &(a, b) in pairs {
            if let (Some(a), Some(b)) = (items.get(a), items.get(b)) {
                inner.shares.pair(&a.inside, &b.inside);
            }
        }
        let outer = (
            std::mem::replace(&mut self.state, inner),
            std::mem::replace(&mut self.level, Level::Local),
            std::mem::take(&mut self.temporaries),
            std::mem::take(&mut self.heads),
            std::mem::replace(&mut self.borrowed, borrowed.into()),
            std::mem::take(&mut self.memo.deepest),
        );
        let said = self.said;
        self.calls.push((function.clone(), at));
        let result = self.value_of(&function.body);
        self.calls.pop();
        let inner = std::mem::replace(&mut self.state, outer.0);
        (self.level, self.temporaries, self.heads, self.borrowed) = (outer.1, outer.2, outer.3, outer.4);
        let depth = 1 + std::mem::replace(&mut self.memo.deepest, outer.5);
        let (said, loud) = (self.said > said, self.quiet == 0);
        let (result, pairs) = seen_from_outside(result.as_ref(), &inner, &tags);
        let given = tags.iter().enumerate().filter_map(|(at, tag)| Some((at, inner.given.get(tag)?.clone())));
        Summary { result, pairs, given: given.collect(), said, loud, depth }
    }

    /// The effect of the call on the state.
    fn replay(&mut self, summary: &Summary, items: &[Item]) -> Option<Proved> {
        for (at, given) in &summary.given {
            let Some(item) = items.get(*at) else { continue };
            for key in self.state.shares.closure(&item.from) {
                if !self.state.given.contains_key(&key) {
                    self.state.given.insert(key, given.clone());
                }
            }
        }
        let result = summary.result.as_ref()?;
        let mut renewed: Vec<Key> = Vec::new();
        let value: Proved = result.map(
            &mut |(ty, sources)| {
                let mut from = BTreeSet::new();
                if self.rules.has(Rule::ResultsShare) {
                    sources
                        .iter()
                        .filter_map(|&at| items.get(at))
                        .for_each(|item| from.extend(item.from.iter().cloned()));
                }
                self.next += 1;
                let key = Key::Temporary(self.next);
                self.state.shares.alias(&key, &from);
                renewed.push(key.clone());
                // What comes back is alive on the path on which it comes back, whatever was given on others.
                from.retain(|source| !self.state.given.contains_key(source));
                from.insert(key);
                Tracked { ty: ty.clone(), from }
            },
            &mut |host| host.clone(),
        );
        for &(a, b) in &summary.pairs {
            if let (Some(a), Some(b)) = (renewed.get(a), renewed.get(b)) {
                self.state.shares.pair(a, b);
            }
        }
        Some(value)
    }

    /// The program of a call of a `jit`, elaborated once for each key.
    pub(super) fn elaborated_call(
        &mut self,
        function: &Rc<Function>,
        values: &[Proved],
        types: &[Type],
        at: Span,
    ) -> Option<Rc<Elaborated>> {
        if self.exhausted {
            return None;
        }
        let key = if self.recorded.is_none() { self.program_key(function, values, types) } else { None };
        if let Some(known) = key.as_ref().and_then(|key| self.memo.elaborated.get(key)) {
            return Some(known.clone());
        }
        let elaborated = match elaborate::call(self, function, types, at) {
            Ok(elaborated) => Rc::new(elaborated),
            Err(rejected) => {
                self.rejected(rejected);
                return None;
            }
        };
        // Warnings name the call.
        if let Some(key) = key.filter(|_| elaborated.warnings.is_empty()) {
            if self.memo.elaborated.len() >= KEPT {
                self.memo.elaborated.clear();
            }
            self.memo.elaborated.insert(key, elaborated.clone());
        }
        Some(elaborated)
    }

    /// The key of an elaborated program of a `jit`, where it depends on nothing but what the key says.
    fn program_key(&mut self, function: &Rc<Function>, values: &[Proved], types: &[Type]) -> Option<String> {
        let footprint = self.footprint(function, values);
        // Inside a call, a name of the call hides the global one.
        if self.state.locals().any(|name| footprint.functions.contains_key(name)) {
            return None;
        }
        let mut text = format!("{:p} {}:", Rc::as_ptr(function), footprint.number);
        types.iter().for_each(|ty| write_type(&mut text, ty, &|ty: &ArrayType| ty));
        for name in &footprint.others {
            let slot = self.find(name);
            if let Some(Slot::Bound { value, .. }) = slot {
                let mut inside = Vec::new();
                functions_in(value, &mut inside);
                if !inside.is_empty() {
                    return None;
                }
            }
            write_slot(&mut text, slot);
        }
        Some(text)
    }
}

/// A result by the tags among its aliases, and which of its leaves may share a buffer.
#[expect(clippy::type_complexity, reason = "the two fields of a summary")]
fn seen_from_outside(
    result: Option<&Proved>,
    inner: &State,
    tags: &[Key],
) -> (Option<Value<(ArrayType, BTreeSet<usize>), HostType>>, Vec<(usize, usize)>) {
    let Some(result) = result else { return (None, Vec::new()) };
    let groups: Vec<(&Key, BTreeSet<u64>)> =
        tags.iter().map(|tag| (tag, inner.shares.groups_of(&BTreeSet::from([tag.clone()])))).collect();
    let mut leaves: Vec<BTreeSet<Key>> = Vec::new();
    let value = result.map(
        &mut |array| {
            let own = inner.shares.groups_of(&array.from);
            let is = |(tag, groups): &(&Key, BTreeSet<u64>)| array.from.contains(*tag) || !own.is_disjoint(groups);
            let sources = groups.iter().enumerate().filter(|(_, tag)| is(tag)).map(|(at, _)| at).collect();
            leaves.push(array.from.clone());
            (array.ty.clone(), sources)
        },
        &mut |host| host.clone(),
    );
    let mut pairs = Vec::new();
    for (a, one) in leaves.iter().enumerate() {
        let others = leaves.iter().enumerate().skip(a + 1);
        pairs.extend(others.filter(|(_, other)| inner.shares.may_share(one, other)).map(|(b, _)| (a, b)));
    }
    (Some(value), pairs)
}
