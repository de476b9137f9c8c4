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

    /// log(weight × density) of every component at every point: (k, n), from the channels of the points,
    /// (3, n). The inverses of all covariances are written out, so all distances are one fused pass.
    fn log_densities(&self, channels: &Array) -> Array {
        let entries = |which: [i64; 6]| self.covariances.take(Array::from(which), 1);
        let cofactors = entries([1, 0, 0, 4, 3, 3]) * entries([2, 2, 1, 5, 5, 4])
            - entries([5, 4, 3, 3, 4, 5]) * entries([5, 4, 3, 2, 1, 0]);
        // Along the first row: rr, rg and rb with their cofactors.
        let row = Array::from([1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
        let determinant = (&self.covariances * &cofactors * row).sum(1);
        let twice = Array::from([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        let inverse = cofactors * twice / determinant.i((.., NewAxis));
        let constant = 3.0 * (2.0 * std::f64::consts::PI).ln();
        let constant = self.weights.log() - (determinant.log() + constant) * 0.5;
        // (x - m)ᵀ A (x - m).
        let [r, g, b] = [0, 1, 2].map(|c| channels.i(c) - self.means.i((.., c, NewAxis)));
        let [rr, gg, bb, rg, rb, gb] = [0, 1, 2, 3, 4, 5].map(|n| inverse.i((.., n, NewAxis)));
        let distance = &r * (&r * rr + &g * rg + &b * rb) + &g * (&g * gg + &b * gb) + &b * &b * bb;
        constant.i((.., NewAxis)) - distance * 0.5
    }

    /// The mixture after an iteration, and the mean log-likelihood under the one before. A point's features
    /// are 1, its colour and the products of its colour: (n, 10).
    fn iterate(&self, channels: &Array, features: &Array) -> Outcome<(Mixture, f64)> {
        let log = self.log_densities(channels);
        let highest = log.max(over(0).keepdims());
        let shares = (&log - &highest).exp();
        let total = shares.sum(over(0).keepdims());
        let likelihood = (total.log() + highest).mean(..).item::<f64>()?;
        let sums = (shares / total).matmul(features);
        let sizes = sums.i((.., ..1));
        let moments = sums.i((.., 1..)) / &sizes;
        let means = moments.i((.., ..3)).copy();
        let floor = Array::from([FLOOR, FLOOR, FLOOR, 0.0, 0.0, 0.0]);
        let covariances = moments.i((.., 3..)) - products(&means) + floor;
        let weights = sizes.squeeze(1) / channels.shape()[1];
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
    let channels = points.transpose(..).copy();
    let one = ndany::ones([points.shape()[0], 1], DType::F64);
    let features = concatenate(&[&one, &points, &products(&points)], 1);
    channels.eval()?;
    features.eval()?;
    println!("{} pixels, {components} components", points.shape()[0]);

    let mut mixture = Mixture::start(&points, components)?;
    let (mut together, mut before) = (Cost::default(), f64::NEG_INFINITY);
    for iteration in 1..=ITERATIONS {
        let ((next, likelihood), cost) = timed(&device, || mixture.iterate(&channels, &features))?;
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
    let segment = mixture.log_densities(&channels).argmax(0);
    let one_hot = segment.i((.., NewAxis)).equal(arange(components)).astype(DType::F64);
    let folder = Path::new("target/gmm");
    std::fs::create_dir_all(folder)?;
    let picture = one_hot.matmul(&mixture.means).reshape(photo.shape());
    photo::write(&folder.join("segments.png"), &picture)?;
    println!("\nthe segments are in {}", folder.join("segments.png").display());
    Ok(())
}
