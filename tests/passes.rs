//! The passes on text, and on random programs that must compute the same bits before and after.
//!
//! A case is `tests/passes/CLAIM.ir`: a first line `# passes: simplify dce`, a program, a line `====`, and what the
//! passes make of it. `BLESS=1` writes the second half.

#[path = "passes/random.rs"]
mod random;

use arr::backends::Stop;
use arr::backends::reference::{Array, evaluate};
use arr::base::Literal;
use arr::ir::array::Program;
use arr::ir::array::parse::parse;
use arr::ir::array::verify::verify;
use arr::passes::{Pass, cse, dce, hoist, optimise, simplify};
use proptest::prelude::*;
use std::fs;

const PASSES: [(&str, Pass); 4] =
    [("simplify", simplify::run), ("hoist", hoist::run), ("cse", cse::run), ("dce", dce::run)];

fn apply(name: &str, program: Program) -> Program {
    let (name, pass) = PASSES.into_iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("no pass {name}"));
    let after = pass(program);
    verify(&after, name).unwrap_or_else(|broken| panic!("{broken}\n{after}"));
    after
}

#[test]
fn cases() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut faults = Vec::new();
    let mut files: Vec<_> = fs::read_dir("tests/passes")
        .expect("tests/passes can be read and written")
        .map(|entry| entry.expect("tests/passes can be read and written").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "ir"));
    files.sort();
    assert!(files.len() > 10);
    for path in files {
        let text = fs::read_to_string(&path).expect("tests/passes can be read and written");
        let (input, expected) = text.split_once("====\n").unwrap_or((&text, ""));
        let passes = input
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("# passes: "))
            .unwrap_or_else(|| panic!("{}: the first line names the passes", path.display()));
        let before = parse(input).unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
        verify(&before, "parse").unwrap_or_else(|broken| panic!("{}: {broken}", path.display()));
        let after = passes.split(' ').fold(before, |program, pass| apply(pass, program)).to_string();
        if bless {
            fs::write(&path, format!("{input}====\n{after}")).expect("tests/passes can be read and written");
        } else if after != expected {
            let diff = similar::TextDiff::from_lines(expected, &after).unified_diff().to_string();
            faults.push(format!("{}\n{diff}", path.display()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// All NaNs alike: their payloads are not promised.
fn canonical(array: &Array) -> Array {
    let elements = array.elements().into_iter().map(|element| {
        let nan = element.dtype.is_float() && element.to_f64().is_nan();
        if nan { Literal::from_f64(element.dtype, f64::NAN) } else { element }
    });
    Array::new(array.dtype, &array.extents, &elements.collect::<Vec<_>>())
}

/// Results, or what a failing check shows: checks that cannot fail are dropped, so their numbers shift.
fn outcome(program: &Program, args: &[Array]) -> Result<Vec<Array>, String> {
    evaluate(program, args).map(|results| results.iter().map(canonical).collect()).map_err(|stop| match stop {
        Stop::Check { shown, .. } => format!("{shown:?}"),
        other => panic!("{other:?}\n{program}"),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn passes_change_no_bit(choices in proptest::collection::vec(any::<u16>(), 20..300)) {
        let (program, args) = random::program(&choices);
        verify(&program, "random").unwrap_or_else(|broken| panic!("{broken}\n{program}"));
        let expected = outcome(&program, &args);
        for (name, _) in PASSES {
            let after = apply(name, program.clone());
            prop_assert_eq!(&outcome(&after, &args), &expected, "{}\n{}{}", name, program, after);
        }
        let all = optimise(program.clone()).unwrap_or_else(|broken| panic!("{broken}\n{program}"));
        prop_assert_eq!(&outcome(&all, &args), &expected, "{}{}", program, all);
        let printed = program.to_string();
        prop_assert_eq!(parse(&printed).map(|parsed| parsed.to_string()), Ok(printed));
    }
}
