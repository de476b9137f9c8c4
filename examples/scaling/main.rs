//! Time per element of usual operations over sizes from 10³ to 10⁹ elements of float32: where it grows with the size, a table
//! and a picture show it, and sizes at which it jumps are listed as cliffs.
//!
//!     cargo run --release --example scaling [-- --device NAME] [--most N] [--only WORDS] [--picture FILE]
//!
//! A cliff is a size whose time per element is more than 1.5 times that of the size before, where that one has more than
//! 10⁵ elements: below it the cost of a launch counts, and the caches of the processor. Other work on the machine makes
//! cliffs, too. Sizes end at `--most` (10⁷ where nothing is said) and where the memory of the device ends.

mod picture;
#[path = "../support/mod.rs"]
mod support;

use std::process::ExitCode;
use std::time::Instant;

use ndany::prelude::*;
use ndany::{Bins, Generator};
use support::{Outcome, failure};

/// Ratio of times per element of neighbouring sizes from which on the larger size is a cliff.
const CLIFF: f64 = 1.5;
/// Number of elements from which on a size may be the edge of a cliff.
const BEYOND: usize = 100_000;
/// Seconds that calls back to back take at least.
const ENOUGH: f64 = 0.005;

/// The operands of all operations at one size.
struct Inputs {
    x: Array,
    y: Array,
    mask: Array,
    numbers: Array,
    index: Array,
}

impl Inputs {
    fn new(size: usize) -> ndany::Result<Inputs> {
        let mut rng = Generator::new(0);
        let x = rng.standard_normal(Shape::new(size).dtype(F32));
        let y = rng.standard_normal(Shape::new(size).dtype(F32));
        let (mask, numbers) = (x.greater(0.0), (x.abs() * 1e6).astype(I32));
        let index = rng.integers(0..size as i64, size);
        for array in [&x, &y, &mask, &numbers, &index] {
            array.eval()?;
        }
        Ok(Inputs { x, y, mask, numbers, index })
    }
}

/// A name, and the work of one call.
type Operation = (&'static str, fn(&Inputs) -> ndany::Result<()>);

const OPERATIONS: &[Operation] = &[
    ("add", |i| (&i.x + &i.y).eval()),
    ("exp", |i| i.x.exp().eval()),
    ("sum", |i| i.x.sum(..).eval()),
    ("cumsum", |i| i.x.cumsum(..).eval()),
    ("sort", |i| i.x.sort(0).eval()),
    ("argsort", |i| i.x.argsort(0).eval()),
    ("take", |i| i.x.take(&i.index, 0).eval()),
    ("mask", |i| i.x.i(&i.mask).eval()),
    ("unique", |i| i.numbers.unique(..).eval()),
    ("median", |i| i.x.median(..).eval()),
    ("histogram", |i| i.x.histogram(Bins::new(256).range(-4.0, 4.0)).0.eval()),
];

/// Nanoseconds per element of an operation at each size; `None` where the memory of the device was too small.
struct Curve {
    name: &'static str,
    times: Vec<Option<f64>>,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scaling: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let most = match support::option(&mut arguments, "--most")? {
        Some(text) => text.parse().map_err(|_| failure(format!("--most {text}: no number")))?,
        None => 10_000_000,
    };
    let only = support::option(&mut arguments, "--only")?.unwrap_or_default();
    let picture = support::option(&mut arguments, "--picture")?;
    let usage = "scaling [--device NAME] [--most N] [--only WORDS] [--picture FILE]";
    support::expect_no_more(&arguments, usage)?;
    let chosen = |name: &str| only.split(',').any(|word| name.contains(word));
    let operations: Vec<Operation> =
        OPERATIONS.iter().copied().filter(|(name, _)| chosen(name)).collect();
    let _guard = device.enter();
    println!("device {device}: {}", device.description());
    println!("nanoseconds per element");
    print!("{:>12}", "elements");
    operations.iter().for_each(|(name, _)| print!("{name:>11}"));
    println!();
    let sizes: Vec<usize> = sizes().take_while(|&size| size <= most).collect();
    let start = |&(name, _): &Operation| Curve { name, times: Vec::new() };
    let mut curves: Vec<Curve> = operations.iter().map(start).collect();
    for &size in &sizes {
        let inputs = within_memory(Inputs::new(size))?;
        print!("{size:>12}");
        for ((_, work), curve) in operations.iter().zip(&mut curves) {
            let time = match &inputs {
                Some(inputs) => nanoseconds(&device, size, || work(inputs))?,
                None => None,
            };
            print!("{:>11}", time.map_or("-".to_string(), |time| format!("{time:.3}")));
            curve.times.push(time);
        }
        println!();
    }
    for curve in &curves {
        for (size, time, ratio) in cliffs(&sizes, &curve.times) {
            let name = curve.name;
            println!(
                "cliff: {name} of {size} elements takes {time:.3} ns each, {ratio:.2} times those of the size before"
            );
        }
    }
    if let Some(file) = picture {
        let title = format!("ndany on {device}: nanoseconds per element");
        std::fs::write(&file, picture::draw(&title, &sizes, &curves))
            .map_err(|error| failure(format!("{file}: {error}")))?;
        println!("picture: {file}");
    }
    Ok(())
}

/// 1, 2 and 5 times each power of ten from 10³ to 10⁹.
fn sizes() -> impl Iterator<Item = usize> {
    let all = (3..=9).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_usize.pow(power)));
    all.take_while(|&size| size <= 1_000_000_000)
}

/// The value, or `None` where the memory of the device is too small for it.
fn within_memory<T>(outcome: ndany::Result<T>) -> Outcome<Option<T>> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.class() == "MemoryError" => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Nanoseconds per element of a call.
fn nanoseconds(
    device: &Device,
    size: usize,
    mut work: impl FnMut() -> ndany::Result<()>,
) -> Outcome<Option<f64>> {
    // The first call compiles kernels and fills the pool.
    if within_memory(work().and_then(|()| device.synchronize()))?.is_none() {
        return Ok(None);
    }
    let began = Instant::now();
    work()?;
    device.synchronize()?;
    let calls = (ENOUGH / began.elapsed().as_secs_f64()).ceil().clamp(1.0, 1000.0);
    let seconds = support::each(device, calls as u32, work)?;
    Ok(Some(seconds * 1e9 / size as f64))
}

/// The sizes that are cliffs, each with its time per element and the ratio to that of the size before.
fn cliffs(sizes: &[usize], times: &[Option<f64>]) -> Vec<(usize, f64, f64)> {
    let mut found = Vec::new();
    for (sizes, times) in sizes.windows(2).zip(times.windows(2)) {
        if let &[Some(before), Some(time)] = times
            && sizes[0] > BEYOND
            && time > CLIFF * before
        {
            found.push((sizes[1], time, time / before));
        }
    }
    found
}
