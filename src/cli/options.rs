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
}

/// `arr check`.
#[derive(Debug, Args)]
pub struct Check {
    /// The programs.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
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
