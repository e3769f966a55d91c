//! The golden programs on a stand-in for a GPU: every kernel and step as PTX, executed thread by thread. They print what
//! they print on the processor, and their ledger is the same.
//!
//! Programs whose arrays are too large for the simulator are left out, and counted.

#![expect(clippy::indexing_slicing, reason = "a test may panic")]

mod device;
#[path = "../random_programs/mod.rs"]
mod random_programs;

use arr::base::Sources;
use arr::driver::checked::Checked;
use arr::driver::failure::Failure;
use arr::driver::session::{Session, device as devices};
use arr::driver::stack::on_large_stack;
use arr::proof::predict::rows;
use arr::runtime::execute::Device;
use device::{Gpu, TOO_LARGE};
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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

/// What is printed and held after each statement; and why it stops, if it does.
fn run(checked: &Checked, device: Device) -> (Vec<String>, Option<Failure>) {
    let printed = Printed::default();
    let mut session = Session::new(device, Box::new(printed.clone()));
    let mut said = Vec::new();
    let done = session.run(&checked.program, &mut |session, _| {
        let text = String::from_utf8_lossy(&std::mem::take(&mut *printed.0.borrow_mut())).into_owned();
        said.push(format!("{text}{}", rows(&session.ledger).join("\n")));
        session.balanced()
    });
    (said, done.err())
}

fn programs(under: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(under).expect("a folder of programs").flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "arr") {
            found.push(path);
        }
    }
}

#[test]
fn golden_programs_say_on_the_gpu_what_they_say_on_the_cpu() {
    let mut files = Vec::new();
    programs(Path::new("tests/golden"), &mut files);
    programs(Path::new("examples"), &mut files);
    files.sort();
    let (mut same, mut large, mut launches) = (0, 0, 0);
    let mut faults = Vec::new();
    on_large_stack(|| {
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a program");
            // The order of a product's sums is the library's; times and sizes of code are the device's own.
            let own = ["@", "dot(", "einsum(", "outer(", "bench ", "memory("].iter().any(|word| text.contains(word));
            let checked = Checked::new(&mut Sources::default(), &file.display().to_string(), &text, &[]);
            if !checked.accepted() || own {
                continue;
            }
            let gpu = Gpu::default();
            let device = Device::new(Box::new(gpu.clone()), Arc::new(AtomicBool::new(false)));
            let (found, failure) = run(&checked, device);
            launches += gpu.launches();
            if matches!(&failure, Some(Failure::Broken(broken)) if broken.invariant == TOO_LARGE) {
                large += 1;
                continue;
            }
            let (expected, stopped) = run(&checked, devices::open("cpu", Some(1)).expect("a processor"));
            let ends = [&failure, &stopped].map(|end| format!("{end:?}"));
            if found != expected || ends[0] != ends[1] {
                let at = found.iter().zip(&expected).position(|(a, b)| a != b);
                let pair = at.map(|at| (&found[at], &expected[at]));
                faults.push(format!("{}: {pair:#?} {ends:?}", file.display()));
            }
            same += 1;
        }
    });
    println!("{same} programs, {launches} launches; {large} are too large");
    assert!(faults.is_empty(), "{} of {same}:\n{}", faults.len(), faults.join("\n"));
    assert!(same > 60, "{same} programs ran, {large} were too large");
}

#[test]
fn random_programs_say_on_the_gpu_what_they_say_on_the_cpu() {
    let wanted = std::env::var("ARR_PROGRAMS").ok().and_then(|n| n.parse().ok()).unwrap_or(25);
    on_large_stack(move || {
        let (mut ran, mut launches, mut random) = (0, 0, random_programs::Random(23));
        for _ in 0..wanted {
            let text = random.program();
            let checked = Checked::new(&mut Sources::default(), "random", &text, &[]);
            if !checked.accepted() {
                continue;
            }
            let gpu = Gpu::default();
            let (found, failure) = run(&checked, Device::new(Box::new(gpu.clone()), Arc::new(AtomicBool::new(false))));
            launches += gpu.launches();
            if matches!(&failure, Some(Failure::Broken(broken)) if broken.invariant == TOO_LARGE) {
                continue;
            }
            ran += 1;
            let (expected, stopped) = run(&checked, devices::open("cpu", Some(1)).expect("a processor"));
            assert_eq!((found, format!("{failure:?}")), (expected, format!("{stopped:?}")), "{text}");
        }
        println!("{ran} random programs, {launches} launches");
        assert!(ran * 2 > wanted, "{ran} of {wanted} ran");
    });
}
