//! Whether a program stays within a number of bytes, and if that is not sure, for which sizes it does.

use crate::base::{Diagnostic, Size, Symbol, bytes};
use crate::ledger::{Amount, Ledger};
use crate::proof::predict::world::Peak;
use crate::proof::predict::{Finding, Prediction};

/// Rows that a message shows.
const SHOWN: usize = 6;

/// `16GiB`, `1.5 MiB`, `4096`, `512 B`: a number of bytes.
///
/// # Errors
/// What is wrong with it.
pub fn parse(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let power = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "kib" | "k" => 10,
        "mib" | "m" => 20,
        "gib" | "g" => 30,
        "tib" | "t" => 40,
        _ => return Err(format!("`{unit}` is no unit: use B, KiB, MiB, GiB or TiB")),
    };
    let number: f64 = number.trim().parse().map_err(|_| format!("`{}` is not a number", number.trim()))?;
    let bytes = number * f64::from(1u32 << (power % 20)) * if power >= 20 { 1_048_576.0 } else { 1.0 };
    let bytes = if power == 40 { number * 1_099_511_627_776.0 } else { bytes };
    if bytes.is_finite() && (0.0..9.2e18).contains(&bytes) { Ok(bytes as u64) } else { Err("out of range".into()) }
}

/// What a ledger lists, largest first.
#[must_use]
pub fn holders<N: Amount>(ledger: &Ledger<N>, known: &dyn Fn(&N) -> u64) -> Vec<String> {
    let mut rows: Vec<_> = ledger.rows().values().collect();
    rows.sort_by_key(|row| std::cmp::Reverse(known(&row.contents.bytes)));
    let mut lines: Vec<String> = rows
        .iter()
        .take(SHOWN)
        .map(|row| {
            let holders: Vec<String> = row.holders.iter().map(ToString::to_string).collect();
            format!("{}  {}  {}", row.contents.bytes.human(), row.contents, holders.join(", "))
        })
        .collect();
    if rows.len() > SHOWN {
        lines.push(format!("and {} more", rows.len() - SHOWN));
    }
    lines
}

/// The error of a program whose peak is not provably within the budget.
#[must_use]
pub fn over(prediction: &Prediction, budget: u64) -> Option<Diagnostic> {
    let limit = bytes::human(budget);
    if let Some((statement, why)) = &prediction.stopped {
        let message = format!("the peak is not provably within {limit}: {why}");
        let diagnostic = Diagnostic::error("E0331", message, *statement, "not predicted beyond here");
        return Some(diagnostic.help("simplify what depends on values that are known only while running"));
    }
    let unbounded = prediction.findings.iter().find_map(|finding| match finding {
        Finding::Unbounded { at } => Some(*at),
        _ => None,
    });
    if let Some(at) = unbounded {
        let message = format!("the peak is not provably within {limit}: nothing bounds what this loop holds");
        let diagnostic = Diagnostic::error("E0331", message, at, "grows from round to round");
        return Some(diagnostic.help("see `arr explain W0304`"));
    }
    let peak = prediction.peaks.iter().find(|peak| peak.bound.is_none_or(|bytes| bytes > budget))?;
    let size = peak.bytes.human();
    let message = match peak.bound {
        Some(_) if prediction.exact => format!("the peak is {size}, more than {limit}"),
        Some(most) => format!("the peak may be {}, more than {limit}", bytes::human(most)),
        None => format!("the peak is not provably within {limit}: it is up to {size}"),
    };
    let mut diagnostic = Diagnostic::error("E0331", message, peak.at, "the most is needed here");
    if peak.statement != peak.at {
        diagnostic = diagnostic.label(peak.statement, "in this statement");
    }
    diagnostic = diagnostic.note(parts(peak));
    let held = holders(&peak.ledger, &|size: &Size| size.known().unwrap_or(u64::MAX));
    if !held.is_empty() {
        diagnostic = diagnostic.note(format!("held there: {}", held.join("; ")));
    }
    let help = match region(&prediction.peaks, budget) {
        Some(region) => format!("it fits for {region}; state that with `assert` after the value is read"),
        None => "give arrays away (`arr check --suggest`), `del` what is not needed, or raise the budget".to_owned(),
    };
    Some(diagnostic.help(help))
}

/// What a peak consists of.
#[must_use]
pub fn parts(peak: &Peak) -> String {
    let rest = peak.bytes.minus(&peak.live).minus(&peak.arena);
    let (live, arena) = (peak.live.human(), peak.arena.human());
    format!("{live} in the ledger, {} results and values under way, {arena} temporary", rest.human())
}

/// The sizes for which all peaks fit; `None` where no size is free.
fn region(peaks: &[Peak], budget: u64) -> Option<String> {
    let peaks: Vec<&Peak> = peaks.iter().filter(|peak| peak.bound.is_none_or(|bytes| bytes > budget)).collect();
    let mut symbols: Vec<Symbol> = peaks.iter().flat_map(|peak| peak.bytes.symbols()).collect();
    symbols.sort();
    symbols.dedup();
    let [symbol] = symbols.as_slice() else {
        let free = peaks.iter().filter(|peak| peak.bytes.is_symbolic());
        let conditions: Vec<String> = free.map(|peak| format!("{} <= {budget}", peak.bytes)).collect();
        return (!conditions.is_empty()).then(|| conditions.join(" and "));
    };
    let fits = |n: u64| {
        peaks.iter().all(|peak| {
            let bytes = peak.bytes.substitute(&|_| Some(Size::from(n)));
            bytes.and_then(|bytes| bytes.known()).is_some_and(|bytes| bytes <= budget)
        })
    };
    if !fits(0) {
        return None;
    }
    // Bytes grow with the size: the last that fits is found by halving.
    let (mut low, mut high) = (0u64, 1u64 << 62);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) { low = middle } else { high = middle }
    }
    Some(format!("{} <= {low}", symbol.0))
}
