//! What JAX does with donations against what arr says before anything runs, case by case.
//!
//! `tests/oracle/donation_cases.json` is JAX 0.10.2's behaviour; `tests/golden/jax/` has the programs in arr, which the
//! golden test runs; `docs/jax.md` lists where the two differ on purpose and what arr cannot say.

use arr::base::Sources;
use arr::driver::checked::Checked;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// The cases of the table under a heading of docs/jax.md.
fn listed(document: &str, heading: &str) -> BTreeSet<String> {
    let (_, section) = document.split_once(heading).expect("the heading is there");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    rows.map(|(name, _)| name.to_owned()).filter(|name| name != "case").collect()
}

/// Whether JAX takes every donated leaf over and nothing fails.
fn jax_accepts(verdict: &str) -> bool {
    !["refused", "ignored", "error"].iter().any(|word| verdict.contains(word))
}

#[test]
fn every_case_is_said_and_judged_as_jax_judges_it_or_listed() {
    let cases = fs::read_to_string("tests/oracle/donation_cases.json").expect("the cases");
    let cases: Vec<Value> = serde_json::from_str(&cases).expect("JSON");
    let document = fs::read_to_string("docs/jax.md").expect("the page");
    let (differ, unsaid) =
        (listed(&document, "## Where arr differs on purpose"), listed(&document, "## Not said in arr"));
    let mut complaints = Vec::new();
    let (mut accepted, mut rejected) = (0, 0);
    for case in &cases {
        let (name, verdict) = (case["name"].as_str().expect("a name"), case["verdict"].as_str().expect("a verdict"));
        let path = format!("tests/golden/jax/{}.arr", name.replace('_', "-"));
        let Ok(text) = fs::read_to_string(&path) else {
            if !unsaid.contains(name) {
                complaints.push(format!("{name} is neither said nor listed"));
            }
            continue;
        };
        if unsaid.contains(name) {
            complaints.push(format!("{name} is said, and listed as not said"));
        }
        let checked = Checked::new(&mut Sources::default(), &path, &text, &[]);
        if checked.accepted() {
            accepted += 1
        } else {
            rejected += 1
        }
        if checked.accepted() != jax_accepts(verdict) && !differ.contains(name) {
            let arr = if checked.accepted() { "accepts" } else { "rejects" };
            complaints.push(format!("{name}: arr {arr} what is `{verdict}` to JAX"));
        }
        // The ledger of JAX is the figure that the program asserts.
        let after = &case["ledger_after"];
        let figure = format!("assert live() == ({}, {})", after[0], after[1]);
        if checked.accepted() && !text.contains(&figure) && !differ.contains(name) {
            complaints.push(format!("{name}: no `{figure}`"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(accepted + rejected + unsaid.len() == cases.len() && accepted > 90 && rejected > 50);
}
