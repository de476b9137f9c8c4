//! Functions written once for any device, and the proof: their results on every device found, bit for bit.
//!
//!     cargo run --release --example softplus_softmax [-- --device NAME]
//!
//! No function names a device, a backend or an element type. Each is a chain that runs fused; equality of
//! bits is compared with the first device of the list.

#[path = "support/mod.rs"]
mod support;

use std::process::ExitCode;

use ndany::prelude::*;
use support::{Outcome, timed};

/// log(1 + eˣ), without overflow.
fn softplus(x: &Array) -> Array {
    x.maximum(0.0) + (-x.abs()).exp().log1p()
}

/// eˣ over its sum along an axis.
fn softmax(x: &Array, axis: isize) -> Array {
    let e = (x - x.max(over(axis).keepdims())).exp();
    let total = e.sum(over(axis).keepdims());
    e / total
}

/// The logarithm of the sum of eˣ along an axis.
fn logsumexp(x: &Array, axis: isize) -> Array {
    let highest = x.max(over(axis).keepdims());
    let sum = (x - &highest).exp().sum(axis);
    sum.log() + highest.squeeze(axis)
}

/// Mean 0 and deviation 1 along an axis.
fn standardize(x: &Array, axis: isize) -> Array {
    let axis = over(axis).keepdims();
    (x - x.mean(axis.clone())) / x.std(axis)
}

/// A name and what it does to the scores.
type Function = (&'static str, fn(&Array) -> Array);

const FUNCTIONS: [Function; 5] = [
    ("softplus", softplus),
    ("softmax, axis 1", |x| softmax(x, 1)),
    ("softmax, axis 0", |x| softmax(x, 0)),
    ("logsumexp, axis 1", |x| logsumexp(x, 1)),
    ("standardize, axis 1", |x| standardize(x, 1)),
];

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("softplus_softmax: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all devices gave the same bits.
fn run() -> Outcome<bool> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let names = match support::option(&mut arguments, "--device")? {
        Some(name) => vec![name],
        None => Device::all(),
    };
    support::expect_no_more(&arguments, "softplus_softmax [--device NAME]")?;

    let mut expected: Vec<Vec<u8>> = Vec::new();
    let mut equal = true;
    for name in &names {
        let device = Device::open(name)?;
        let _guard = device.enter();
        println!("{name}: {}", device.description());
        let scores = scores()?;
        for (position, (function, compute)) in FUNCTIONS.iter().enumerate() {
            let (result, cost) = timed(&device, || {
                let result = compute(&scores);
                result.eval()?;
                Ok(result)
            })?;
            let bytes = result.to_bytes()?;
            let verdict = match expected.get(position) {
                None => {
                    expected.push(bytes);
                    String::new()
                }
                Some(first) if *first == bytes => format!("  same bits as {}", names[0]),
                Some(_) => {
                    equal = false;
                    format!("  OTHER BITS than {}", names[0])
                }
            };
            println!("  {function:<20}{cost}{verdict}");
        }
        println!();
    }
    let _guard = Device::open(&names[0])?.enter();
    println!("the softmax of the first rows\n{:.4}\n", softmax(&scores()?, 1).i(..3));
    if names.len() > 1 {
        println!("{}", if equal { "every device gave the same bits" } else { "the bits differ" });
    }
    Ok(equal)
}

/// 512 rows of 1,000 scores between -8 and 8, the same everywhere: exact arithmetic on integers.
fn scores() -> ndany::Result<Array> {
    let index = arange(512_000);
    let mixed = (&index * 7919 + &index * &index * 31) % 16_001;
    let scores = ((mixed - 8000).astype(DType::F32) / 1000.0).reshape([512, 1000]);
    scores.eval()?;
    Ok(scores)
}
