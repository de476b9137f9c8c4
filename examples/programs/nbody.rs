//! Bodies that attract each other, with leapfrog steps.
//!
//! ```python
//! d = x[None] - x[:,None]
//! r2 = (d**2).sum(-1, keepdims=True) + eps
//! a = (m*d/r2**1.5).sum(1)
//! ```
//!
//! The size is the number of bodies.
use ndany::prelude::*;

fn acceleration(x: &Array, m: &Array) -> Array {
    let d = x.i(s![NewAxis]) - x.i(s![.., NewAxis]);
    let r2 = d.square().sum(over(-1).keepdims()) + 1e-2;
    (m * d / r2.pow(1.5)).sum(1)
}

pub fn run(device: &Device, size: Option<usize>) -> ndany::Result<()> {
    let _guard = device.enter();
    let n = size.unwrap_or(50);
    let dt = 1e-3;

    let mut rng = random::default_rng(3);
    let m = rng.uniform(0.5, 1.5, (n, 1)) / n as f64;
    let mut x = rng.standard_normal((n, 3));
    let mut v = rng.standard_normal((n, 3));
    let before = (&m * &v).sum(0);

    let mut a = acceleration(&x, &m);
    for _ in 0..20 {
        v += dt / 2.0 * &a;
        x += dt * &v;
        a = acceleration(&x, &m);
        v += dt / 2.0 * &a;
    }

    // The forces cancel in pairs, and so the total momentum is conserved.
    let after = (&m * &v).sum(0);
    let change: f64 = (after - before).abs().max(..).item()?;
    assert!(change < 1e-12, "change {change}");
    // The masses have the mean one over n, and so the accelerations are of the order one.
    let largest: f64 = a.abs().max(..).item()?;
    assert!(largest > 0.01 && largest < 100.0, "acceleration {largest}");
    Ok(())
}
