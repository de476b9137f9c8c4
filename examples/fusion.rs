//! How many passes over memory an expression takes, and how many its operations would take one by one.
//!
//!     cargo run --release --example fusion [-- --device NAME]

#[path = "support/mod.rs"]
mod support;

use std::process::ExitCode;

use ndany::prelude::*;
use support::{Outcome, timed};

/// What is computed, how it is written, and the code.
type Expression = (&'static str, &'static str, fn(&Array, &Array) -> Array);

const EXPRESSIONS: [Expression; 9] = [
    ("polynomial", "(x*y + x) * (y - x) / (x*x + y*y + 1)", |x, y| {
        (x * y + x) * (y - x) / (x * x + y * y + 1.0)
    }),
    ("softplus", "max(x, 0) + log1p(exp(-|x|))", |x, _| x.maximum(0.0) + (-x.abs()).exp().log1p()),
    ("norm", "sqrt(sum(x*x))", |x, _| (x * x).sum(..).sqrt()),
    ("distance", "sqrt(sum((x - y)^2, 1))", |x, y| (x - y).square().sum(1).sqrt()),
    ("softmax", "e / sum(e), e = exp(x - max(x, 1))", |x, _| {
        let e = (x - x.max(over(1).keepdims())).exp();
        let total = e.sum(over(1).keepdims());
        e / total
    }),
    ("standardize", "(x - mean(x, 1)) / std(x, 1)", |x, _| {
        (x - x.mean(over(1).keepdims())) / x.std(over(1).keepdims())
    }),
    ("running mean", "cumsum(x*y, 1) / (1, 2, 3, ...)", |x, y| {
        (x * y).cumsum(1) / arange((1, x.shape()[1] + 1))
    }),
    ("five-point sum", "four shifted views and the middle", |x, _| {
        let (rows, columns) = (1..x.shape()[0] - 1, 1..x.shape()[1] - 1);
        let shifted = |down: usize, right: usize| {
            x.i((down..down + rows.len(), right..right + columns.len()))
        };
        shifted(0, 1) + shifted(2, 1) + shifted(1, 0) + shifted(1, 2) - shifted(1, 1) * 4.0
    }),
    ("whole columns", "(x - mean(x, 0)) * (y > 0)", |x, y| (x - x.mean(0)) * y.greater(0.0)),
];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fusion: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let device = support::device(&mut arguments)?;
    support::expect_no_more(&arguments, "fusion [--device NAME]")?;
    let _guard = device.enter();
    println!("device {device}: {}", device.description());
    let index = arange(2048 * 2048).astype(DType::F64).reshape([2048, 2048]);
    let x = (&index * 0.618).sin().astype(DType::F32);
    let y = (&index * 0.414).cos().astype(DType::F32);
    x.eval()?;
    y.eval()?;
    println!("x and y have shape (2048, 2048) and dtype {}\n", x.dtype());
    println!("{:<16}{:>11}{:>8}{:>12}", "", "operations", "passes", "ms");
    for (name, written, expression) in EXPRESSIONS {
        let (_, cost) = timed(&device, || Ok(expression(&x, &y).eval()?))?;
        let (operations, passes) = (cost.statistics.operations, cost.statistics.launches());
        let time = cost.time.as_secs_f64() * 1e3;
        println!("{name:<16}{operations:>11}{passes:>8}{time:>12.2}   {written}");
    }
    println!("\nwith NDANY_EAGER=1 every operation takes a pass of its own");
    Ok(())
}
