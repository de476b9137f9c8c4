//! Launches a kernel with a planted bug, for `conformance/sanitize.sh`: a tool that does not find it finds nothing.
//!
//!     planted BUG        (a name of `gpu/tests/support/planted.rs`)
//!
//! What the driver says is printed and is no failure: finding the bug is the tool's job.

#[path = "../../../gpu/tests/support/planted.rs"]
mod planted;

use std::process::ExitCode;

use ndany_cuda::{CudaCompiler, CudaDriver};
use planted::{BUGS, Bug};

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(bug) = Bug::find(&name) else {
        let names: Vec<&str> = BUGS.iter().map(|bug| bug.name).collect();
        eprintln!("usage: planted BUG, one of {}", names.join(", "));
        return ExitCode::from(2);
    };
    let driver = match CudaDriver::open(0) {
        Ok(driver) => driver,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let compiler = match CudaCompiler::open() {
        Ok(compiler) => compiler,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    match bug.run(&driver, &compiler, "__ballot_sync(~0u, x)") {
        Ok(values) => println!("{name}: the values are right: {}", values == bug.expected()),
        Err(error) => println!("{name}: the driver says: {error}"),
    }
    ExitCode::SUCCESS
}
