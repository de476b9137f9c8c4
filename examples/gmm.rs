//! The colours of a photograph as a mixture of Gaussians with full covariances, fitted by expectation and
//! maximization (Dempster, Laird & Rubin 1977), and the photograph cut into its components.
//!
//!     cargo run --release --example gmm [-- --device NAME] [--components N]
//!
//! Prints the mean log-likelihood of every tenth iteration; the segments go to `target/gmm/`.

#[path = "quickstart/photo.rs"]
mod photo;
#[path = "support/mod.rs"]
mod support;

use std::path::Path;
use std::process::ExitCode;

use ndany::prelude::*;
use support::{Cost, Outcome, failure, timed};

const PHOTOGRAPH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/coffee.png");
const ITERATIONS: usize = 60;
/// Added to variances, so that no component shrinks to a point: half a step of 8-bit colours, squared.
const FLOOR: f64 = 4e-6;

/// Weights (k), means (k, 3), and covariances as their six different entries (k, 6): rr, gg, bb, rg, rb, gb.
struct Mixture {
    weights: Array,
    means: Array,
    covariances: Array,
}

/// The products of a colour with itself, in the order of the covariances: (…, 3) gives (…, 6).
fn products(colours: &Array) -> Array {
    let channel = |number: usize| colours.i((ndany::Ellipsis, number));
    let (r, g, b) = (channel(0), channel(1), channel(2));
    stack(&[&r.square(), &g.square(), &b.square(), &(&r * &g), &(&r * &b), &(&g * &b)], -1)
}

impl Mixture {
    /// Components of equal weight at pixels spread evenly over the photograph.
    fn start(points: &Array, components: usize) -> Outcome<Mixture> {
        let step = points.shape()[0] / components;
        let means = points.i(s![step / 2..; step as isize, ..]).i(..components).copy();
        let spread = points.var(..).item::<f64>()? / components as f64;
        let unit = Array::from([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]) * spread;
        Ok(Mixture {
            weights: ndany::full(components, 1.0 / components as f64, DType::F64),
            means,
            covariances: unit.broadcast_to([components, 6]).copy(),
        })
    }

    /// log(weight × density) of every point under every component: (n, k). The inverse of a symmetric
    /// matrix of three rows is written out, so one product and one fused pass do it.
    fn log_densities(&self, points: &Array) -> Array {
        let entry = |number: usize| self.covariances.i((.., number));
        let (rr, gg, bb) = (entry(0), entry(1), entry(2));
        let (rg, rb, gb) = (entry(3), entry(4), entry(5));
        let cofactors = [
            &gg * &bb - gb.square(),
            &rr * &bb - rb.square(),
            &rr * &gg - rg.square(),
            &rb * &gb - &rg * &bb,
            &rg * &gb - &rb * &gg,
            &rg * &rb - &gb * &rr,
        ];
        let determinant = &rr * &cofactors[0] + &rg * &cofactors[3] + &rb * &cofactors[4];
        let cofactors = stack(&cofactors.iter().collect::<Vec<_>>(), -1);
        let twice = Array::from([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        let inverse = cofactors * twice / determinant.i((.., NewAxis));
        // (x - m)ᵀ A (x - m) from the products of each difference.
        let distance = |component: usize| {
            let difference = points - self.means.i(component);
            (products(&difference) * inverse.i(component)).sum(1)
        };
        let distances: Vec<Array> = (0..self.means.shape()[0]).map(distance).collect();
        let distances = stack(&distances.iter().collect::<Vec<_>>(), 1);
        let constant = 3.0 * (2.0 * std::f64::consts::PI).ln();
        self.weights.log() - (distances + determinant.log() + constant) * 0.5
    }

    /// The mixture after an iteration, and the mean log-likelihood under the one before.
    fn iterate(&self, points: &Array, squares: &Array) -> Outcome<(Mixture, f64)> {
        let log = self.log_densities(points);
        let highest = log.max(over(1).keepdims());
        let shares = (&log - &highest).exp();
        let total = shares.sum(over(1).keepdims());
        let likelihood = (total.log() + highest).mean(..).item::<f64>()?;
        let members = (shares / total).transpose(());
        let sizes = members.sum(over(1).keepdims());
        let means = members.matmul(points) / &sizes;
        let floor = Array::from([FLOOR, FLOOR, FLOOR, 0.0, 0.0, 0.0]);
        let covariances = members.matmul(squares) / &sizes - products(&means) + floor;
        let weights = sizes.squeeze(1) / points.shape()[0];
        Ok((Mixture { weights, means, covariances }, likelihood))
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gmm: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    let components =
        support::option(&mut arguments, "--components")?.map_or(Ok(4), |n| n.parse())?;
    support::expect_no_more(&arguments, "gmm [--device NAME] [--components N]")?;
    if components == 0 {
        return Err(failure("--components must be at least 1"));
    }
    let _guard = device.enter();
    println!("device {device}: {}", device.description());
    let photo = photo::read(Path::new(PHOTOGRAPH))?;
    let points = photo.reshape([-1, 3]).astype(DType::F64);
    let squares = products(&points);
    squares.eval()?;
    println!("{} pixels, {components} components", points.shape()[0]);

    let mut mixture = Mixture::start(&points, components)?;
    let (mut together, mut before) = (Cost::default(), f64::NEG_INFINITY);
    for iteration in 1..=ITERATIONS {
        let ((next, likelihood), cost) = timed(&device, || mixture.iterate(&points, &squares))?;
        together += cost;
        mixture = next;
        if iteration == 1 || iteration % 10 == 0 {
            println!("  {iteration:<3} mean log-likelihood {likelihood:.6}");
        }
        if likelihood - before < 1e-6 {
            println!("  settled after {iteration} iterations at {likelihood:.6}");
            break;
        }
        before = likelihood;
    }
    println!("  iterations  {together}");

    println!("\nred, green, blue and weight");
    println!("{:.3}", concatenate(&[&mixture.means, &mixture.weights.i((.., NewAxis))], 1));
    let segment = mixture.log_densities(&points).argmax(1);
    let one_hot = segment.i((.., NewAxis)).equal(arange(0, components, 1)).astype(DType::F64);
    let folder = Path::new("target/gmm");
    std::fs::create_dir_all(folder)?;
    let picture = one_hot.matmul(&mixture.means).reshape(photo.shape());
    photo::write(&folder.join("segments.png"), &picture)?;
    println!("\nthe segments are in {}", folder.join("segments.png").display());
    Ok(())
}
