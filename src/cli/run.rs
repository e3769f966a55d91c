//! `arr run FILE`: check, then run.

use super::options::Run;
use super::report::{self, DONE, FAILED};
use crate::base::{Broken, Sources};
use crate::driver::examine::{Asked, Examined};
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
    let asked = Asked { budget: options.budget, ledger: options.verify, ..Asked::default() };
    let name = options.file.display().to_string();
    let examined = Examined::before_running(&mut sources, &name, &text, &asked);
    report::findings(&sources, &examined.checked);
    if !examined.accepted() {
        return FAILED;
    }
    let open = if options.verify { device::verifying } else { device::open };
    let mut device = match open(options.device.backend(), options.threads) {
        Ok(device) => device,
        Err(unavailable) => {
            report::failure(&sources, &Failure::Unavailable(unavailable));
            return FAILED;
        }
    };
    device.budget = options.budget;
    let mut session = Session::new(device, Box::new(std::io::stdout()));
    let mut before = session.ledger.clone();
    let ledger = options.ledger;
    let mut moments = examined.prediction.iter().flat_map(|prediction| &prediction.moments);
    let verify = options.verify;
    let done = session.run(&examined.checked.program, &mut |session, _| {
        if ledger {
            let changes = crate::driver::session::changes(&before, session);
            session.print(&changes)?;
            before = session.ledger.clone();
        }
        if let (true, Some(moment)) = (verify, moments.next())
            && !moment.foresaw(&session.ledger)
        {
            return Err(Broken::new("verify", "the ledger is not the one that was predicted").into());
        }
        Ok(())
    });
    match done {
        Ok(()) | Err(Failure::Closed) => DONE,
        Err(failure) => {
            report::failure(&sources, &failure);
            if matches!(failure, Failure::Unavailable(_)) {
                report::say(&format!("{}\n", session.ledger.table()));
            }
            FAILED
        }
    }
}
