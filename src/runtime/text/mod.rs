//! Arrays and numbers as text, to the character as NumPy 2 prints them (`print(x)`, default options).
//!
//! ```text
//! [0.97029907 0.97029907]      shortest digits that round-trip, columns aligned
//! [[1.e+00 1.e-08] ...]        one exponent format for all when magnitudes are far apart
//! ```
//! Above 1,000 elements only three at each end of an axis are shown, and only those are looked at. bf16, which NumPy
//! lacks, prints as its value with the fewest digits that round-trip in bf16.

mod digits;
mod float;

use crate::base::{DType, Literal};
use digits::Digits;
use float::FloatFormat;

/// More elements than these are summarised.
const THRESHOLD: u64 = 1000;
/// Elements shown at each end of a summarised axis.
const EDGE: u64 = 3;
/// Longest line.
const WIDTH: usize = 75;

/// The text of an array of rank 1 or more (rank 0: [`scalar`]); `bytes` are its elements, row major.
#[must_use]
pub fn array(dtype: DType, extents: &[u64], bytes: &[u8]) -> String {
    let size: u64 = extents.iter().product();
    if size == 0 {
        return "[]".to_owned();
    }
    let view = View { dtype, extents, bytes, summarised: size > THRESHOLD };
    if extents.is_empty() {
        return scalar(view.element(0));
    }
    let shown = view.shown();
    let format = Format::new(dtype, &shown);
    let mut write = |literal: Literal| format.element(literal);
    view.axis(0, 0, " ", WIDTH, &mut write)
}

/// The text of a rank-0 array: `0.1`, `1e-45`, `True`.
#[must_use]
pub fn scalar(literal: Literal) -> String {
    match literal.dtype {
        DType::Bool => if literal.to_bool() { "True" } else { "False" }.to_owned(),
        dtype if dtype.is_float() => plain(literal),
        _ => literal.to_i64().to_string(),
    }
}

/// A one-element array inside a tuple: its number.
#[must_use]
pub fn element_in_tuple(literal: Literal) -> String {
    scalar(literal)
}

/// A host float as Python's `repr` writes it.
#[must_use]
pub fn host_float(value: f64) -> String {
    plain(Literal::from_f64(DType::F64, value))
}

/// A string inside a tuple as Python's `repr` writes it.
#[must_use]
pub fn host_str(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

/// One float by itself: positional from 1e-4 up to what its dtype says exactly (1e3, 1e6, 1e16), else with an exponent.
fn plain(literal: Literal) -> String {
    let value = literal.to_f64();
    if !value.is_finite() {
        return float::special(value);
    }
    let digits = Digits::shortest(literal);
    let most = match literal.dtype {
        DType::F16 => 1e3,
        DType::F32 | DType::Bf16 => 1e6,
        _ => 1e16,
    };
    if value == 0.0 || (1e-4..most).contains(&value.abs()) {
        let text = digits.positional();
        if text.ends_with('.') { format!("{text}0") } else { text }
    } else {
        let (mantissa, exponent) = digits.scientific();
        format!("{}{}", mantissa.trim_end_matches('.'), float::exponent(exponent, 2))
    }
}

/// How all elements of one array are written: equally wide.
enum Format {
    Bool,
    Int { width: usize },
    Float(FloatFormat),
}

impl Format {
    fn new(dtype: DType, shown: &[Literal]) -> Self {
        match dtype {
            DType::Bool => Self::Bool,
            dtype if dtype.is_float() => Self::Float(FloatFormat::new(dtype, shown)),
            _ => Self::Int { width: shown.iter().map(|x| x.to_i64().to_string().len()).max().unwrap_or(0) },
        }
    }

    fn element(&self, literal: Literal) -> String {
        match self {
            Self::Bool => format!("{:>5}", scalar(literal)),
            Self::Int { width } => format!("{:>width$}", literal.to_i64()),
            Self::Float(format) => format.element(literal),
        }
    }
}

/// An array with what is to be shown of it.
struct View<'a> {
    dtype: DType,
    extents: &'a [u64],
    bytes: &'a [u8],
    summarised: bool,
}

impl View<'_> {
    fn element(&self, at: u64) -> Literal {
        let width = self.dtype.bytes();
        let start = at as usize * width;
        let mut bits = [0; 8];
        if let (Some(to), Some(from)) = (bits.get_mut(..width), self.bytes.get(start..start + width)) {
            to.copy_from_slice(from);
        }
        Literal::new(self.dtype, u64::from_le_bytes(bits))
    }

    /// Positions along an axis that are shown; `None` stands for the dots.
    fn positions(&self, axis: usize) -> Vec<Option<u64>> {
        let extent = self.extents.get(axis).copied().unwrap_or(1);
        if self.summarised && extent > 2 * EDGE {
            (0..EDGE).map(Some).chain([None]).chain((extent - EDGE..extent).map(Some)).collect()
        } else {
            (0..extent).map(Some).collect()
        }
    }

    /// Every element that is shown.
    fn shown(&self) -> Vec<Literal> {
        let mut offsets = vec![0];
        for axis in 0..self.extents.len() {
            let extent = self.extents.get(axis).copied().unwrap_or(1);
            let positions: Vec<u64> = self.positions(axis).into_iter().flatten().collect();
            offsets = offsets.iter().flat_map(|at| positions.iter().map(move |k| at * extent + k)).collect();
        }
        offsets.into_iter().map(|at| self.element(at)).collect()
    }

    /// The text from `axis` on; `offset` counts blocks of the axes before. `indent` goes before further lines.
    fn axis(
        &self,
        axis: usize,
        offset: u64,
        indent: &str,
        width: usize,
        write: &mut dyn FnMut(Literal) -> String,
    ) -> String {
        let extent = self.extents.get(axis).copied().unwrap_or(1);
        let left = self.extents.len() - axis;
        let positions = self.positions(axis);
        let last = positions.len().saturating_sub(1);
        let mut text = String::new();
        if left == 1 {
            // A line is broken before an element that would not fit with the bracket behind it.
            let fits = width - 1;
            let mut line = indent.to_owned();
            for (k, position) in positions.iter().enumerate() {
                let word = match position {
                    Some(k) => write(self.element(offset * extent + k)),
                    None => "...".to_owned(),
                };
                if line.len() + word.len() > fits && line.len() > indent.len() {
                    text.push_str(line.trim_end());
                    text.push('\n');
                    line = indent.to_owned();
                }
                line.push_str(&word);
                if k < last {
                    line.push(' ');
                }
            }
            text.push_str(&line);
        } else {
            let inner = format!("{indent} ");
            for (k, position) in positions.iter().enumerate() {
                text.push_str(indent);
                match position {
                    Some(k) => text.push_str(&self.axis(axis + 1, offset * extent + k, &inner, width - 1, write)),
                    None => text.push_str("..."),
                }
                if k < last {
                    text.push_str(&"\n".repeat(left - 1));
                }
            }
        }
        format!("[{}]", text.get(indent.len()..).unwrap_or_default())
    }
}
