//! What the timed workloads of all devices share: how a time is taken, and expressions that both time.

#![allow(dead_code)]

use std::time::Instant;

use ndany::{Array, Device, over};

use crate::support::Outcome;

/// The median time of several runs of `inner` calls each, of a call.
pub fn median(device: &Device, inner: usize, mut work: impl FnMut() -> Outcome) -> Outcome<f64> {
    let [time] = medians([device], inner, |_| work())?;
    Ok(time)
}

/// The same on several devices, which take turns run by run, so that what changes with time changes for all of them;
/// `work` is told whose turn it is, and runs with that device as the current one.
pub fn medians<const N: usize>(
    devices: [&Device; N],
    inner: usize,
    mut work: impl FnMut(usize) -> Outcome,
) -> Outcome<[f64; N]> {
    const RUNS: usize = 9;
    for (side, device) in devices.iter().enumerate() {
        let _guard = device.enter();
        for _ in 0..3 {
            work(side)?;
        }
        device.synchronize()?;
    }
    let mut times = [[0.0; N]; RUNS];
    for run in &mut times {
        for (side, device) in devices.iter().enumerate() {
            let _guard = device.enter();
            let start = Instant::now();
            for _ in 0..inner {
                work(side)?;
            }
            device.synchronize()?;
            run[side] = start.elapsed().as_secs_f64() * 1e3 / inner as f64;
        }
    }
    Ok(std::array::from_fn(|side| {
        let mut times = times.map(|run| run[side]);
        times.sort_by(f64::total_cmp);
        times[RUNS / 2]
    }))
}

pub fn softplus(x: &Array) -> Array {
    x.maximum(0) + (-x.abs()).exp().log1p()
}

pub fn poly(x: &Array, y: &Array) -> Array {
    (x * y + x) * (y - x) / (x * x + y * y + 1.0)
}

pub fn softmax(x: &Array) -> Array {
    let e = (x - x.max(over(1).keepdims())).exp();
    let total = e.sum(over(1).keepdims());
    e / total
}
