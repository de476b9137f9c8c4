//! What the timed workloads of all devices share: how a time is taken, and expressions that both time.

use std::time::Instant;

use ndany::{Array, Device, over};

use crate::support::Outcome;

/// The median time of several runs of `inner` calls each, of a call.
pub fn median(device: &Device, inner: usize, mut work: impl FnMut() -> Outcome) -> Outcome<f64> {
    const RUNS: usize = 9;
    for _ in 0..3 {
        work()?;
    }
    device.synchronize()?;
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let start = Instant::now();
        for _ in 0..inner {
            work()?;
        }
        device.synchronize()?;
        times.push(start.elapsed().as_secs_f64() * 1e3 / inner as f64);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[RUNS / 2])
}

pub fn softplus(x: &Array) -> Array {
    x.maximum(0) + (-x.absolute()).exp().log1p()
}

pub fn poly(x: &Array, y: &Array) -> Array {
    (x * y + x) * (y - x) / (x * x + y * y + 1.0)
}

pub fn softmax(x: &Array) -> Array {
    let e = (x - x.max(over(1).keepdims())).exp();
    let total = e.sum(over(1).keepdims());
    e / total
}
