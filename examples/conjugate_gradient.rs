//! Scratches taken out of a photograph: Laplace's equation on the damaged pixels, solved by conjugate
//! gradients (Hestenes & Stiefel 1952) without ever forming the matrix.
//!
//!     cargo run --release --example conjugate_gradient [-- --device NAME]
//!
//! The three colours are three systems solved side by side. Before and after go to
//! `target/conjugate_gradient/`.

#[path = "quickstart/photo.rs"]
mod photo;
#[path = "support/mod.rs"]
mod support;

use std::path::Path;
use std::process::ExitCode;

use ndany::Result;
use ndany::prelude::*;
use support::{Outcome, timed};

const PHOTOGRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/coffee.png");
const TOLERANCE: f64 = 1e-5;
const ITERATIONS: usize = 1000;

/// Four times a pixel less its neighbours, with pixels beyond the edge like those at it.
fn laplacian(u: &Array) -> Array {
    let along = |axis: isize| -> Array {
        let v = u.moveaxis(axis, 0isize);
        let length = v.shape()[0];
        let before = concatenate(&[&v.i(..1), &v.i(..length - 1)], 0);
        let after = concatenate(&[&v.i(1..), &v.i(length - 1..)], 0);
        (&v * 2.0 - before - after).moveaxis(0isize, axis)
    };
    along(0) + along(1)
}

/// One number for each colour.
fn dot(a: &Array, b: &Array) -> Array {
    (a * b).sum([0, 1])
}

/// Where `hole` is 1 a smooth continuation of `photo`, elsewhere `photo` itself; with the number of
/// iterations and the residual of each colour relative to the first.
fn restore(photo: &Array, hole: &Array) -> Result<(Array, usize, Array)> {
    // Unknowns are the pixels of the hole; what is known moves to the right-hand side.
    let apply = |u: &Array| laplacian(u) * hole;
    let mut u = photo * hole.logical_not();
    let mut residual = -apply(&u);
    let mut direction = residual.clone();
    let mut energy = dot(&residual, &residual);
    let first = energy.clone();
    let mut iterations = 0;
    while iterations < ITERATIONS {
        let image = apply(&direction);
        // A colour that has settled keeps still instead of dividing by zero.
        let step = &energy / dot(&direction, &image).maximum(1e-30);
        u += &direction * &step;
        residual -= image * step;
        let next = dot(&residual, &residual);
        direction = &residual + direction * (&next / energy.maximum(1e-30));
        energy = next;
        iterations += 1;
        // Asked every tenth time, so that the device need not wait for the host in between.
        if iterations % 10 == 0 && (&energy / &first).max(..).item::<f64>()? < TOLERANCE * TOLERANCE
        {
            break;
        }
    }
    Ok((u, iterations, (energy / first).sqrt()))
}

/// Ones on a few long scratches and blots, zeros elsewhere: shape (height, width, 1).
fn damage(height: usize, width: usize) -> Array {
    let row = arange(height).astype(DType::F64).reshape([-1, 1]);
    let column = arange(width).astype(DType::F64).reshape([1, -1]);
    let mut hole = zeros((height, width), DType::Bool);
    for scratch in 0..7 {
        let (tilt, offset) = (0.3 + 0.2 * f64::from(scratch), 90.0 * f64::from(scratch) - 150.0);
        let wave = (&column * 0.02 + f64::from(scratch)).sin() * 12.0;
        let distance = (&row - &column * tilt - offset + wave).abs();
        hole = hole.logical_or(distance.less(2.5));
        let (down, right) = (50.0 + 47.0 * f64::from(scratch), 70.0 + 61.0 * f64::from(scratch));
        let blot = (&row - down).square() + (&column - right).square();
        hole = hole.logical_or(blot.less(100.0));
    }
    hole.i((.., .., NewAxis)).astype(DType::F64)
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("conjugate_gradient: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    support::expect_no_more(&arguments, "conjugate_gradient [--device NAME]")?;
    let _guard = device.enter();
    println!("device {device}: {}", device.description());
    let original = photo::read(Path::new(PHOTOGRAPH))?.astype(DType::F64);
    let hole = damage(original.shape()[0], original.shape()[1]);
    let damaged = &original * hole.logical_not();
    original.eval()?;
    damaged.eval()?;
    println!("{:.1} % of the pixels are lost", hole.mean(..).item::<f64>()? * 100.0);

    let ((restored, iterations, residual), cost) =
        timed(&device, || Ok(restore(&damaged, &hole)?))?;
    println!("  solve       {cost}");
    let worst = residual.max(..).item::<f64>()?;
    println!("  {iterations} iterations, largest relative residual {worst:.1e}");
    let error = |photo: &Array| -> Outcome<f64> {
        let lost = hole.sum(..) * 3.0;
        Ok((((photo - &original) * &hole).square().sum(..) / lost).sqrt().item::<f64>()?)
    };
    println!(
        "  error at the lost pixels: {:.3} before, {:.3} after",
        error(&damaged)?,
        error(&restored)?
    );

    let folder = Path::new("target/conjugate_gradient");
    std::fs::create_dir_all(folder)?;
    photo::write(&folder.join("before.png"), &damaged)?;
    photo::write(&folder.join("after.png"), &restored)?;
    println!("before.png and after.png are in {}", folder.display());
    Ok(())
}
