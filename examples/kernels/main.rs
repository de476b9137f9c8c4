//! Kernels of one's own, from closures to raw text: name, layer, seconds of the second run, and whether the bits are those of the
//! reference (raw kernels: of plain Rust). The exit code is 1 if one differs.
//!
//!     cargo run --release --example kernels [-- --device NAME]

mod closures;
mod raw;
#[path = "../support/mod.rs"]
mod support;
mod threads;
mod threads_cases;

use std::process::ExitCode;
use std::time::Instant;

use ndany::Result;
use ndany::prelude::*;
use support::Outcome;

/// The arrays that a kernel makes on the current device, which is this one.
type Case = fn(&Device) -> Result<Vec<Array>>;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("kernels: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<bool> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    support::expect_no_more(&arguments, "kernels [--device NAME]")?;
    println!("device {device}: {}", device.description());
    let reference = Device::open("reference")?;
    let mut all = true;
    for (name, layer, case) in closures::CASES.into_iter().chain(threads_cases::CASES) {
        let outcome = bytes(case, &reference).and_then(|expected| {
            let (found, seconds) = timed(|| bytes(case, &device))?;
            Ok((found == expected, seconds))
        });
        all &= report(name, layer, outcome);
    }
    for (name, case) in raw::CASES {
        let _guard = device.enter();
        let outcome = timed(|| case(&device));
        if outcome.as_ref().is_err_and(|error| error.is_unsupported()) {
            println!("{name:28} {:10} not on this device: it compiles no text", "raw");
            continue;
        }
        all &= report(name, "raw", outcome);
    }
    Ok(all)
}

/// Runs something twice; what the second run gives, and its seconds. The first one compiles.
fn timed<T>(work: impl Fn() -> Result<T>) -> Result<(T, f64)> {
    work()?;
    let begun = Instant::now();
    let made = work()?;
    Ok((made, begun.elapsed().as_secs_f64()))
}

fn bytes(case: Case, device: &Device) -> Result<Vec<Vec<u8>>> {
    let _guard = device.enter();
    case(device)?.iter().map(Array::to_bytes).collect()
}

/// Prints a line; says whether the kernel is right.
fn report(name: &str, layer: &str, outcome: Result<(bool, f64)>) -> bool {
    match outcome {
        Ok((equal, seconds)) => {
            let equal_text = if equal { "equal" } else { "DIFFERS" };
            println!("{name:28} {layer:10} {seconds:10.6} s  {equal_text}");
            equal
        }
        Err(error) => {
            println!("{name:28} {layer:10} {error}");
            false
        }
    }
}
