//! What can be written on the command line, with the texts of `--help`.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// An array language that proves donations, shows the ledger and knows the peak beforehand.
#[derive(Debug, Parser)]
#[command(name = "arr", version, max_term_width = 100)]
pub struct Options {
    /// What to do; the prompt if nothing is said.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check a program, then run it.
    Run(Run),
    /// Check programs without running anything.
    Check(Check),
    /// Type statements and see the ledger after each (bare `arr` too).
    Repl(Repl),
    /// Show what a program becomes at a stage of the compiler.
    Emit(Emit),
    /// Explain a code such as E0301, with a wrong and a right program.
    Explain(Explain),
    /// Format programs in place.
    Fmt(Fmt),
    /// List the devices of this machine.
    Devices,
}

/// Where arrays live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// The best device there is.
    #[default]
    Auto,
    /// This machine's processor, through compiled kernels.
    Cpu,
    /// The plain evaluator that the others are tested against: slow and simple.
    Reference,
}

impl Target {
    /// The backend's name.
    #[must_use]
    pub fn backend(self) -> &'static str {
        match self {
            Self::Auto | Self::Cpu => "cpu",
            Self::Reference => "reference",
        }
    }
}

/// `arr run`.
#[derive(Debug, Args)]
pub struct Run {
    /// The program.
    pub file: PathBuf,
    /// Where arrays live.
    #[arg(long, value_enum, default_value_t)]
    pub device: Target,
    /// Print the ledger's changes after each statement of the top level.
    #[arg(long)]
    pub ledger: bool,
    /// Threads for large arrays; all cores if not given. Results do not depend on it.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Refuse to start unless the peak is provably within this many bytes, and hold to them while running.
    #[arg(long, value_name = "BYTES", value_parser = crate::driver::examine::budget::parse)]
    pub budget: Option<u64>,
    /// Run every compiled program on the reference device too, with donation off, and compare bits and ledger.
    #[arg(long)]
    pub verify: bool,
}

/// `arr check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The programs.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Print what the ledger will be after each statement of the top level, and the peak.
    #[arg(long)]
    pub ledger: bool,
    /// Print the verdict on each donation and each `x[...] = v`, and why it is not better.
    #[arg(long)]
    pub explain: bool,
    /// Propose donations that are missing, with the bytes that each saves at the peak.
    #[arg(long)]
    pub suggest: bool,
    /// Derive anew, from the plan alone, that each compiled program keeps its buffers apart.
    #[arg(long)]
    pub certify: bool,
    /// Refuse a program whose peak is not provably within this many bytes: 16GiB, 512MiB, 4096.
    #[arg(long, value_name = "BYTES", value_parser = crate::driver::examine::budget::parse)]
    pub budget: Option<u64>,
    /// Warnings that are errors: capture, handed-over, leak, all, or a code.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kind)]
    pub deny: Vec<Codes>,
    /// How to answer.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How `arr check` answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs: docs/check.md describes it.
    Json,
}

/// The codes that a kind of warning stands for.
#[derive(Clone, Debug)]
pub struct Codes(pub Vec<String>);

fn kind(text: &str) -> Result<Codes, String> {
    let known = crate::driver::examine::DENIABLE.map(|(name, _)| name).join(", ");
    crate::driver::examine::denied(text).map(Codes).ok_or_else(|| format!("use {known}, all, or the code of a warning"))
}

/// `arr repl`.
#[derive(Debug, Default, Args)]
pub struct Repl {
    /// A program to start from.
    pub file: Option<PathBuf>,
    /// Where arrays live.
    #[arg(long, value_enum, default_value_t)]
    pub device: Target,
    /// Threads for large arrays; all cores if not given.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

/// `arr emit`.
#[derive(Debug, Args)]
pub struct Emit {
    /// The program.
    pub file: PathBuf,
    /// The stage.
    #[arg(long, value_parser = crate::driver::dump::STAGES)]
    pub stage: String,
    /// Only this function.
    #[arg(long, value_name = "NAME")]
    pub function: Option<String>,
}

/// `arr explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// A code such as E0301, or nothing to list all.
    pub code: Option<String>,
}

/// `arr fmt`.
#[derive(Debug, Args)]
pub struct Fmt {
    /// The programs.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Change nothing; fail if a file is not formatted.
    #[arg(long)]
    pub check: bool,
}
