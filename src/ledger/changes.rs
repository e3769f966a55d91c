//! What one statement changed: arrived, released, changed holder, taken over by donation.
//!
//! ```text
//! ledger: 2 arrays, 32 MiB
//!   + y  f32[2048, 2048]  16 MiB
//! ```

use super::{Amount, BufferId, Ledger, Row};
use std::collections::BTreeSet;

fn holders<N>(row: &Row<N>) -> String {
    let names: Vec<String> = row.holders.iter().map(ToString::to_string).collect();
    names.join(", ")
}

fn line<N: Amount>(sign: char, who: &str, row: &Row<N>, remark: &str) -> String {
    let size = row.contents.bytes.human();
    format!("  {sign} {who}  {}  {size}{remark}", row.contents)
}

/// The total and a line per change between two states; `donated` are the buffers that were given away in between.
#[must_use]
pub fn report<N: Amount>(before: &Ledger<N>, after: &Ledger<N>, donated: &BTreeSet<BufferId>) -> String {
    let mut lines = vec![format!("ledger: {}", after.total())];
    for (id, old) in before.rows() {
        match after.rows().get(id) {
            None => lines.push(line('-', &holders(old), old, "")),
            Some(new) if donated.contains(id) => {
                let (from, to) = (holders(old), holders(new));
                let who = if from == to { from } else { format!("{from} -> {to}") };
                lines.push(line('~', &who, new, "  (donated)"));
            }
            Some(new) if new.holders != old.holders => {
                lines.push(line('~', &format!("{} -> {}", holders(old), holders(new)), new, ""));
            }
            Some(_) => {}
        }
    }
    for (id, new) in after.rows() {
        if !before.rows().contains_key(id) {
            lines.push(line('+', &holders(new), new, ""));
        }
    }
    lines.join("\n")
}
