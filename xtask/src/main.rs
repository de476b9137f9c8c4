//! Chores of the repository, run as `cargo run -p xtask -- CHORE`.
//!
//! Only reads the command line; each chore has a file of its own.

mod bench;
mod docs;
mod oracle;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo run -p xtask -- CHORE

  oracle [PART ..]  make the golden cases of conformance/golden with NumPy and mpmath
  oracle --check    make them again elsewhere, and fail unless the bytes are the same
  docs              write docs/operations.md from the tables of operations
  bench [DEVICE]    time the workloads on a device (cpu) and in NumPy, and print the ratios
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["oracle", "--check"] => oracle::check().map_err(|error| error.to_string()),
        ["oracle", parts @ ..] => oracle::make(parts).map_err(|error| error.to_string()),
        ["docs"] => docs::write(),
        ["bench"] => oracle::python().and_then(|python| bench::run("cpu", &python)),
        ["bench", device] => oracle::python().and_then(|python| bench::run(device, &python)),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
