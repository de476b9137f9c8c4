//! Checks that a device keeps its promises under load. Each trial prints a line of figures, and fails if its
//! promise is broken; then this ends with 1.
//!
//!     cargo run --release --example endurance [-- --device NAME] [--only WORDS] [--small]
//!
//! `--small` takes sizes that a slow device (the software GPU, a CPU) does in seconds. What a device does not have, a
//! pool, say, is left out and said so. Trials run in the order of the table, one process for all but `start`.

mod allocations;
mod devices;
mod large;
mod numbers;
mod out_of_memory;
mod start;
#[path = "../support/mod.rs"]
mod support;
mod threads;

use std::process::ExitCode;
use std::time::Instant;

use ndany::Device;
use support::Outcome;

/// What all trials are given.
pub struct Setting {
    /// The device tried.
    pub device: Device,
    /// Whether sizes are small.
    pub small: bool,
}

impl Setting {
    /// One of two sizes.
    pub fn size<T>(&self, full: T, small: T) -> T {
        if self.small { small } else { full }
    }
}

/// A name, and a trial that gives a line of figures.
type Trial = (&'static str, fn(&Setting) -> Outcome<String>);

/// The first needs a pool that has seen nothing yet; what tells its peak comes before what takes all there is.
const TRIALS: &[Trial] = &[
    ("allocations", allocations::run),
    ("threads", threads::arrays),
    ("streams", threads::streams),
    ("devices", devices::run),
    ("large-u8", large::bytes),
    ("large-f32", large::floats),
    ("out-of-memory", out_of_memory::run),
    ("start", start::run),
];

const USAGE: &str = "endurance [--device NAME] [--only WORDS] [--small]";

/// Whether this word is among the arguments. It is removed.
fn flag(arguments: &mut Vec<String>, name: &str) -> bool {
    let count = arguments.len();
    arguments.retain(|given| given != name);
    arguments.len() < count
}

fn trials() -> Outcome<bool> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if start::is_child(&arguments) {
        return start::child(&arguments).map(|()| true);
    }
    let small = flag(&mut arguments, "--small");
    let only = support::option(&mut arguments, "--only")?.unwrap_or_default();
    let setting = Setting { device: support::device(&mut arguments)?, small };
    support::expect_no_more(&arguments, USAGE)?;
    let _guard = setting.device.enter();
    println!("{}: {}", setting.device, setting.device.description());
    let chosen = |name: &str| only.split(',').any(|word| name.contains(word));
    let mut kept = true;
    for (name, trial) in TRIALS.iter().filter(|(name, _)| chosen(name)) {
        let began = Instant::now();
        let outcome = trial(&setting);
        let seconds = began.elapsed().as_secs_f64();
        match outcome {
            Ok(figures) => println!("{name}: {figures} ({seconds:.2} s)"),
            Err(error) => {
                kept = false;
                println!("{name}: FAILED: {error} ({seconds:.2} s)");
            }
        }
    }
    Ok(kept)
}

fn main() -> ExitCode {
    match trials() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
