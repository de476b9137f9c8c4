//! What there is on this machine: devices, the vendors' libraries, and what works without the missing ones.
//!
//!     cargo run --example info

use std::process::ExitCode;

use ndany::prelude::*;

fn main() -> ExitCode {
    println!("devices, the best first:");
    let mut failed = false;
    for name in Device::all() {
        match Device::open(&name).and_then(|device| describe(&device)) {
            Ok(description) => println!("  {name}: {description}"),
            Err(error) => {
                failed = true;
                println!("  {name}: {error}");
            }
        }
    }
    println!("\nwhat each backend finds:");
    for report in Device::reports() {
        println!("\n{report}");
    }
    // A device that is there and does not open is a failure; one that is not there is none.
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// What the device says of itself, once it has computed something.
fn describe(device: &Device) -> ndany::Result<String> {
    let _guard = device.enter();
    let sum: i64 = arange(1000).sum(..).item()?;
    Ok(format!("{}; 0 + … + 999 = {sum}", device.description()))
}
