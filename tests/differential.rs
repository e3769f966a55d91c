//! Random programs, as text, say the same on every device, as `fn` and as `jit`, lent and given away.
//!
//! A program is a function of two matrices and a vector with random operations, loops and branches, called in four
//! ways. Matrix products, whose order is the library's, are left out. `ARR_PROGRAMS=N` runs more.

use arr::base::Sources;
use arr::driver::checked::Checked;
use arr::driver::session::{Session, device};
use arr::driver::stack::on_large_stack;
use std::cell::RefCell;
use std::io::Write;
use std::rc::Rc;

mod random_programs;
use random_programs::Random;

#[derive(Clone, Default)]
struct Printed(Rc<RefCell<Vec<u8>>>);

impl Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What it prints, or why it stops; `None` when it is refused.
fn run(text: &str, on: &str, threads: usize) -> Option<String> {
    let checked = Checked::new(&mut Sources::default(), "random", text, &[]);
    if !checked.accepted() {
        return None;
    }
    let printed = Printed::default();
    let device = device::open(on, Some(threads)).expect("the device is here");
    let mut session = Session::new(device, Box::new(printed.clone()));
    let done = session.run(&checked.program, &mut |session, _| session.balanced());
    let mut said = String::from_utf8(printed.0.borrow().clone()).expect("UTF-8");
    if let Err(failure) = done {
        said += &format!("{failure:?}");
    }
    Some(said)
}

#[test]
fn random_programs_say_the_same_everywhere() {
    let wanted = std::env::var("ARR_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    on_large_stack(|| {
        let (mut ran, mut random) = (0, Random(7));
        for _ in 0..wanted {
            let text = random.program();
            let Some(reference) = run(&text, "reference", 1) else { continue };
            ran += 1;
            assert!(!reference.contains("Broken"), "{text}\n{reference}");
            for threads in [1, 2] {
                let cpu = run(&text, "cpu", threads).expect("accepted before");
                assert_eq!(cpu, reference, "cpu on {threads} threads against reference:\n{text}");
            }
            let lines: Vec<&str> = reference.lines().collect();
            let third = lines.len().saturating_sub(1) / 3;
            if third > 0 && !reference.contains("Fault") {
                assert_eq!(lines[..third], lines[third..2 * third], "fn against jit:\n{text}\n{reference}");
                assert_eq!(lines[..third], lines[2 * third..3 * third], "fn against donated:\n{text}\n{reference}");
            }
        }
        assert!(ran * 2 > wanted, "{ran} of {wanted} were accepted");
    });
}
