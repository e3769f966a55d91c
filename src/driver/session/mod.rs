//! A session: names with live values, the ledger, the cache of compiled programs. Files and the prompt both use it.
//!
//! Statements are carried out one by one; each happens whole or not at all. Invariant, asserted after each statement
//! of the top level in debug builds: the ledger's bytes are the bytes that the device has handed out.

pub mod names;
pub mod statement;
pub mod evaluate;
pub mod site;
pub mod call;
pub mod cache;
pub mod instruments;
pub mod show;
pub mod device;

use crate::base::{Broken, Shape, Span};
use crate::driver::failure::{Failure, Outcome};
use crate::ir::array::ArrayType;
use crate::ledger::{BufferId, Ledger};
use crate::proof::Known;
use crate::proof::walk::Held;
use crate::runtime::Array;
use crate::runtime::execute::Device;
use crate::sema::value::{Scalar, Value};
use crate::syntax::ast::{Block, Statement, StatementKind};
use cache::Cache;
use names::{Names, Slot};
use rustc_hash::FxHashMap;
use site::Site;
use std::collections::BTreeSet;
use std::io::Write;
use std::rc::Rc;

/// A value of the session: arrays are live buffers, host values are known.
pub type Live = Value<Array, Scalar>;

/// What the last statement changed since `before`, as the prompt prints it.
#[must_use]
pub fn changes(before: &Ledger, session: &Session) -> String {
    crate::ledger::changes::report(before, &session.ledger, &session.donated)
}

/// Everything that lives between statements.
pub struct Session {
    /// Where arrays live.
    pub device: Device,
    /// Who holds what.
    pub ledger: Ledger,
    /// Names in scope.
    pub names: Names,
    /// Buffers given away by the statement that runs, for the report of changes.
    pub donated: BTreeSet<BufferId>,
    /// The statement under way.
    at: Span,
    cache: Cache,
    sites: FxHashMap<Span, Rc<Site>>,
    out: Box<dyn Write>,
}

impl Session {
    /// An empty session on a device that prints to `out`.
    #[must_use]
    pub fn new(device: Device, out: Box<dyn Write>) -> Self {
        Self {
            device,
            ledger: Ledger::default(),
            names: Names::default(),
            donated: BTreeSet::new(),
            at: Span::default(),
            cache: Cache::default(),
            sites: FxHashMap::default(),
            out,
        }
    }

    /// Writes a line of program output.
    ///
    /// # Errors
    /// When nobody reads it any more.
    pub fn print(&mut self, text: &str) -> Outcome<()> {
        writeln!(self.out, "{text}").and_then(|()| self.out.flush()).map_err(|_| Failure::Closed)
    }

    /// Carries out the statements of a checked program in order, `after` each of the top level.
    ///
    /// # Errors
    /// The first failure; earlier statements stay done.
    pub fn run(&mut self, program: &Block, after: &mut dyn FnMut(&mut Self, Span) -> Outcome<()>) -> Outcome<()> {
        for statement in &program.statements {
            self.donated.clear();
            let done = self.statement(statement);
            self.names.leave_all();
            done?;
            self.balanced()?;
            after(self, statement.span)?;
        }
        Ok(())
    }

    /// Carries out one statement as the prompt does: the value of an expression is printed, and never held.
    ///
    /// # Errors
    /// The failure; the statement has had no effect.
    pub fn shown(&mut self, statement: &Statement) -> Outcome<()> {
        self.donated.clear();
        let done = match &statement.kind {
            StatementKind::Expr(expr) => self.evaluate(expr).and_then(|value| match value {
                Value::Unit => Ok(()),
                value => {
                    let text = self.text(&value)?;
                    self.print(&text)
                }
            }),
            _ => self.statement(statement),
        };
        self.names.leave_all();
        done?;
        self.balanced()
    }

    /// What the proof needs to know of the names bound here.
    #[must_use]
    pub fn known(&self) -> Vec<Known> {
        let mut known: Vec<Known> = Vec::new();
        for (name, slot) in &self.names.globals.names {
            let value = match slot {
                Slot::Gone { at, .. } => Err(*at),
                Slot::Bound { value, .. } => {
                    let held = value.map(
                        &mut |array: &Array| {
                            let extents = array.extents.iter().map(|&extent| extent.into()).collect();
                            let ty = ArrayType::new(array.dtype, Shape(extents));
                            Held { ty, buffer: array.id().0, given: array.given() }
                        },
                        &mut |scalar| scalar.clone(),
                    );
                    Ok(held)
                }
            };
            known.push(Known { name: name.clone(), value });
        }
        known.sort_by(|a, b| a.name.cmp(&b.name));
        known
    }

    /// The guard behind the proof: a value that is bound, passed or dropped has all its buffers.
    ///
    /// # Errors
    /// When one was given away.
    pub fn alive(&self, value: &Live) -> Outcome<()> {
        let gone = match value {
            Value::Array(array) => array.given().is_some(),
            Value::Tuple(items) => return items.iter().try_for_each(|item| self.alive(item)),
            Value::Record(fields) => return fields.iter().try_for_each(|(_, item)| self.alive(item)),
            _ => false,
        };
        if gone { Err(Broken::new("session", "no buffer is used after it was given away").into()) } else { Ok(()) }
    }

    /// The invariant between ledger and device.
    ///
    /// # Errors
    /// In debug builds, when they disagree.
    pub fn balanced(&self) -> Outcome<()> {
        let (ledger, device) = (self.ledger.bytes(), self.device.backend.allocated());
        if cfg!(debug_assertions) && ledger != device {
            let invariant = format!("the ledger's {ledger} B are the device's {device} B");
            return Err(Broken::new("session", invariant).into());
        }
        Ok(())
    }

    /// Stops here if Ctrl-C was pressed.
    ///
    /// # Errors
    /// [`Failure::Interrupted`].
    pub fn interrupted(&self) -> Outcome<()> {
        if self.device.interrupt.swap(false, std::sync::atomic::Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        Ok(())
    }
}
