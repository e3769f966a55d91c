//! Scopes: what each name means now. Binding and dropping keep the ledger.
//!
//! Invariant: the ledger lists exactly the array leaves of the values bound here, and what the cache holds.

use super::{Live, Session};
use crate::base::Span;
use crate::ledger::Holder;
use crate::syntax::ast::Name;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a name means.
#[derive(Debug)]
pub enum Slot {
    /// A value.
    Bound {
        /// What it is.
        value: Live,
        /// The statement that bound it.
        since: Span,
    },
    /// It was dropped or given away.
    Gone {
        /// The statement.
        at: Span,
        /// `deleted` or `donated`.
        how: &'static str,
    },
}

/// One scope: the top level, or a running call of a `fn`.
#[derive(Debug, Default)]
pub struct Frame {
    /// Its names.
    pub names: FxHashMap<Name, Slot>,
    /// Values of calls inside the expression under evaluation; not in the ledger.
    pub temporaries: FxHashMap<Name, Live>,
    /// The function, in a call.
    pub function: Option<Name>,
    /// The call.
    pub call: Span,
}

/// All scopes.
#[derive(Debug, Default)]
pub struct Names {
    /// The top level.
    pub globals: Frame,
    /// Running calls, innermost last.
    pub calls: Vec<Frame>,
}

impl Names {
    /// The innermost scope.
    #[must_use]
    pub fn current(&self) -> &Frame {
        self.calls.last().unwrap_or(&self.globals)
    }

    /// The innermost scope.
    pub fn current_mut(&mut self) -> &mut Frame {
        self.calls.last_mut().unwrap_or(&mut self.globals)
    }

    /// What a name means here: local, else global.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Slot> {
        self.current().names.get(name).or_else(|| self.globals.names.get(name))
    }

    /// The value that a name or temporary has here.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&Live> {
        if let Some(value) = self.current().temporaries.get(name) {
            return Some(value);
        }
        match self.find(name)? {
            Slot::Bound { value, .. } => Some(value),
            Slot::Gone { .. } => None,
        }
    }

    /// Forgets temporaries that a failed statement left behind.
    pub fn leave_all(&mut self) {
        self.globals.temporaries.clear();
    }
}

/// The holder that stands for `path` in the `depth`-th scope.
fn holder(function: Option<&Name>, depth: usize, path: &Rc<str>) -> Holder {
    match function {
        Some(function) => Holder::Local { depth: depth as u32, function: function.clone(), path: path.clone() },
        None => Holder::Name(path.clone()),
    }
}

impl Session {
    /// Binds `name` in the innermost scope; what it held is released.
    pub fn bind(&mut self, name: &Name, value: Live) {
        self.release(name);
        self.account(name, &value, true);
        let since = self.at;
        self.names.current_mut().names.insert(name.clone(), Slot::Bound { value, since });
    }

    /// Releases what `name` holds in the innermost scope; the caller binds it anew or marks it gone.
    pub fn release(&mut self, name: &Name) {
        if let Some(Slot::Bound { value, .. }) = self.names.current_mut().names.remove(name) {
            self.account(name, &value, false);
        }
    }

    /// Marks `name` as gone.
    pub fn gone(&mut self, name: &Name, at: Span, how: &'static str) {
        self.release(name);
        self.names.current_mut().names.insert(name.clone(), Slot::Gone { at, how });
    }

    fn account(&mut self, name: &Name, value: &Live, hold: bool) {
        let depth = self.names.calls.len();
        let function = self.names.current().function.clone();
        let ledger = &mut self.ledger;
        let mut visit = |path: &Rc<str>, array: &crate::runtime::Array| {
            let holder = holder(function.as_ref(), depth, path);
            if hold {
                ledger.hold(array.id(), &array.contents(), holder);
            } else {
                ledger.release(array.id(), &holder);
            }
        };
        if let Live::Array(array) = value {
            visit(name, array);
        } else {
            value.each_array(name, &mut |path, array| visit(&path.into(), array));
        }
    }

    /// Starts a call: names bound from now on are its own.
    pub fn enter(&mut self, function: &Name, call: Span) {
        self.names.calls.push(Frame { function: Some(function.clone()), call, ..Frame::default() });
    }

    /// Ends the innermost call; its names are dropped.
    pub fn leave(&mut self) {
        let names: Vec<Name> = self.names.current().names.keys().cloned().collect();
        for name in names {
            self.release(&name);
        }
        self.names.calls.pop();
    }
}
