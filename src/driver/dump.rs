//! `--stage`: what a program becomes on its way, as text.
//!
//! Nothing runs: the programs are those that the proof meets, with the sizes that it knows. Stages after `ir` need
//! every size to be a number; a function with named dims is shown for the sizes of its calls.

use super::pipeline;
use super::session::device;
use crate::backends::cuda::lower::lower;
use crate::base::{Broken, Diagnostic, Sources, Unavailable};
use crate::ir;
use crate::proof;
use crate::syntax;

/// The stages, in order.
pub const STAGES: [&str; 9] = ["tokens", "ast", "ir", "plan", "kernels", "certificate", "clif", "asm", "ptx"];

/// Why there is no text.
#[derive(Debug)]
pub enum Undumped {
    /// The program is wrong.
    Rejected {
        /// For drawing.
        sources: Sources,
        /// What is wrong.
        diagnostics: Vec<Diagnostic>,
    },
    /// There is no such stage, or no such function is called.
    Unknown(String),
    /// A bug of ours.
    Broken(Broken),
    /// No device to make machine code for.
    Unavailable(Unavailable),
}

impl std::fmt::Display for Undumped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rejected { diagnostics, .. } => {
                let lines: Vec<String> = diagnostics.iter().map(|d| format!("{}: {}", d.code.0, d.message)).collect();
                f.write_str(&lines.join("\n"))
            }
            Self::Unknown(what) => f.write_str(what),
            Self::Broken(broken) => write!(f, "{broken}"),
            Self::Unavailable(unavailable) => write!(f, "{}: {}", unavailable.what, unavailable.why),
        }
    }
}

impl From<Broken> for Undumped {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

/// The text of a program at a stage; `function` picks one `jit`.
///
/// # Errors
/// When the program is rejected or there is nothing to show.
pub fn dump(name: &str, text: &str, stage: &str, function: Option<&str>) -> Result<String, Undumped> {
    let mut sources = Sources::default();
    let source = sources.add(name, text);
    if stage == "tokens" {
        return Ok(syntax::dump_tokens(text));
    }
    let parsed = syntax::parse(source, text);
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(Undumped::Rejected { sources, diagnostics: parsed.diagnostics });
    }
    if stage == "ast" {
        return Ok(syntax::dump_ast(&parsed.program));
    }
    let (report, recorded) = proof::walk::record(&parsed.program);
    if !report.accepted() {
        return Err(Undumped::Rejected { sources, diagnostics: report.diagnostics });
    }
    let mut out = String::new();
    for item in recorded {
        if function.is_some_and(|wanted| item.function.as_deref() != Some(wanted)) {
            continue;
        }
        let (line, _) = sources.line_column(item.at);
        let title = match &item.function {
            Some(name) => format!("{name}, called in line {line}"),
            None => format!("line {line}: {}", sources.text(item.at).lines().next().unwrap_or_default()),
        };
        out.push_str(&format!("# {title}\n{}\n", at_stage(&item.program, stage)?));
    }
    if out.is_empty() {
        let what = function
            .map_or("no compiled program in this file".into(), |name| format!("`{name}` is not called in this file"));
        return Err(Undumped::Unknown(what));
    }
    Ok(out)
}

/// What was shown of each compiled program of a text, one paragraph for each: see `docs/in-place.md`.
///
/// # Errors
/// When the program is rejected, has nothing that is compiled, or a plan gets no certificate.
pub fn certificates(name: &str, text: &str) -> Result<String, Undumped> {
    dump(name, text, "certificate", None)
}

fn at_stage(program: &ir::array::Program, stage: &str) -> Result<String, Undumped> {
    let optimised = pipeline::optimise(program.clone())?;
    if stage == "ir" {
        return Ok(optimised.to_string());
    }
    if program.types.iter().any(|ty| ty.shape.extents().is_none()) {
        return Ok("(sizes are not known before running)\n".to_owned());
    }
    let plan = pipeline::plan(program)?;
    match stage {
        "certificate" => Ok(format!("{}\n", pipeline::certificate(&optimised, plan.plan())?)),
        "plan" => Ok(plan.plan().to_string()),
        "kernels" => Ok(plan.plan().kernels.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")),
        "ptx" => Ok(lower(plan.plan()).text),
        "clif" | "asm" => {
            let device = device::open("cpu", Some(1)).map_err(Undumped::Unavailable)?;
            let compiled = device.load(program, plan)?;
            Ok(compiled.executable.dump(stage).unwrap_or_default())
        }
        _ => Err(Undumped::Unknown(format!("there is no stage `{stage}`; stages are {}", STAGES.join(", ")))),
    }
}
