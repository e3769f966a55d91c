//! Every code that the sources name has a page in `docs/codes.md`, and the programs of each page behave as it says.
//!
//! A wrong program gives the code of its page and no error of another code; a right program is accepted, runs on the
//! `reference` device, and draws no warning.

use arr::base::Sources;
use arr::driver::codes::{self, Page};
use arr::driver::examine::{Asked, Examined};
use arr::driver::failure::Failure;
use arr::driver::session::{Session, device};
use arr::driver::stack::on_large_stack;
use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};

/// Codes whose page shows no programs: no program that could be shown here gives them.
const WITHOUT_PROGRAMS: [&str; 2] = ["E0117", "R0301"];

/// The page whose programs have a budget, and the budget: 1 MiB.
const BUDGETED: (&str, u64) = ("E0331", 1 << 20);

/// The codes that a program gives, checked and, if that accepts it, run.
fn given(program: &str, budget: Option<u64>) -> Vec<String> {
    let mut sources = Sources::default();
    let asked = Asked { budget, ..Asked::default() };
    let checked = Examined::new(&mut sources, "page.arr", program, &asked).checked;
    let mut found: Vec<String> = checked.diagnostics.iter().map(|one| one.code.0.to_owned()).collect();
    if checked.accepted() {
        let device = device::open("reference", Some(1)).expect("the device is here");
        let mut session = Session::new(device, Box::new(io::sink()));
        match session.run(&checked.program, &mut |_, _| Ok(())) {
            Ok(()) => {}
            Err(Failure::Fault(fault)) => found.push(fault.code.to_owned()),
            Err(Failure::Rejected(all)) => found.extend(all.iter().map(|one| one.code.0.to_owned())),
            Err(other) => found.push(format!("{other:?}")),
        }
    }
    found.sort();
    found.dedup();
    found
}

/// What is wrong with a page.
fn complaints(page: &Page) -> Vec<String> {
    let programs = (page.program("wrong"), page.program("right"));
    let (Some(wrong), Some(right)) = programs else {
        let excused = WITHOUT_PROGRAMS.contains(&page.code.as_str());
        return if excused { Vec::new() } else { vec![format!("{}: two programs are missing", page.code)] };
    };
    let mut complaints = Vec::new();
    let budget = (page.code == BUDGETED.0).then_some(BUDGETED.1);
    let found = given(&wrong, budget);
    if found != [page.code.clone()] {
        complaints.push(format!("{}: the wrong program gives {found:?}", page.code));
    }
    let found = given(&right, budget);
    if !found.is_empty() {
        complaints.push(format!("{}: the right program gives {found:?}", page.code));
    }
    complaints
}

#[test]
fn the_programs_of_each_page_do_what_it_says() {
    let complaints: Vec<String> = on_large_stack(|| codes::all().iter().flat_map(complaints).collect());
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The codes in a Rust source: string literals such as `"E0101"`.
fn codes_in(folder: &Path, codes: &mut BTreeSet<String>) {
    for path in fs::read_dir(folder).expect("folder is readable").flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            codes_in(&path, codes);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            let text = fs::read_to_string(&path).expect("source is readable");
            let literals = text.split('"').filter(|piece| piece.len() == 5 && piece.starts_with(['E', 'W', 'R']));
            let numbered = literals.filter(|piece| piece.bytes().skip(1).all(|byte| byte.is_ascii_digit()));
            codes.extend(numbered.map(str::to_owned));
        }
    }
}

#[test]
fn every_code_has_one_page() {
    let mut named = BTreeSet::new();
    codes_in(Path::new("src"), &mut named);
    assert!(named.len() > 50, "codes are found");
    let pages: Vec<String> = codes::all().into_iter().map(|page| page.code).collect();
    let distinct: BTreeSet<String> = pages.iter().cloned().collect();
    assert_eq!(pages.len(), distinct.len(), "no code has two pages");
    let difference: Vec<_> = named.symmetric_difference(&distinct).collect();
    assert!(difference.is_empty(), "codes without a page, or pages without a code: {difference:?}");
}
