//! Kernels of C++ text on a GPU, each compared with plain Rust: name, seconds of the second run, whether they are equal.
//!
//!     cargo run --release --example raw_kernels -- --device cuda:0

mod kernels;
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::Instant;

use kernels::CASES;
use support::Outcome;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("raw_kernels: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<bool> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    support::expect_no_more(&arguments, "raw_kernels [--device NAME]")?;
    let _guard = device.enter();
    println!("device {device}: {}", device.description());
    let mut all = true;
    for (name, case) in CASES {
        // The first run compiles.
        let outcome = case(&device).and_then(|first| {
            let begun = Instant::now();
            Ok((first && case(&device)?, begun.elapsed().as_secs_f64()))
        });
        match outcome {
            Ok((equal, seconds)) => {
                println!("{name:26} {seconds:9.6} s  {}", if equal { "equal" } else { "DIFFERS" });
                all &= equal;
            }
            Err(error) => {
                println!("{name:26} {error}");
                all = false;
            }
        }
    }
    Ok(all)
}
