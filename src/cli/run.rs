//! `arr run FILE`: check, then run.

use super::options::Run;
use super::report::{self, DONE, FAILED};
use crate::base::Sources;
use crate::driver::checked::Checked;
use crate::driver::failure::Failure;
use crate::driver::session::{Session, device};

/// Runs the command and returns the exit status.
#[must_use]
pub fn run(options: &Run) -> u8 {
    let text = match report::read(&options.file) {
        Ok(text) => text,
        Err(status) => return status,
    };
    let mut sources = Sources::default();
    let checked = Checked::new(&mut sources, &options.file.display().to_string(), &text, &[]);
    report::findings(&sources, &checked);
    if !checked.accepted() {
        return FAILED;
    }
    let device = match device::open(options.device.backend(), options.threads) {
        Ok(device) => device,
        Err(unavailable) => {
            report::failure(&sources, &Failure::Unavailable(unavailable));
            return FAILED;
        }
    };
    let mut session = Session::new(device, Box::new(std::io::stdout()));
    let mut before = session.ledger.clone();
    let ledger = options.ledger;
    let done = session.run(&checked.program, &mut |session, _| {
        if ledger {
            let changes = crate::driver::session::changes(&before, session);
            session.print(&changes)?;
            before = session.ledger.clone();
        }
        Ok(())
    });
    match done {
        Ok(()) => DONE,
        Err(Failure::Closed) => DONE,
        Err(failure) => {
            report::failure(&sources, &failure);
            FAILED
        }
    }
}
