//! Twelve short NumPy programs in Rust.
//!
//! Usage: `programs NAME|all [--device NAME] [--size N] [--runs COUNT]`
//!
//! With `--runs` each program runs several times, and a line of JSON has the milliseconds of its first run and the median of
//! the others. `benches/programs.py` does the same with the NumPy text of `docs/programs.md`.
use ndany::prelude::*;
use std::time::Instant;

mod convolution;
mod diffusion;
mod groupby;
mod heat;
mod kmeans;
mod life;
mod logistic;
mod mandelbrot;
mod mimo;
mod nbody;
mod option;
mod pca;

type Program = fn(&Device, Option<usize>) -> ndany::Result<()>;

const PROGRAMS: [(&str, Program); 12] = [
    ("heat", heat::run),
    ("logistic", logistic::run),
    ("mandelbrot", mandelbrot::run),
    ("option", option::run),
    ("nbody", nbody::run),
    ("mimo", mimo::run),
    ("convolution", convolution::run),
    ("life", life::run),
    ("kmeans", kmeans::run),
    ("groupby", groupby::run),
    ("diffusion", diffusion::run),
    ("pca", pca::run),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut wanted, mut device, mut size) = (None, None, None);
    let mut runs: usize = 1;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--device" => device = arguments.next(),
            "--size" => size = Some(arguments.next().ok_or("--size needs a number")?.parse()?),
            "--runs" => runs = arguments.next().ok_or("--runs needs a number")?.parse()?,
            _ => wanted = Some(argument),
        }
    }
    let wanted =
        wanted.ok_or("usage: programs NAME|all [--device NAME] [--size N] [--runs COUNT]")?;
    if wanted != "all" && PROGRAMS.iter().all(|(name, _)| wanted != *name) {
        return Err(format!("there is no program {wanted}").into());
    }
    let device = device.map_or_else(Device::best, |name| Device::open(&name))?;
    for (name, run) in PROGRAMS.iter().filter(|(name, _)| wanted == "all" || wanted == *name) {
        let first = seconds(|| run(&device, size))?;
        if runs < 2 {
            println!("{name:12} {first:8.3} s");
            continue;
        }
        let again = (1..runs).map(|_| seconds(|| run(&device, size)));
        let mut again = again.collect::<ndany::Result<Vec<f64>>>()?;
        again.sort_by(f64::total_cmp);
        let (first, median) = (first * 1e3, again[again.len() / 2] * 1e3);
        println!("{{\"w\": \"{name}\", \"ms\": {median:.4}, \"first\": {first:.4}}}");
    }
    Ok(())
}

fn seconds(run: impl FnOnce() -> ndany::Result<()>) -> ndany::Result<f64> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed().as_secs_f64())
}
