//! A timeline of what the engine does, for a browser: opening, evaluation, launches, kernels, compilation, transfers, waits.
//!
//!     cargo run --release -p ndany-timeline [-- --device NAME] [--output FILE]
//!
//! Open the file at <https://ui.perfetto.dev> or at `chrome://tracing`. `docs/timeline.md` says what each span means. Any
//! program can have this: the function `record` is all that is needed.

#[path = "../../support/mod.rs"]
mod support;

use std::process::ExitCode;

use ndany::prelude::*;
use support::Outcome;
use tracing_chrome::{ChromeLayerBuilder, FlushGuard};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::prelude::*;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("timeline: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Records the spans of all threads into a file from now until the guard is dropped.
fn record(file: &str) -> FlushGuard {
    let (layer, guard) = ChromeLayerBuilder::new().file(file).include_args(true).build();
    // The engine's spans are of level DEBUG.
    tracing_subscriber::registry().with(layer.with_filter(LevelFilter::DEBUG)).init();
    guard
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = support::option(&mut arguments, "--output")?.unwrap_or("timeline.json".to_string());
    // Before the device is opened, so that opening is on the timeline too.
    let guard = record(&file);
    let device = support::device(&mut arguments)?;
    support::expect_no_more(&arguments, "timeline [--device NAME] [--output FILE]")?;
    let _device = device.enter();
    // The second round finds kernels compiled and memory in the pool.
    for round in 1..=2 {
        let _round = tracing::debug_span!("round", round).entered();
        work()?;
    }
    device.synchronize()?;
    drop(guard);
    println!("device {device}: the timeline is in {file}");
    Ok(())
}

/// Something of each kind: a fused map, a softmax, a product, a sort, a scan, values read back.
fn work() -> Outcome {
    let index = arange(512 * 512).astype(DType::F32).reshape([512, 512]);
    let x = (&index * 0.001).sin() * 3.0;
    let shifted = (&x - x.max(over(1).keepdims())).exp();
    let total = shifted.sum(over(1).keepdims());
    let softmax = shifted / total;
    let product = softmax.matmul(&x);
    let sorted = product.sort(1);
    let summed = sorted.cumsum(1);
    let last: f32 = summed.i((511, 511)).item()?;
    println!("sum of the last row: {last}");
    Ok(())
}
