//! Why a statement was not carried out: one of the four kinds of error, or the user's Ctrl-C.

use crate::backends::Stop;
use crate::base::{Broken, Diagnostic, Fault, Unavailable};
use crate::ir::plan::Plan;
use crate::sema::elaborate::Rejected;

/// The reason. Whatever it is, names, values and ledger are as they were before the statement.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The program is wrong; nothing ran.
    Rejected(Vec<Diagnostic>),
    /// It failed while running.
    Fault(Fault),
    /// The environment lacks something.
    Unavailable(Unavailable),
    /// A bug of ours.
    Broken(Broken),
    /// Ctrl-C.
    Interrupted,
    /// Nobody reads the output any more.
    Closed,
}

/// Result of doing something in a session.
pub type Outcome<T> = Result<T, Failure>;

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Rejected(vec![diagnostic])
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl From<Unavailable> for Failure {
    fn from(unavailable: Unavailable) -> Self {
        Self::Unavailable(unavailable)
    }
}

impl From<Rejected> for Failure {
    fn from(rejected: Rejected) -> Self {
        match rejected {
            Rejected::Diagnostics(all) => Self::Rejected(all),
            Rejected::Fault(fault) => Self::Fault(fault),
        }
    }
}

impl Failure {
    /// What a stopped run of `plan` means to the user.
    #[must_use]
    pub fn from_stop(stop: Stop, plan: &Plan) -> Self {
        let (check, shown) = match stop {
            Stop::Check { check, shown } => (check, shown),
            Stop::Interrupted => return Self::Interrupted,
            Stop::Different { span, message } => {
                let help = "this is a bug in arr, not in your program: please report it with the program";
                return Self::Fault(Fault::new("R0301", message, span).help(help));
            }
            Stop::Broken(broken) => return Self::Broken(broken),
        };
        let Some((check, span)) = plan.checks.get(check) else {
            return Self::Broken(Broken::new("driver", "a check that fails is in the plan"));
        };
        let mut message = check.message.clone();
        for (at, value) in shown.iter().enumerate() {
            message = message.replace(&format!("{{{at}}}"), &value.to_string());
        }
        let mut fault = Fault::new(check.code, message, *span);
        fault.help.clone_from(&check.help);
        Self::Fault(fault)
    }
}
