//! Poisson's equation in a cube, `-Δu = f` with `u = 0` at its faces, on grids that grow finer: by conjugate gradients without and
//! with preconditioners, beside the solution that is known.
//!
//!     cargo run --release --features sparse --example poisson [-- --device NAME] [--extent N]
//!
//! The right side is that of the solution `g(x) g(y) g(z)` with `g(t) = exp(t) sin πt`. The error of a grid falls with the square of its
//! step.

#[path = "support/mod.rs"]
mod support;

use std::f64::consts::PI;
use std::time::Instant;

use ndany::Result;
use ndany::prelude::*;
use ndany::sparse::linalg::{self, Iteration, LinearOperator, Spectrum, Which};
use ndany::sparse::{self, Sparse};
use support::{Outcome, device, expect_no_more, option};

/// The operator on the points within the cube, `extent` along each edge.
fn laplacian(extent: usize) -> Sparse {
    let scale = (extent as f64 + 1.0).powi(2);
    let off = ndany::full(extent - 1, -scale, F64);
    let diagonals = [&ndany::full(extent, 2.0 * scale, F64), &off, &off];
    let (line, one) = (sparse::diags_array(diagonals, [0, 1, -1], ..), sparse::eye_array(extent));
    let along = |a: &Sparse, b: &Sparse, c: &Sparse| sparse::kron(sparse::kron(a, b), c).to_csr();
    along(&line, &one, &one) + along(&one, &line, &one) + along(&one, &one, &line)
}

/// The solution `g(x) g(y) g(z)` at these points, and its right side, of `g(t) = exp(t) sin πt`.
fn solution(extent: usize) -> [Array; 2] {
    let t = (arange(extent as i64) + 1).astype(F64) / (extent as f64 + 1.0);
    let (growth, wave, slope) = (t.exp(), (&t * PI).sin(), (&t * PI).cos());
    let g = &growth * &wave;
    let bend = growth * ((1.0 - PI * PI) * &wave + 2.0 * PI * slope);
    let product =
        |x: &Array, y: &Array, z: &Array| ((x.reshape((-1, 1)) * y).reshape((-1, 1)) * z).ravel();
    let sum = product(&bend, &g, &g) + product(&g, &bend, &g) + product(&g, &g, &bend);
    [product(&g, &g, &g), -sum]
}

fn solve(
    name: &str,
    a: &Sparse,
    [exact, b]: &[Array; 2],
    made: impl FnOnce() -> Result<Option<LinearOperator>>,
) -> Result<()> {
    let start = Instant::now();
    let mut options = Iteration::new().rtol(1e-10);
    if let Some(inverse) = made()? {
        options = options.preconditioner(&inverse);
    }
    let prepared = start.elapsed().as_secs_f64() * 1e3;
    let found = linalg::cg(a, b, options)?;
    let error: f64 = (&found.x - exact).abs().max(..).item()?;
    let total = start.elapsed().as_secs_f64() * 1e3;
    println!(
        "  {name:<22} {:>4} steps   residual {:.1e}   error {error:.2e}   {total:>8.1} ms, {prepared:.1} of them before the first step",
        found.iterations, found.residual,
    );
    Ok(())
}

fn main() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = device(&mut arguments)?;
    let largest: usize = option(&mut arguments, "--extent")?.map_or(Ok(32), |text| text.parse())?;
    expect_no_more(&arguments, "poisson [--device NAME] [--extent N]")?;
    let _guard = device.enter();
    println!("Poisson's equation on {}", device.description());
    let mut extent = 8;
    while extent <= largest {
        let a = laplacian(extent);
        let known = solution(extent);
        println!("{extent}³ points: {} unknowns, {} entries", a.shape()[0], a.nnz());
        solve("conjugate gradients", &a, &known, || Ok(None))?;
        solve("with the diagonal", &a, &known, || linalg::jacobi(&a).map(Some))?;
        solve("with IC(0)", &a, &known, || Ok(Some((&linalg::ic0(&a)?).into())))?;
        if extent <= 16 {
            let options = Spectrum::new().which(Which::Smallest).tol(1e-10);
            let (values, _) = linalg::eigsh(&a, 1, options)?;
            let least: f64 = values.i(0).item()?;
            println!(
                "  the least eigenvalue   {least:.6}, of the cube itself 3π² = {:.6}",
                3.0 * PI * PI
            );
        }
        extent *= 2;
    }
    Ok(())
}
