//! Every PTX kernel that the golden programs and the examples emit is assembled by NVIDIA's `ptxas` for three
//! architectures: no error, no spill. Registers per kernel go to `target/ptx-registers.txt`.
//!
//! `ptxas` is the one that `PTXAS` names, or that is on the path; without one this is skipped, with a line that says so.
//! Kernels that differ in nothing but their name are assembled once.

#![expect(clippy::print_stdout, reason = "a test without the harness prints its own lines")]

use arr::backends::cuda::lower::lower;
use arr::backends::cuda::ptx::HEAD;
use arr::base::Sources;
use arr::driver::checked::Checked;
use arr::driver::stack::on_large_stack;
use arr::proof::predict::{PATIENT, predict};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const ARCHITECTURES: [&str; 3] = ["sm_80", "sm_90", "sm_100"];

fn programs(under: &Path, found: &mut Vec<PathBuf>) {
    for path in fs::read_dir(under).expect("a folder of programs").flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "arr") {
            found.push(path);
        }
    }
}

/// The distinct kernels of all programs of the tree, each under a name of its own.
fn kernels() -> Vec<String> {
    let mut files = Vec::new();
    programs(Path::new("tests/golden"), &mut files);
    programs(Path::new("examples"), &mut files);
    files.sort();
    let (mut seen, mut all) = (BTreeSet::new(), Vec::new());
    for file in files {
        let text = fs::read_to_string(&file).expect("a program");
        let checked = Checked::new(&mut Sources::default(), &file.display().to_string(), &text, &[]);
        if !checked.accepted() {
            continue;
        }
        for compiled in predict(&checked.program, PATIENT).programs {
            let lowered = lower(&compiled.planned.plan);
            // An entry with the remarks before the next one.
            let parts = lowered.text.split(".visible .entry ").skip(1);
            for part in parts {
                let (name, rest) = part.split_once('(').expect("an entry has parameters");
                if seen.insert(rest.to_owned()) {
                    all.push(format!(".visible .entry k{}_{name}({rest}", all.len()));
                }
            }
        }
    }
    all
}

/// What `ptxas -v` says of a module for an architecture, or its errors.
fn assembled(ptxas: &str, module: &Path, architecture: &str) -> Result<String, String> {
    let target = format!("-arch={architecture}");
    let mut run = Command::new(ptxas);
    run.args(["-v", &target, "-o"]).arg(module.with_extension(architecture)).arg(module);
    let output = run.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
    if output.status.success() { Ok(said) } else { Err(said) }
}

fn run() -> Result<String, String> {
    let ptxas = std::env::var("PTXAS").unwrap_or_else(|_| "ptxas".to_owned());
    if Command::new(&ptxas).arg("--version").output().is_err() {
        return Ok("SKIPPED: there is no ptxas (set PTXAS to assemble what the GPU backend emits)".to_owned());
    }
    let kernels = on_large_stack(kernels);
    let folder = Path::new("target").join("ptx");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let module = folder.join("golden.ptx");
    fs::write(&module, format!("{HEAD}\n{}", kernels.join("\n"))).map_err(|error| error.to_string())?;
    let mut report = String::new();
    for architecture in ARCHITECTURES {
        let said = assembled(&ptxas, &module, architecture)?;
        let mut name = "";
        for line in said.lines() {
            if let Some((_, rest)) = line.split_once("Compiling entry function '") {
                name = rest.split('\'').next().unwrap_or_default();
            }
            if line.contains("spill stores") && !line.contains("0 bytes spill stores, 0 bytes spill loads") {
                return Err(format!("{architecture}: {name} spills: {line}"));
            }
            if let Some((_, rest)) = line.split_once("Used ") {
                report += &format!("{architecture} {name}: {}\n", rest.split(',').next().unwrap_or_default());
            }
        }
    }
    fs::write("target/ptx-registers.txt", &report).map_err(|error| error.to_string())?;
    let most = report.lines().filter_map(|line| line.split_whitespace().nth_back(1)?.parse::<u32>().ok()).max();
    let (count, most) = (kernels.len(), most.unwrap_or(0));
    if report.lines().count() != count * ARCHITECTURES.len() {
        return Err(format!("{} lines for {count} kernels", report.lines().count()));
    }
    Ok(format!("ok: {count} kernels for {}, at most {most} registers", ARCHITECTURES.join(", ")))
}

fn main() -> ExitCode {
    match run() {
        Ok(line) => {
            println!("\nptxas: {line}\n");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("\nptxas: FAILED: {error}\n");
            ExitCode::FAILURE
        }
    }
}
