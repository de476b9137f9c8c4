//! The colours of a photograph in clusters: Lloyd's k-means, started by k-means++.
//!
//!     cargo run --release --example kmeans [-- --device NAME] [--clusters N]
//!
//! Prints the mean squared distance of every iteration and writes the photograph in its clusters' colours
//! to `target/kmeans/`.

#[path = "quickstart/photo.rs"]
mod photo;
#[path = "support/mod.rs"]
mod support;

use std::path::Path;
use std::process::ExitCode;

use ndany::prelude::*;
use ndany::{Choice, Generator};
use support::{Cost, Outcome, failure, timed};

const PHOTOGRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/coffee.png");
/// Lloyd's steps grow ever smaller; those of this photograph end after sixty.
const ITERATIONS: usize = 300;
/// Settled is what improves by less than this part of itself.
const TOLERANCE: f32 = 1e-5;

/// Squared distances of points (n, d) to centres (k, d): (n, k). One product and one fused pass.
fn distances(points: &Array, centres: &Array) -> Array {
    let lengths = points.square().sum(over(1).keepdims());
    (lengths - points.matmul(centres.transpose(..)) * 2.0 + centres.square().sum(1)).maximum(0.0)
}

/// Centres far from each other (Arthur & Vassilvitskii 2007): each is a point drawn with its squared distance
/// to those before it as weight, so that no lone point far out is sure to become one.
fn spread_centres(points: &Array, clusters: usize) -> Outcome<Array> {
    let mut rng = Generator::new(1);
    let count = points.shape()[0];
    let mut centres = vec![points.take(rng.integers(0..count as i64, 1), 0)];
    let mut nearest = distances(points, &centres[0]).squeeze(1);
    for _ in 1..clusters {
        let weights = nearest.astype(DType::F64);
        let drawn = rng.choice(count, 1, Choice::new().p(&weights));
        let centre = points.take(&drawn, 0);
        nearest = nearest.minimum(distances(points, &centre).squeeze(1));
        centres.push(centre);
    }
    Ok(concatenate(&centres.iter().collect::<Vec<_>>(), 0))
}

/// The centres after an iteration, and the mean squared distance to the centres before it.
fn iterate(points: &Array, centres: &Array) -> Outcome<(Array, f32)> {
    let distances = distances(points, centres);
    let clusters = arange(centres.shape()[0]);
    let members = distances.argmin(1).i((.., NewAxis)).equal(clusters).astype(DType::F32);
    let sizes = members.sum(over(0).keepdims()).transpose(..);
    let sums = members.transpose(..).matmul(points);
    // A cluster that lost its last point stays where it was.
    let moved = where_(sizes.greater(0.0), sums / sizes.maximum(1.0), centres);
    let inertia = distances.min(1).mean(..).item::<f32>()?;
    Ok((moved, inertia))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kmeans: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let clusters = support::option(&mut arguments, "--clusters")?.map_or(Ok(12), |n| n.parse())?;
    support::expect_no_more(&arguments, "kmeans [--device NAME] [--clusters N]")?;
    if clusters == 0 {
        return Err(failure("--clusters must be at least 1"));
    }
    let _guard = device.enter();
    println!("device {device}: {}", device.description());
    let photo = photo::read(Path::new(PHOTOGRAPH))?;
    let points = photo.reshape([-1, 3]);
    points.eval()?;
    println!("{} pixels, {clusters} clusters", points.shape()[0]);

    let (mut centres, start) = timed(&device, || spread_centres(&points, clusters))?;
    println!("  start       {start}");
    let mut together = Cost::default();
    let mut before = f32::INFINITY;
    for iteration in 1..=ITERATIONS {
        let ((moved, inertia), cost) = timed(&device, || iterate(&points, &centres))?;
        together += cost;
        centres = moved;
        if iteration == 1 || iteration % 20 == 0 {
            println!("  {iteration:<3} mean squared distance {inertia:.6}");
        }
        if before - inertia < TOLERANCE * inertia {
            println!("  settled after {iteration} iterations at {inertia:.6}");
            break;
        }
        before = inertia;
    }
    println!("  iterations  {together}");

    let members = distances(&points, &centres).argmin(1);
    let members = members.i((.., NewAxis)).equal(arange(clusters)).astype(DType::F32);
    let shares = members.mean(0);
    println!("\nred, green, blue and share of the pixels");
    println!("{:.3}", concatenate(&[&centres, &shares.i((.., NewAxis))], 1));
    let folder = Path::new("target/kmeans");
    std::fs::create_dir_all(folder)?;
    photo::write(&folder.join("clusters.png"), &members.matmul(&centres).reshape(photo.shape()))?;
    println!("\nthe photograph in these colours is in {}", folder.join("clusters.png").display());
    Ok(())
}
