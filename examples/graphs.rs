//! Graphs: a step of a model with a product of matrices, a Fourier transform, a sort, a solution of equations, random numbers and
//! kernels of its own, recorded once and launched a hundred times, beside the same calls; and what a launch of twenty small kernels
//! costs.
//!
//!     cargo run --release --example graphs [-- --device NAME] [--launches N]
//!
//! `NDANY_GRAPHS=own` launches a graph piece by piece. The exit code is 1 if a launch has other bits than the calls.

#[path = "support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::Instant;

use ndany::Graph;
use ndany::kernel::{elementwise, reduction};
use ndany::prelude::*;
use support::{Outcome, each, failure};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("graphs: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let launches = match support::option(&mut arguments, "--launches")? {
        Some(count) => {
            count.parse().map_err(|_| failure(format!("--launches {count}: no number")))?
        }
        None => 100,
    };
    support::expect_no_more(&arguments, "graphs [--device NAME] [--launches N]")?;
    let _guard = device.enter();
    println!("device {device}: {}", device.description());
    model(&device, launches)?;
    small_kernels(&device)
}

/// A step: noise on a signal, its spectrum filtered, sorted, mixed by a matrix, and equations solved with what comes out.
fn step(rng: &mut Generator, [signal, mixing]: [&Array; 2]) -> ndany::Result<[Array; 3]> {
    let squash = elementwise("squash", |_, [x, scale]| [x / (x.abs() * scale + 1.0)]);
    let spread = reduction(
        "spread",
        |_, [x]| [x, x],
        |_, [low, high], [other, top]| [low.minimum(other), high.maximum(top)],
        |_, [low, high]| [high - low],
    );
    let noisy = signal + rng.normal(0.0, 0.01, Shape::new(signal.shape()));
    let spectrum = fft::rfft(&noisy, ..);
    let smooth = fft::irfft(
        &spectrum / (arange(spectrum.size() as i64) * 0.01 + 1.0),
        along(-1).n(signal.size()),
    );
    let [squashed] = squash.call((&smooth, 0.5));
    let sorted = squashed.sort(..);
    let n = mixing.shape()[0];
    let columns = sorted.reshape((n, signal.size() / n));
    let mixed = mixing.matmul(&columns);
    let solved = linalg::solve(mixing.abs() + eye(n) * (n as f64), &mixed);
    let [range] = spread.call([&solved], ..);
    Ok([solved.ravel().i(s![..(signal.size() as isize)]), range, squashed])
}

fn model(device: &Device, launches: usize) -> Outcome {
    let (size, n) = (1 << 12, 64);
    let mut values = Generator::new(1);
    let start = values.normal(0.0, 1.0, size);
    let mixing = values.normal(0.0, 1.0, (n, n));
    let (mut rng, mut same) = (Generator::new(2), Generator::new(2));
    let began = Instant::now();
    let graph = Graph::capture("model", (&rng, [&start, &mixing]), |k, [signal, mixing]| {
        step(k.generator(), [&signal, &mixing])
    })?;
    println!("{:<26}{:>9.2} ms", "captured in", began.elapsed().as_secs_f64() * 1e3);
    let (mut signal, mut expected) = (start.clone(), start.clone());
    for launch in 0..launches {
        let [next, range, squashed] = graph.launch((&mut rng, [&signal, &mixing]))?;
        let [also, other, third] = step(&mut same, [&expected, &mixing])?;
        for (got, expected) in [(&next, &also), (&range, &other), (&squashed, &third)] {
            if got.to_bytes()? != expected.to_bytes()? {
                return Err(failure(format!(
                    "launch {launch} has other bits than the call\n{graph}"
                )));
            }
        }
        (signal, expected) = (next, also);
    }
    println!("{:<26}{launches:>9}", "launches of equal bits");
    let eager = each(device, 20, || {
        let [next, range, _] = step(&mut same, [&start, &mixing])?;
        next.eval()?;
        range.eval()
    })?;
    let launched = each(device, 20, || graph.launch((&mut rng, [&start, &mixing])).map(drop))?;
    report("model, calls", eager);
    report("model, a graph", launched);
    println!("{:<26}{:>9.2} x", "", eager / launched);
    Ok(())
}

/// Twenty kernels, each over what the one before has made.
fn small_kernels(device: &Device) -> Outcome {
    let (x, y) = (ones(1000, F32), full(1000, 0.5, F32));
    x.eval()?;
    y.eval()?;
    let chain = |x: &Array, y: &Array| -> ndany::Result<[Array; 1]> {
        let mut w = x.clone();
        for _ in 0..20 {
            w = (&w - y).square();
            // A kernel of its own: unasked, all twenty would be one.
            w.eval()?;
        }
        Ok([w])
    };
    let graph = Graph::capture("chain", [&x, &y], |_, [x, y]| chain(&x, &y))?;
    let [expected] = chain(&x, &y)?;
    let [made] = graph.launch([&x, &y])?;
    if made.to_bytes()? != expected.to_bytes()? {
        return Err(failure("the chain has other bits"));
    }
    report("20 kernels, calls", each(device, 50, || chain(&x, &y).map(drop))?);
    report("20 kernels, a graph", each(device, 50, || graph.launch([&x, &y]).map(drop))?);
    // The host's part: launches without a wait between them.
    device.synchronize()?;
    let start = Instant::now();
    let made = graph.launch([&x, &y])?;
    let host = start.elapsed().as_secs_f64();
    drop(made);
    device.synchronize()?;
    report("the host's part of one", host);
    // State to state: inputs and results change places.
    let mut w = x.clone();
    let moving = each(device, 50, || {
        let [next] = graph.launch([&w, &y])?;
        w = next;
        Ok(())
    })?;
    report("20 kernels, state to state", moving);
    Ok(())
}

fn report(what: &str, seconds: f64) {
    println!("{what:<26}{:>9.2} µs", seconds * 1e6);
}
