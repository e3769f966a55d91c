//! The predicted ledger and peak against the measured ones, for every program of the tree.

use arr::base::Sources;
use arr::driver::checked::Checked;
use arr::driver::failure::Failure;
use arr::driver::session::{Session, device};
use arr::proof::predict::{PATIENT, Prediction, predict, rows};
use std::path::{Path, PathBuf};

fn programs(under: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(under).expect("a folder of programs").flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "arr") {
            found.push(path);
        }
    }
}

/// Runs an accepted program beside its prediction; says what differs.
fn compare(name: &str, checked: &Checked, prediction: &Prediction) -> Result<bool, String> {
    if let Some(broken) = &prediction.broken {
        return Err(format!("{name}: {broken:?}"));
    }
    let mut session = Session::new(device::open("cpu", Some(2)).expect("a processor"), Box::new(std::io::sink()));
    let mut moments = prediction.moments.iter();
    let mut fault = None;
    let done = session.run(&checked.program, &mut |session, span| {
        let Some(moment) = moments.next() else { return Ok(()) };
        if fault.is_none() && (!moment.foresaw(&session.ledger) || moment.statement != span) {
            let predicted: Vec<_> = moment.ledgers.iter().map(rows).collect();
            let real = rows(&session.ledger);
            fault = Some(format!("{name} at byte {}: predicted {predicted:#?}, found {real:#?}", span.start));
        }
        Ok(())
    });
    if let Some(fault) = fault {
        return Err(fault);
    }
    let peak = session.device.peak();
    let predicted = prediction.peaks.iter().map(|peak| peak.bytes.known()).collect::<Option<Vec<_>>>();
    let most = predicted.map(|all| all.into_iter().max().unwrap_or(0));
    let fine = match most {
        Some(most) if prediction.exact && done.is_ok() => most == peak,
        Some(most) if prediction.stopped.is_none() => most >= peak,
        _ => true,
    };
    if !fine {
        return Err(format!("{name}: predicted peak {most:?} (exact: {}), measured {peak}", prediction.exact));
    }
    Ok(prediction.exact && done.is_ok())
}

#[test]
fn programs_of_the_tree_hold_what_was_predicted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    programs(&root.join("tests/golden"), &mut files);
    programs(&root.join("examples"), &mut files);
    files.sort();
    let (mut exact, mut ran) = (0, 0);
    let mut faults = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program");
        let name = file.display().to_string();
        let checked = Checked::new(&mut Sources::default(), &name, &text, &[]);
        if !checked.accepted() {
            continue;
        }
        let prediction = predict(&checked.program, PATIENT);
        ran += 1;
        match compare(&name, &checked, &prediction) {
            Ok(was_exact) => exact += usize::from(was_exact),
            Err(fault) => faults.push(fault),
        }
    }
    assert!(faults.is_empty(), "{} of {ran} programs:\n{}", faults.len(), faults.join("\n"));
    assert!(exact * 10 >= ran * 7, "{exact} of {ran} programs were predicted exactly");
}

#[test]
fn a_budget_holds_while_a_program_runs() {
    let text = "x = ones([1024])\ny = x + 1.0\nz = x * y\n";
    let checked = Checked::new(&mut Sources::default(), "a.arr", text, &[]);
    let mut device = device::open("cpu", Some(1)).expect("a processor");
    device.budget = Some(8192);
    let mut session = Session::new(device, Box::new(std::io::sink()));
    let done = session.run(&checked.program, &mut |session, _| session.balanced());
    assert!(matches!(done, Err(Failure::Unavailable(_))), "the third array is one too many: {done:?}");
    assert_eq!(rows(&session.ledger), ["f32[1024] 4096 B: x", "f32[1024] 4096 B: y"]);
    assert_eq!((session.device.backend.allocated(), session.device.peak()), (8192, 8192));
}
