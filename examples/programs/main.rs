//! Twelve short NumPy programs in Rust.
//!
//! Usage: `programs NAME|all [--device NAME] [--size N]`
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
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--device" => device = arguments.next(),
            "--size" => size = Some(arguments.next().ok_or("--size needs a number")?.parse()?),
            _ => wanted = Some(argument),
        }
    }
    let wanted = wanted.ok_or("usage: programs NAME|all [--device NAME] [--size N]")?;
    if wanted != "all" && PROGRAMS.iter().all(|(name, _)| wanted != *name) {
        return Err(format!("there is no program {wanted}").into());
    }
    let device = device.map_or_else(Device::best, |name| Device::open(&name))?;
    for (name, run) in PROGRAMS.iter().filter(|(name, _)| wanted == "all" || wanted == *name) {
        let start = Instant::now();
        run(&device, size)?;
        println!("{name:12} {:8.3} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
