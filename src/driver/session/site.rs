//! Expressions at their places in the text, prepared for evaluation, with the programs compiled for them.

use super::Session;
use super::cache::Prepared;
use crate::sema::split::{Split, Splitter};
use crate::sema::value::Value;
use crate::syntax::ast::{Arg, Expr, Target};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Programs kept per place in the text; more signatures than these compile again.
const PROGRAMS_PER_SITE: usize = 32;

/// A place in the text.
pub struct Site {
    /// The expression in the order in which it runs.
    pub split: Split,
    /// Programs of what remains, one per signature, the latest last.
    pub programs: RefCell<Vec<Rc<Prepared>>>,
    /// It computes host values from host values: evaluated directly.
    pub host: Cell<bool>,
}

impl Site {
    fn new(split: Split) -> Rc<Self> {
        Rc::new(Self { split, programs: RefCell::default(), host: Cell::new(false) })
    }

    /// Keeps a program; the oldest goes when there are too many.
    pub(super) fn remember(&self, prepared: Rc<Prepared>) {
        let mut programs = self.programs.borrow_mut();
        if programs.len() == PROGRAMS_PER_SITE {
            programs.remove(0);
        }
        programs.push(prepared);
    }
}

impl Session {
    /// Splits with what names mean now.
    pub(super) fn splitting<T>(&self, with: impl FnOnce(Splitter<'_>) -> T) -> T {
        let is_function = |name: &str| matches!(self.names.value(name), Some(Value::Function(_)));
        with(Splitter { is_function: &is_function })
    }

    /// The prepared form of `expr`; kept until a function is defined anew.
    pub(super) fn site(&mut self, expr: &Expr) -> Rc<Site> {
        if let Some(site) = self.sites.get(&expr.span) {
            return site.clone();
        }
        let site = Site::new(self.splitting(|splitter| splitter.expression(expr)));
        self.sites.insert(expr.span, site.clone());
        site
    }

    /// Where the programs of an assignment are kept.
    pub(super) fn assignment_site(&mut self, target: &Target, value: &Expr) -> Rc<Site> {
        let split = || Split { steps: Vec::new(), rest: value.clone(), free: Vec::new() };
        self.sites.entry(target.span).or_insert_with(|| Site::new(split())).clone()
    }

    /// Forgets all prepared forms: what a name means may have changed.
    pub(super) fn forget_sites(&mut self) {
        self.sites.clear();
    }

    /// Whether a call of `callee` with these arguments runs by itself.
    pub(super) fn runs_by_itself(&self, callee: &Expr, args: &[Arg]) -> bool {
        self.splitting(|splitter| splitter.runs_by_itself(callee, args))
    }
}
