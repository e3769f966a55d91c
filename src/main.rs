//! The binary: hands over to `cli`.

fn main() -> std::process::ExitCode {
    arr::cli::main()
}
